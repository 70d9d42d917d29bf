"""How many of a thing Azure allows in one resource.

Sources: Azure subscription and service limits (256 private addresses per network interface; 5 reserved per subnet);
"Working with large virtual machine scale sets" (1,000 from a platform or gallery image, 600 from a managed image; 100 in a
single placement group; the pages of the HB, HC and HX series: 300 there, as they have InfiniBand); NAT gateway resource limits (16 public addresses).
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from . import paths
from .kinds import Kind
from .refusal import Refusal

PER_INTERFACE: Final = 256
PER_SET: Final = 1_000
PER_SET_OF_MANAGED_IMAGE: Final = 600
PER_PLACEMENT_GROUP: Final = 100
PER_PLACEMENT_GROUP_WITH_INFINIBAND: Final = 300
# In a size's name, an r among the small letters after the first number says RDMA: Standard_HB120rs_v3.
INFINIBAND: Final = re.compile(r"Standard_[A-Z]+\d+(-\d+)?[a-z]*r[a-z]*(_.*)?")
PER_NAT_GATEWAY: Final = 16

Found = Iterator[tuple[str, Any, str]]


def judge(kind: Kind, resource: str, inputs: Mapping[str, Any]) -> list[Refusal]:
    """What there is too much of."""
    rows = {
        "network:NetworkInterface": _interface,
        "network:NatGateway": _nat_gateway,
        "compute:VirtualMachineScaleSet": _scale_set,
    }
    found = rows[kind.token](inputs) if kind.token in rows else ()
    return [Refusal(resource, path, given, allowed) for path, given, allowed in found]


def _interface(inputs: Mapping[str, Any]) -> Found:
    configurations = inputs.get("ipConfigurations")
    if isinstance(configurations, list) and len(configurations) > PER_INTERFACE:
        yield (
            "ipConfigurations",
            len(configurations),
            f"at most {PER_INTERFACE} IP configurations per network interface",
        )


def _nat_gateway(inputs: Mapping[str, Any]) -> Found:
    addresses = inputs.get("publicIpAddresses")
    if isinstance(addresses, list) and len(addresses) > PER_NAT_GATEWAY:
        yield "publicIpAddresses", len(addresses), f"at most {PER_NAT_GATEWAY} public addresses per NAT gateway"


def _scale_set(inputs: Mapping[str, Any]) -> Found:
    capacity = paths.one(inputs, "sku.capacity")
    image = paths.one(inputs, "virtualMachineProfile.storageProfile.imageReference.id")
    managed = isinstance(image, str) and "/providers/microsoft.compute/images/" in image.lower()
    most = PER_SET_OF_MANAGED_IMAGE if managed else PER_SET
    if isinstance(capacity, int) and capacity > most:
        yield (
            "sku.capacity",
            capacity,
            f"at most {most:,} machines from a {'managed' if managed else 'gallery or platform'} image",
        )
    fabric = INFINIBAND.fullmatch(str(paths.one(inputs, "sku.name"))) is not None
    together = PER_PLACEMENT_GROUP_WITH_INFINIBAND if fabric else PER_PLACEMENT_GROUP
    if isinstance(capacity, int) and capacity > together and inputs.get("singlePlacementGroup") is True:
        yield "sku.capacity", capacity, f"at most {together} machines in a single placement group"
    for interface in paths.find(inputs, "virtualMachineProfile.networkProfile.networkInterfaceConfigurations[]"):
        configurations = interface.get("ipConfigurations") if isinstance(interface, dict) else None
        if isinstance(configurations, list) and len(configurations) > PER_INTERFACE:
            path = "virtualMachineProfile.networkProfile.networkInterfaceConfigurations[].ipConfigurations"
            yield path, len(configurations), f"at most {PER_INTERFACE} IP configurations per network interface"
