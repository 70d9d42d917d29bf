"""Who a machine is to Azure, and what it may do: an identity of its own, with rights on its own things only."""

from dataclasses import dataclass
from uuid import UUID, uuid5

import pulumi
import pulumi_azure_native as azure

from kilonode.clouds.azure.guard import guarded
from kilonode.clouds.azure.place import ROLE, Place

SECRETS_USER = "4633458b-17de-408a-b874-0445c86b69e6"
"""Key Vault Secrets User: reads values (https://learn.microsoft.com/azure/role-based-access-control/built-in-roles)."""

SECRETS_OFFICER = "b86a8fe4-44ce-4948-aee5-eccb2c155cd7"
"""Key Vault Secrets Officer: reads, writes and deletes secrets; whoever runs the stack needs it to delete one."""

_NAMESPACE = UUID("6f3f2b5e-6a53-5d0c-9a55-0d2f6f9c6f4e")
_BLOBS = "Microsoft.Storage/storageAccounts/blobServices/containers/blobs"


@dataclass(frozen=True)
class OwnRole:
    """A role of the region's own: the built-in ones that write may delete, too."""

    key: str
    what: str
    data_actions: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()


READS_AND_ADDS = OwnRole("marks", "reads blobs and makes new ones", (f"{_BLOBS}/read", f"{_BLOBS}/add/action"))
WRITES = OwnRole("snapshots", "writes blobs in blocks and deletes none", (f"{_BLOBS}/write", f"{_BLOBS}/add/action"))
"""Put Block and Put Block List need write, which may replace what is there; the container's immutable window forbids that
(https://learn.microsoft.com/rest/api/storageservices/authorize-with-azure-active-directory#permissions-for-blob-service-operations)."""

WRITES_IMAGES = OwnRole(
    "images",
    "writes versions of gallery images and plain images, and deletes no version",
    actions=(
        "Microsoft.Compute/galleries/read",
        "Microsoft.Compute/galleries/images/read",
        "Microsoft.Compute/galleries/images/versions/read",
        "Microsoft.Compute/galleries/images/versions/write",
        "Microsoft.Compute/images/read",
        "Microsoft.Compute/images/write",
        "Microsoft.Compute/images/delete",
    ),
)
"""What the image builder asks for in the group it distributes to; a plain image may be what it makes a version from
(https://learn.microsoft.com/azure/virtual-machines/linux/image-builder-permissions-cli#allow-vm-image-builder-to-distribute-images)."""


def identity(
    place: Place, name: str, role: str, opts: pulumi.ResourceOptions
) -> azure.managedidentity.UserAssignedIdentity:
    """The identity called ``name`` of machines that serve ``role``."""
    return azure.managedidentity.UserAssignedIdentity(
        f"{name}-identity",
        resource_group_name=place.group,
        resource_name_=name,
        location=place.location,
        tags=place.tags(role),
        # A change of tags would leave the preview without its principal, and role assignments would seem to be replaced.
        opts=guarded("managedidentity:UserAssignedIdentity", opts, place.resource, ignore=["tags"]),
    )


def grant(
    name: str,
    who: azure.managedidentity.UserAssignedIdentity,
    role: pulumi.Input[str],
    scope: pulumi.Input[str],
    opts: pulumi.ResourceOptions,
) -> azure.authorization.RoleAssignment:
    """Let ``who`` do what ``role`` may, within ``scope``."""
    return azure.authorization.RoleAssignment(
        name,
        scope=scope,
        principal_id=who.principal_id,
        # Else Azure looks the identity up, where it may not have arrived yet.
        principal_type="ServicePrincipal",
        role_definition_id=role,
        opts=guarded("authorization:RoleAssignment", opts),
    )


def region_role(place: Place, role: OwnRole, opts: pulumi.ResourceOptions) -> azure.authorization.RoleDefinition:
    """``role`` as one that may be given within the region's group; its name is one among all of the tenant."""
    plan, group = place.plan, place.resource.id
    own = f"{plan.name}/{plan.resource_group}/{plan.cloud.location}/{role.key}"
    subscription = place.client.subscription_id
    return azure.authorization.RoleDefinition(
        f"{plan.name}-role-{role.key}",
        scope=group,
        role_definition_id=subscription.apply(lambda it: str(uuid5(_NAMESPACE, f"{it}/{own}"))),
        role_name=subscription.apply(lambda it: f"kilonode {own} {it}"),
        role_type="CustomRole",
        description=role.what,
        permissions=[
            azure.authorization.PermissionArgs(
                actions=list(role.actions), not_actions=[], data_actions=list(role.data_actions)
            )
        ],
        assignable_scopes=[group],
        opts=guarded("authorization:RoleDefinition", opts, place.resource),
    )


def officer(place: Place, scope: pulumi.Input[str], opts: pulumi.ResourceOptions) -> azure.authorization.RoleAssignment:
    """Let whoever made the region write and delete its secrets; another person who runs the stack changes nothing."""
    return azure.authorization.RoleAssignment(
        f"{place.plan.name}-{ROLE}-officer",
        scope=scope,
        principal_id=place.client.object_id,
        role_definition_id=place.role(SECRETS_OFFICER),
        opts=guarded("authorization:RoleAssignment", opts, ignore=["principalId"]),
    )
