"""What everything is called on Azure, and what Azure allows each kind of resource to be called."""

import base64
import hashlib
import re
from dataclasses import dataclass

from kilonode.cloudspec.azure_names import reserved
from kilonode.limits import (
    AZURE_CONTAINER_NAME,
    AZURE_DNS_ZONE_NAME,
    AZURE_GALLERY_NAME,
    AZURE_IDENTITY_NAME,
    AZURE_INSTANCE_DIGITS,
    AZURE_KEY_VAULT_NAME,
    AZURE_MACHINE_NAME,
    AZURE_NETWORK_NAME,
    AZURE_NETWORKING_NAME,
    AZURE_RESOURCE_GROUP_NAME,
    AZURE_SECRET_NAME,
    AZURE_STORAGE_NAME,
    HOSTNAME,
    Limit,
)

SET_DIGITS = 2
"""Of a scale set's number in its pool; a pool of 10,000 in placement groups of 100 has a hundred of them."""

NODE_DIGITS = SET_DIGITS + AZURE_INSTANCE_DIGITS.value
"""Of a node's name behind its pool's prefix: the set's number, then the machine's in base 36."""

COMPUTER_NAME_PREFIX = Limit(
    HOSTNAME.value - AZURE_INSTANCE_DIGITS.value,
    "characters",
    "RFC 1123 label without the machine's number; terraform-provider-azurerm takes 58 on Linux, as a host name there may have 64",
)

_INNER = r"[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9_])?"
_HASH = 10


@dataclass(frozen=True)
class NameRule:
    """What one kind of resource may be called; ``kind`` is the SDK's module and class."""

    kind: str
    least: int
    most: Limit
    pattern: str


_NETWORKING = (
    "LoadBalancer",
    "NatGateway",
    "NetworkInterface",
    "NetworkSecurityGroup",
    "PublicIPPrefix",
    "SecurityRule",
    "Subnet",
    "VirtualNetworkPeering",
)
RULES = {
    rule.kind: rule
    for rule in (
        NameRule("resources:ResourceGroup", 1, AZURE_RESOURCE_GROUP_NAME, r"[\w().-]*[\w()-]"),
        NameRule("network:VirtualNetwork", 2, AZURE_NETWORK_NAME, _INNER),
        *(NameRule(f"network:{kind}", 1, AZURE_NETWORKING_NAME, _INNER) for kind in _NETWORKING),
        NameRule("privatedns:PrivateZone", 1, AZURE_DNS_ZONE_NAME, r"[\w-]+(?:\.[\w-]+)+"),
        NameRule("privatedns:VirtualNetworkLink", 1, AZURE_NETWORKING_NAME, _INNER),
        NameRule("compute:VirtualMachine", 1, AZURE_MACHINE_NAME, r"[A-Za-z0-9-]*[A-Za-z0-9]"),
        NameRule("compute:VirtualMachineScaleSet", 1, AZURE_MACHINE_NAME, r"[A-Za-z0-9-]*[A-Za-z0-9]"),
        NameRule("compute:Gallery", 1, AZURE_GALLERY_NAME, r"[A-Za-z0-9](?:[A-Za-z0-9.]*[A-Za-z0-9])?"),
        NameRule("compute:GalleryImage", 1, AZURE_GALLERY_NAME, _INNER),
        NameRule("virtualmachineimages:VirtualMachineImageTemplate", 1, AZURE_MACHINE_NAME, r"[A-Za-z0-9-_.]+"),
        NameRule("managedidentity:UserAssignedIdentity", 3, AZURE_IDENTITY_NAME, r"[A-Za-z0-9][\w-]*"),
        NameRule("keyvault:Vault", 3, AZURE_KEY_VAULT_NAME, r"[A-Za-z](?:-?[A-Za-z0-9])*"),
        NameRule("keyvault:Secret", 1, AZURE_SECRET_NAME, r"[A-Za-z0-9-]+"),
        NameRule("storage:StorageAccount", 3, AZURE_STORAGE_NAME, r"[a-z0-9]+"),
        NameRule("storage:BlobContainer", 3, AZURE_CONTAINER_NAME, r"[a-z0-9](?:-?[a-z0-9])*"),
    )
}


