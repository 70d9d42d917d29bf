"""What Azure refuses to change in place, one row a property, each with its source.

The plugin replaces a resource only for parts of its id and a few more (see kinds.py); everything here it sends as an
update, which the cloud answers with 409.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from . import paths
from .changes import (
    Change,
    another,
    another_location,
    another_network,
    another_redundancy,
    any_change,
    from_true,
    shrinks,
    to_true,
)
from .kinds import Kind
from .refusal import ArmError

MODEL: Final = "the model's own text in azure-mgmt-"
SCALE_SET: Final = "Azure, Modify a Virtual Machine Scale Set: properties with restrictions on modification"
ISSUE: Final = "observed: github.com/"


@dataclass(frozen=True)
class Row:
    """A path, which changes of it are refused, how the answer is coded, and who says so."""

    path: str
    source: str
    refused: Change = any_change
    code: str = "PropertyChangeNotAllowed"


def _terraform(resource: str, *properties: str, **more: Any) -> tuple[Row, ...]:
    """Rows whose source is that Terraform makes a new resource for the same change."""
    return tuple(
        Row(each, f"terraform-provider-azurerm: ForceNew in azurerm_{resource}", **more) for each in properties
    )


VM: Final = "virtualMachineProfile."
IMAGE: Final = "storageProfile.imageReference"
OS_DISK: Final = "storageProfile.osDisk"
INTERFACES: Final = f"{VM}networkProfile.networkInterfaceConfigurations[]"
ZONES: Final = "ResourceAvailabilityZonesCannotBeModified"
SKU: Final = "SkuCannotBeChangedOnUpdate"
ACCOUNT: Final = "AccountPropertyCannotBeUpdated"
CONTAINER: Final = "ContainerPropertyCannotBeUpdated"
SHRINKING: Final = "Azure, Expand virtual hard disks: shrinking is not supported"

ROWS: Final[dict[str, tuple[Row, ...]]] = {
    "compute:VirtualMachine": (
        Row("osProfile.customData", f"{MODEL}compute: OSProfile; {ISSUE}Azure/azure-sdk-for-node/issues/2297"),
        Row("osProfile.adminUsername", f"{MODEL}compute: OSProfile"),
        Row("osProfile.adminPassword", f"{ISSUE}hashicorp/terraform/issues/6517"),
        Row("osProfile.computerName", f"{MODEL}compute: OSProfile"),
        Row("placement", f"{MODEL}compute: VirtualMachine"),
        Row("availabilitySet.id", f"{MODEL}compute: VirtualMachineProperties", another),
        Row("virtualMachineScaleSet.id", f"{MODEL}compute: VirtualMachineProperties", another),
        Row(f"{OS_DISK}.createOption", f"{ISSUE}Azure/azure-powershell/issues/7621"),
        Row(f"{OS_DISK}.diskSizeGB", SHRINKING, shrinks),
        *_terraform("linux_virtual_machine", f"{IMAGE}.id", refused=another),
        *_terraform("linux_virtual_machine", *(f"{IMAGE}.{part}" for part in ("publisher", "offer", "sku", "version"))),
        *_terraform("linux_virtual_machine", *(f"{OS_DISK}.{part}" for part in ("name", "osType", "diffDiskSettings"))),
        *_terraform("linux_virtual_machine", "zones", "platformFaultDomain", "priority", "evictionPolicy", "plan"),
        *_terraform("linux_virtual_machine", "securityProfile.securityType", "securityProfile.uefiSettings"),
        *_terraform(
            "linux_virtual_machine",
            "osProfile.linuxConfiguration.ssh.publicKeys",
            "osProfile.linuxConfiguration.disablePasswordAuthentication",
            "osProfile.linuxConfiguration.provisionVMAgent",
        ),
    ),
    "compute:VirtualMachineScaleSet": (
        Row("zones", f"{SCALE_SET}; {ISSUE}Azure/azure-powershell/issues/4704"),
        Row("platformFaultDomainCount", f"{ISSUE}MicrosoftDocs/azure-docs/issues/108952"),
        Row("singlePlacementGroup", f"{SCALE_SET}; {MODEL}compute", to_true),
        Row("orchestrationMode", "Azure, Orchestration modes: the mode is set at creation and cannot be changed later"),
        Row(f"{VM}{IMAGE}.publisher", SCALE_SET),
        Row(f"{VM}{IMAGE}.offer", SCALE_SET),
        Row(f"{VM}{OS_DISK}.managedDisk.storageAccountType", SCALE_SET),
        Row(f"{INTERFACES}.ipConfigurations[].subnet.id", SCALE_SET, another_network),
        *_terraform("linux_virtual_machine_scale_set", "hostGroup.id", "proximityPlacementGroup.id", refused=another),
        *_terraform("linux_virtual_machine_scale_set", "zoneBalance", f"{VM}{OS_DISK}.diffDiskSettings"),
        *_terraform(
            "linux_virtual_machine_scale_set", f"{VM}priority", f"{VM}evictionPolicy", f"{VM}capacityReservation"
        ),
        *_terraform(
            "linux_virtual_machine_scale_set", f"{VM}osProfile.adminUsername", f"{VM}osProfile.computerNamePrefix"
        ),
    ),
    "compute:Disk": (
        Row("creationData", f"{MODEL}compute: DiskProperties"),
        Row("diskSizeGB", SHRINKING, shrinks),
        *_terraform("managed_disk", "zones", "hyperVGeneration"),
    ),
    "compute:AvailabilitySet": _terraform(
        "availability_set", "platformFaultDomainCount", "platformUpdateDomainCount", "sku.name"
    ),
    "compute:ProximityPlacementGroup": _terraform("proximity_placement_group", "zones"),
    "compute:GalleryImage": _terraform(
        "shared_image", "osType", "osState", "hyperVGeneration", "architecture", "identifier", "purchasePlan"
    ),
    "compute:GalleryImageVersion": (
        Row("publishingProfile.replicationMode", f"{MODEL}compute: GalleryArtifactPublishingProfileBase"),
        Row("publishingProfile.storageAccountType", f"{MODEL}compute: GalleryArtifactPublishingProfileBase"),
        *_terraform("shared_image_version", "storageProfile"),
    ),
    "network:NetworkInterface": (
        Row(
            "ipConfigurations[].subnet.id",
            "Azure, Create, change, or delete a network interface: only to a subnet of the same virtual network",
            another_network,
            "InvalidRequest",
        ),
    ),
    "network:PublicIPAddress": (
        Row("sku.name", f"{ISSUE}Azure/azure-cli/issues/12570", code=SKU),
        Row("zones", f"{ISSUE}Azure/AzOps/issues/701", code=ZONES),
        Row("publicIPAllocationMethod", "Azure, Public IP addresses: a Standard address is always static"),
        *_terraform("public_ip", "publicIPAddressVersion"),
        *_terraform("public_ip", "publicIPPrefix.id", refused=another),
    ),
    "network:PublicIPPrefix": (
        *_terraform("public_ip_prefix", "prefixLength", "sku.name"),
        *_terraform("public_ip_prefix", "zones", code=ZONES),
    ),
    "network:LoadBalancer": (
        Row(
            "frontendIPConfigurations[].subnet.id",
            "Azure, Load Balancer components: one virtual network",
            another_network,
        ),
        *_terraform("lb", "sku.name", code=SKU),
        *_terraform("lb", "frontendIPConfigurations[].zones", code=ZONES),
    ),
    "network:NatGateway": (*_terraform("nat_gateway", "sku.name"), *_terraform("nat_gateway", "zones", code=ZONES)),
    "network:VirtualNetworkPeering": _terraform(
        "virtual_network_peering", "remoteVirtualNetwork.id", refused=another, code="CannotChangeRemoteVirtualNetwork"
    ),
    "privatedns:VirtualNetworkLink": _terraform(
        "private_dns_zone_virtual_network_link", "virtualNetwork.id", refused=another
    ),
    "authorization:RoleAssignment": _terraform(
        "role_assignment",
        "principalId",
        "roleDefinitionId",
        "principalType",
        "delegatedManagedIdentityResourceId",
        refused=another,
        code="RoleAssignmentUpdateNotPermitted",
    ),
    "keyvault:Vault": (
        Row("properties.tenantId", "Azure, Move a vault to another tenant: not by an update", code="BadRequest"),
        Row("properties.enableSoftDelete", f"{MODEL}keyvault: VaultProperties", from_true, "BadRequest"),
        Row("properties.enablePurgeProtection", f"{MODEL}keyvault: VaultProperties", from_true, "BadRequest"),
        *_terraform("key_vault", "properties.softDeleteRetentionInDays", code="BadRequest"),
    ),
    "storage:StorageAccount": (
        Row("sku.name", f"{MODEL}storage: StorageAccountUpdateParameters", another_redundancy, ACCOUNT),
        Row("immutableStorageWithVersioning", f"{MODEL}storage", code=ACCOUNT),
        *_terraform("storage_account", "kind", "enableNfsV3", code=ACCOUNT),
        *_terraform("storage_account", "encryption.requireInfrastructureEncryption", code=ACCOUNT),
    ),
    "storage:BlobContainer": (
        Row("immutableStorageWithVersioning", f"{MODEL}storage: ContainerProperties", code=CONTAINER),
        *_terraform("storage_container", "defaultEncryptionScope", code=CONTAINER),
    ),
    # The model of an update carries tags, identity, distribute and vmProfile only; an existing template answers Conflict to
    # the PUT the plugin sends (Azure, Troubleshoot VM Image Builder: update of image templates is not supported).
    "virtualmachineimages:VirtualMachineImageTemplate": tuple(
        Row(path, f"{MODEL}imagebuilder: ImageTemplateUpdateParameters", code="Conflict")
        for path in ("source", "customize", "distribute", "validate", "optimize", "buildTimeoutInMinutes", "vmProfile")
    ),
}


def refuse(kind: Kind, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    """Answer 409 if the update changes what cannot change in place."""
    if "location" in new and "location" in old and another_location(old["location"], new["location"]):
        raise ArmError(409, "InvalidResourceLocation", f"The resource already exists in location '{old['location']}'")
    for row in ROWS.get(kind.token, ()):
        before, after = paths.find(old, row.path), paths.find(new, row.path)
        pairs = zip(before, after, strict=False) if "[]" in row.path else [(before[0], after[0])]
        if any(a != b and row.refused(a, b) for a, b in pairs):
            shown = row.path.removeprefix("properties.")
            raise ArmError(409, row.code, f"Changing property '{shown}' is not allowed.")
