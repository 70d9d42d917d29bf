"""Which resources of azure-native are read, and which can carry tags."""

import re

from kilonode.rules.read.resource import Resource

_TOKEN = re.compile(r"azure-native(?:_\w+?)?:(?P<module>\w+)(?:/v\w+)?:(?P<name>\w+)")
MACHINE, SCALE_SET, DISK = "compute:VirtualMachine", "compute:VirtualMachineScaleSet", "compute:Disk"
INTERFACE, LOAD_BALANCER, SUBNET = "network:NetworkInterface", "network:LoadBalancer", "network:Subnet"
NETWORK = "network:VirtualNetwork"
EXTENSION, SET_EXTENSION = "compute:VirtualMachineExtension", "compute:VirtualMachineScaleSetExtension"
ACCOUNT, CONTAINER = "storage:StorageAccount", "storage:BlobContainer"
WEBSITE = "storage:StorageAccountStaticWebsite"
STORES = (ACCOUNT, CONTAINER)
TAGGABLE = frozenset(
    {
        MACHINE,
        SCALE_SET,
        INTERFACE,
        LOAD_BALANCER,
        ACCOUNT,
        "keyvault:Vault",
        "managedidentity:UserAssignedIdentity",
        "network:NatGateway",
        "network:NetworkSecurityGroup",
        "network:PublicIPAddress",
        "network:PublicIPPrefix",
        NETWORK,
        "resources:ResourceGroup",
    }
)


def kind(resource: Resource) -> str | None:
    """Module and class, whatever the version; None for another provider's."""
    found = _TOKEN.fullmatch(resource.type)
    return f"{found['module']}:{found['name']}" if found else None