def checked(kind: str, name: str) -> str:
    """``name``, once it is one that a resource of ``kind`` may have.

    Raises:
        ValueError: naming the rule it breaks; names a person chose were refused before.
    """
    rule = RULES[kind]
    if not rule.least <= len(name) <= rule.most.value or not re.fullmatch(rule.pattern, name, re.ASCII):
        raise ValueError(
            f"{kind} {name!r}: {rule.least} to {rule.most.value} {rule.most.unit} of the form {rule.pattern} ({rule.most.source})"
        )
    return name


def subnet_of_pool(pool: str) -> str:
    """No slot of fixed machines is called so."""
    return f"pool-{pool}"


def vnet(region: str, number: int) -> str:
    """Also the name of its NAT gateway and of that gateway's public addresses."""
    return checked("network:VirtualNetwork", f"{region}-vnet-{number}")


def security_group(region: str, subnet: str) -> str:
    """One for each subnet."""
    return checked("network:NetworkSecurityGroup", f"{region}-{subnet}")


def peering(one: str, other: str) -> str:
    """From one virtual network to another; the other has one back."""
    return checked("network:VirtualNetworkPeering", f"{one}-to-{other.rpartition('-')[2]}")


def pool(region: str, name: str) -> str:
    """A pool's identity and its secret."""
    return checked("keyvault:Secret", checked("managedidentity:UserAssignedIdentity", f"{region}-pool-{name}"))


def scale_set(region: str, name: str, number: int) -> str:
    """A scale set, and how the host names of its machines begin.

    Raises:
        ValueError: when a pool has more sets than its names have numbers for.
    """
    if number >= 10**SET_DIGITS:
        raise ValueError(f"pool {name} has no name for its scale set {number}")
    made = checked("compute:VirtualMachineScaleSet", f"{node_prefix(region, name)}{number:0{SET_DIGITS}d}")
    if len(made) > COMPUTER_NAME_PREFIX.value:
        raise ValueError(f"{made}: at most {COMPUTER_NAME_PREFIX.value} characters ({COMPUTER_NAME_PREFIX.source})")
    return made


def node_prefix(region: str, name: str) -> str:
    """How the names of a pool's nodes begin; behind it stand exactly :data:`NODE_DIGITS` lower-case letters and digits.

    As no dash is among those, no name of one pool is also one of another whose name begins alike.
    """
    return f"{region}-{name}-"


def key_vault(region: str, group: str, location: str) -> str:
    """A vault's name is one among all customers': a hash of what is ours stands in it."""
    short = re.sub(r"-+", "-", _public(region))[: AZURE_KEY_VAULT_NAME.value - _HASH - 1].strip("-")
    return checked("keyvault:Vault", f"{short}-{_hash(region, group, location)}")


def storage_account(region: str, group: str, location: str) -> str:
    """As a vault's, without dashes."""
    short = _public(region.replace("-", ""))[: AZURE_STORAGE_NAME.value - _HASH]
    return checked("storage:StorageAccount", f"{short}{_hash(region, group, location)}")


def gallery(region: str) -> str:
    """Galleries know no dashes."""
    return checked("compute:Gallery", region.replace("-", "."))


def _public(region: str) -> str:
    """The region's name where Azure takes it in names that are public; some words it keeps for itself."""
    return "region" if reserved(region) else region


def image_template(region: str, version: str) -> str:
    """A template is never changed, so each version has its own."""
    return checked("virtualmachineimages:VirtualMachineImageTemplate", f"{region}-image-{version}")


def _hash(*parts: str) -> str:
    digest = hashlib.sha256("/".join(parts).encode()).digest()
    return base64.b32encode(digest).decode().lower()[:_HASH]
