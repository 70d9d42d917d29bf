"""Azure's rules for names, one per type.

Source: Azure, "Naming rules and restrictions for Azure resources" (azure-resource-manager/management/resource-name-rules);
for gallery, image and disk names also what the service enforces, as written down in terraform-provider-azurerm's
validators; for image templates the pattern in the REST reference; role names are GUIDs by the REST reference.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from . import paths
from .kinds import Kind
from .refusal import Refusal
from .values import unknown

ANY: Final = 9999


@dataclass(frozen=True)
class Rule:
    """A name's length and pattern, and the pattern in words; 0 and ANY where the pattern says the length too."""

    shortest: int
    longest: int
    pattern: str
    words: str

    def allows(self, name: str) -> bool:
        """Whether the name obeys."""
        return self.shortest <= len(name) <= self.longest and re.fullmatch(self.pattern, name) is not None

    def __str__(self) -> str:
        if self.longest == ANY:
            return self.words
        return f"{self.shortest or 1} to {self.longest} characters: {self.words}"


NETWORK_WORDS: Final = (
    "alphanumerics, underscores, periods, hyphens; starts alphanumeric, ends alphanumeric or underscore"
)
NETWORK: Final = Rule(0, 80, r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9_])?", NETWORK_WORDS)
MACHINE: Final = Rule(
    0,
    64,
    r"[^_\s\\/\"\[\]:|<>+=;,?*@&][^\s\\/\"\[\]:|<>+=;,?*@&]*(?<![.-])",
    r"none of \/\"[]:|<>+=;,?*@&, no leading underscore, no period or hyphen at the end",
)
GUID: Final = Rule(0, ANY, r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", "a GUID")
DEFAULT: Final = Rule(0, ANY, "default", "the word default")
GROUP: Final = Rule(
    0,
    90,
    r"[\w().-]*[\w()-]",
    "alphanumerics, underscores, parentheses, hyphens, periods; no period at the end",
)

RULES: Final = {
    "resources:ResourceGroup": GROUP,
    "network:VirtualNetwork": Rule(2, 64, NETWORK.pattern, NETWORK_WORDS),
    "network:Subnet": NETWORK,
    "network:VirtualNetworkPeering": NETWORK,
    "network:NetworkSecurityGroup": NETWORK,
    "network:SecurityRule": NETWORK,
    "network:NatGateway": NETWORK,
    "network:PublicIPAddress": NETWORK,
    "network:PublicIPPrefix": NETWORK,
    "network:NetworkInterface": NETWORK,
    "network:LoadBalancer": NETWORK,
    "network:RouteTable": NETWORK,
    "privatedns:PrivateZone": Rule(
        0,
        63,
        r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+){1,33}",
        "2 to 34 labels of alphanumerics, underscores and hyphens, with a period between",
    ),
    "privatedns:VirtualNetworkLink": NETWORK,
    "privatedns:PrivateRecordSet": Rule(
        0,
        253,
        r"@|(\*|[A-Za-z0-9_-]{1,63})(\.[A-Za-z0-9_-]{1,63})*",
        "@, or labels of up to 63 characters; only the first may be *",
    ),
    "compute:VirtualMachine": MACHINE,
    "compute:VirtualMachineScaleSet": MACHINE,
    "compute:Disk": Rule(0, 80, r"[A-Za-z0-9_-]+", "alphanumerics, underscores, hyphens"),
    "compute:AvailabilitySet": NETWORK,
    "compute:ProximityPlacementGroup": NETWORK,
    "compute:Gallery": Rule(
        0,
        80,
        r"[A-Za-z0-9]([A-Za-z0-9._]*[A-Za-z0-9])?",
        "alphanumerics, underscores, periods, no hyphen; starts and ends alphanumeric",
    ),
    "compute:GalleryImage": Rule(
        0,
        80,
        r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?",
        "alphanumerics, underscores, periods, hyphens; starts and ends alphanumeric",
    ),
    "compute:GalleryImageVersion": Rule(
        0, ANY, r"\d{1,10}\.\d{1,10}\.\d{1,10}", "major.minor.patch, each a 32-bit integer"
    ),
    "managedidentity:UserAssignedIdentity": Rule(
        3, 128, r"[A-Za-z0-9][A-Za-z0-9_-]*", "alphanumerics, hyphens, underscores; starts alphanumeric"
    ),
    "authorization:RoleAssignment": GUID,
    "authorization:RoleDefinition": GUID,
    "keyvault:Vault": Rule(
        3,
        24,
        r"[A-Za-z](-?[A-Za-z0-9])*",
        "alphanumerics and hyphens; starts with a letter, ends alphanumeric, no two hyphens together",
    ),
    "keyvault:Secret": Rule(0, 127, r"[A-Za-z0-9-]+", "alphanumerics and hyphens"),
    "storage:StorageAccount": Rule(3, 24, r"[a-z0-9]+", "lower-case letters and digits"),
    "storage:BlobContainer": Rule(
        3,
        63,
        r"[a-z0-9](-?[a-z0-9])*",
        "lower-case letters, digits, hyphens; starts and ends alphanumeric, no two hyphens together",
    ),
    "storage:BlobContainerImmutabilityPolicy": DEFAULT,
    "storage:ManagementPolicy": DEFAULT,
    "virtualmachineimages:VirtualMachineImageTemplate": Rule(
        0, 64, r"[A-Za-z0-9_.-]+", "alphanumerics, hyphens, underscores, periods"
    ),
}

# Names within a resource.
INNER: Final = {
    "network:VirtualNetwork": {"subnets[].name": NETWORK},
    "network:NetworkSecurityGroup": {"securityRules[].name": NETWORK},
    "network:NetworkInterface": {"ipConfigurations[].name": NETWORK},
    "network:LoadBalancer": {
        f"{part}[].name": NETWORK
        for part in ("frontendIPConfigurations", "backendAddressPools", "probes", "loadBalancingRules", "outboundRules")
    },
    "compute:VirtualMachine": {"osProfile.computerName": MACHINE},
    # The service adds six characters of its own, and a Linux host name has 64.
    "compute:VirtualMachineScaleSet": {
        "virtualMachineProfile.osProfile.computerNamePrefix": Rule(0, 58, r"[^_\s.][^\s.]*", "no spaces or periods")
    },
}


def judge(kind: Kind, resource: str, inputs: Mapping[str, Any]) -> list[Refusal]:
    """Names that Azure would not take."""
    return [
        Refusal(resource, path, name, str(rule)) for path, name, rule in _named(kind, inputs) if not rule.allows(name)
    ]


def _named(kind: Kind, inputs: Mapping[str, Any]) -> Iterator[tuple[str, str, Rule]]:
    rows = {"resourceGroupName": GROUP} if "resourceGroupName" in kind.parameters else {}
    rows |= {kind.name_input: RULES[kind.token], **INNER.get(kind.token, {})}
    for pattern, rule in rows.items():
        for value in paths.find(inputs, pattern):
            if isinstance(value, str) and not unknown(value):
                yield pattern, value, rule
