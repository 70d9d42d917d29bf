"""Which demands are made of which type."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from ..kinds import Kind
from ..refusal import Refusal
from . import compute, data, images, network

Demand = Callable[[Mapping[str, Any]], Iterator[tuple[str, Any, str]]]

DEMANDS: Final[dict[str, Demand]] = {
    "network:VirtualNetwork": network.virtual_network,
    "network:Subnet": network.subnet,
    "network:NetworkSecurityGroup": network.security_group,
    "network:SecurityRule": network.security_rule,
    "network:NatGateway": network.nat_gateway,
    "network:PublicIPAddress": network.public_address,
    "network:NetworkInterface": network.interface,
    "network:LoadBalancer": network.load_balancer,
    "privatedns:PrivateRecordSet": data.record_set,
    "compute:VirtualMachine": compute.machine,
    "compute:VirtualMachineScaleSet": compute.scale_set,
    "compute:Disk": compute.disk,
    "keyvault:Vault": data.vault,
    "storage:StorageAccount": data.account,
    "storage:BlobContainerImmutabilityPolicy": data.immutability_policy,
    "virtualmachineimages:VirtualMachineImageTemplate": images.template,
}


def judge(kind: Kind, resource: str, inputs: Mapping[str, Any]) -> list[Refusal]:
    """What the cloud would find missing or contradictory in inputs of the right form."""
    demand = DEMANDS.get(kind.token)
    return [Refusal(resource, path, given, allowed) for path, given, allowed in demand(inputs)] if demand else []
