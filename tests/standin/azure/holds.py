"""What keeps a resource from being deleted: whoever uses it, and what lies in it.

Sources: the error codes as observed (InUseSubnetCannotBeDeleted github.com/hashicorp/terraform-provider-azurerm/issues/688,
NicInUse, PublicIPAddressCannotBeDeleted); Azure, Delete a private DNS zone (links first); Azure Compute Gallery (versions,
then definitions, then the gallery).
"""

from typing import Final

from . import ids, references
from .refusal import ArmError
from .store import Store, Stored

CODES: Final = {
    "network:Subnet": "InUseSubnetCannotBeDeleted",
    "network:VirtualNetwork": "InUseSubnetCannotBeDeleted",
    "network:NetworkInterface": "NicInUse",
    "network:NetworkSecurityGroup": "InUseNetworkSecurityGroupCannotBeDeleted",
    "network:RouteTable": "InUseRouteTableCannotBeDeleted",
    "network:NatGateway": "InUseNatGatewayCannotBeDeleted",
    "network:PublicIPAddress": "PublicIPAddressCannotBeDeleted",
    "network:PublicIPPrefix": "InUsePublicIpPrefixCannotBeDeleted",
    "network:LoadBalancer": "LoadBalancerInUseByVirtualMachineScaleSet",
    "compute:Disk": "DiskIsAttachedToVirtualMachine",
    "compute:AvailabilitySet": "OperationNotAllowed",
    "compute:ProximityPlacementGroup": "OperationNotAllowed",
    "authorization:RoleDefinition": "RoleDefinitionHasAssignments",
}
# These keep only what is named here of the things they refer to. An interface does not keep the load balancer whose pool
# it is in; a scale set does.
LOOSE: Final = {
    "network:NetworkInterface": {
        "network:Subnet",
        "network:VirtualNetwork",
        "network:NetworkSecurityGroup",
        "network:PublicIPAddress",
    },
    "authorization:RoleAssignment": {"authorization:RoleDefinition"},
    "network:VirtualNetworkPeering": set(),
    "privatedns:VirtualNetworkLink": set(),
    "compute:GalleryImageVersion": set(),
    "keyvault:Vault": set(),
    "storage:StorageAccount": set(),
    "virtualmachineimages:VirtualMachineImageTemplate": set(),
}
# Must be empty of these first; other contents go with the resource.
MUST_BE_EMPTY: Final = {
    "privatedns:PrivateZone": {"privatedns:VirtualNetworkLink"},
    "compute:Gallery": {"compute:GalleryImage"},
    "compute:GalleryImage": {"compute:GalleryImageVersion"},
}


def refuse(store: Store, resource: Stored) -> None:
    """Answer as Azure does to the deletion of what is in use or not empty."""
    if resource.token == "storage:BlobContainerImmutabilityPolicy":
        # The plugin sends no If-Match (github.com/pulumi/pulumi-azure-native/issues/2156).
        raise ArmError(
            412,
            "ContainerImmutabilityPolicyFailure",
            "Operation not allowed on immutability policy with incorrect etag.",
        )
    inside = MUST_BE_EMPTY.get(resource.token, set())
    nested = [each.id for each in store.beneath(resource.id) if each.token in inside]
    if nested:
        raise ArmError(
            409, "CannotDeleteResource", f"Cannot delete resource while nested resources exist: '{nested[0]}'"
        )
    if resource.token not in CODES:
        return
    start = ids.key(resource.id)
    for other in store.all():
        held = LOOSE.get(other.token)
        if (ids.key(other.id) + "/").startswith(start + "/") or (held is not None and resource.token not in held):
            continue
        for _, given in references.held_by(other.body):
            if ids.key(given) == start or ids.key(given).startswith(start + "/"):
                raise ArmError(
                    400, CODES[resource.token], f"'{resource.id}' is in use by '{other.id}' and cannot be deleted."
                )
