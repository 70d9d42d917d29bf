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
TERRAFORM: Final = "terraform-provider-azurerm: ForceNew in azurerm_"
SCALE_SET: Final = "Azure, Modify a Virtual Machine Scale Set: properties with restrictions on modification"
ISSUE: Final = "observed: github.com/"


@dataclass(frozen=True)
class Row:
    """A path, which changes of it are refused, how the answer is coded, and who says so."""

    path: str
    source: str
    refused: Change = any_change
    code: str = "PropertyChangeNotAllowed"


VM: Final = "virtualMachineProfile."
IMAGE: Final = "storageProfile.imageReference"
ROWS: Final[dict[str, tuple[Row, ...]]] = {
    "compute:VirtualMachine": (
        Row("osProfile.customData", f"{MODEL}compute: OSProfile; {ISSUE}Azure/azure-sdk-for-node/issues/2297"),
        Row("osProfile.adminUsername", f"{MODEL}compute: OSProfile"),
        Row("osProfile.adminPassword", f"{ISSUE}hashicorp/terraform/issues/6517"),
        Row("osProfile.computerName", f"{MODEL}compute: OSProfile"),
        Row("osProfile.linuxConfiguration.ssh.publicKeys", f"{TERRAFORM}linux_virtual_machine: admin_ssh_key"),
        Row("osProfile.linuxConfiguration.disablePasswordAuthentication", f"{TERRAFORM}linux_virtual_machine"),
        Row("osProfile.linuxConfiguration.provisionVMAgent", f"{TERRAFORM}linux_virtual_machine"),
        Row("zones", f"{TERRAFORM}linux_virtual_machine: zone"),
        Row("placement", f"{MODEL}compute: VirtualMachine"),
        Row("availabilitySet.id", f"{MODEL}compute: VirtualMachineProperties", another),
        Row("virtualMachineScaleSet.id", f"{MODEL}compute: VirtualMachineProperties", another),
        Row("platformFaultDomain", f"{TERRAFORM}linux_virtual_machine"),
        Row("priority", f"{TERRAFORM}linux_virtual_machine"),
        Row("evictionPolicy", f"{TERRAFORM}linux_virtual_machine"),
        Row(f"{IMAGE}.id", f"{TERRAFORM}linux_virtual_machine: source_image_id", another),
        Row(f"{IMAGE}.publisher", f"{TERRAFORM}linux_virtual_machine: source_image_reference"),
        Row(f"{IMAGE}.offer", f"{TERRAFORM}linux_virtual_machine: source_image_reference"),
        Row(f"{IMAGE}.sku", f"{TERRAFORM}linux_virtual_machine: source_image_reference"),
        Row(f"{IMAGE}.version", f"{TERRAFORM}linux_virtual_machine: source_image_reference"),
        Row("storageProfile.osDisk.name", f"{TERRAFORM}linux_virtual_machine: os_disk"),
        Row("storageProfile.osDisk.createOption", f"{ISSUE}Azure/azure-powershell/issues/7621"),
        Row("storageProfile.osDisk.osType", f"{TERRAFORM}virtual_machine: os_type"),
        Row("storageProfile.osDisk.diffDiskSettings", f"{TERRAFORM}linux_virtual_machine: os_disk"),
        Row(
            "storageProfile.osDisk.diskSizeGB", "Azure, Expand virtual hard disks: shrinking is not supported", shrinks
        ),
        Row("securityProfile.securityType", f"{TERRAFORM}linux_virtual_machine: secure_boot_enabled, vtpm_enabled"),
        Row("securityProfile.uefiSettings", f"{TERRAFORM}linux_virtual_machine: secure_boot_enabled, vtpm_enabled"),
        Row("plan", f"{TERRAFORM}linux_virtual_machine: plan"),
    ),
    "compute:VirtualMachineScaleSet": (
        Row("zones", f"{SCALE_SET}; {ISSUE}Azure/azure-powershell/issues/4704"),
        Row("platformFaultDomainCount", f"{ISSUE}MicrosoftDocs/azure-docs/issues/108952"),
        Row("singlePlacementGroup", f"{SCALE_SET}; {MODEL}compute", to_true),
        Row("orchestrationMode", "Azure, Orchestration modes: the mode is set at creation and cannot be changed later"),
        Row("hostGroup.id", f"{TERRAFORM}linux_virtual_machine_scale_set", another),
        Row("proximityPlacementGroup.id", f"{TERRAFORM}linux_virtual_machine_scale_set", another),
        Row("zoneBalance", f"{TERRAFORM}linux_virtual_machine_scale_set"),
        Row(f"{VM}osProfile.adminUsername", f"{TERRAFORM}linux_virtual_machine_scale_set"),
        Row(f"{VM}osProfile.computerNamePrefix", f"{TERRAFORM}linux_virtual_machine_scale_set"),
        Row(f"{VM}priority", f"{TERRAFORM}linux_virtual_machine_scale_set"),
        Row(f"{VM}evictionPolicy", f"{TERRAFORM}linux_virtual_machine_scale_set"),
        Row(f"{VM}capacityReservation", f"{TERRAFORM}linux_virtual_machine_scale_set"),
        Row(f"{VM}{IMAGE}.publisher", SCALE_SET),
        Row(f"{VM}{IMAGE}.offer", SCALE_SET),
        Row(f"{VM}storageProfile.osDisk.managedDisk.storageAccountType", SCALE_SET),
        Row(f"{VM}storageProfile.osDisk.diffDiskSettings", f"{TERRAFORM}linux_virtual_machine_scale_set: os_disk"),
        Row(
            f"{VM}networkProfile.networkInterfaceConfigurations[].ipConfigurations[].subnet.id",
            SCALE_SET,
            another_network,
        ),
    ),
    "compute:Disk": (
        Row("creationData", f"{MODEL}compute: DiskProperties"),
        Row("zones", f"{TERRAFORM}managed_disk: zone"),
        Row("diskSizeGB", "Azure, Expand virtual hard disks: shrinking is not supported", shrinks),
        Row("hyperVGeneration", f"{TERRAFORM}managed_disk"),
    ),
    "compute:AvailabilitySet": (
        Row("platformFaultDomainCount", f"{TERRAFORM}availability_set"),
        Row("platformUpdateDomainCount", f"{TERRAFORM}availability_set"),
        Row("sku.name", f"{TERRAFORM}availability_set: managed"),
    ),
    "compute:ProximityPlacementGroup": (Row("zones", f"{TERRAFORM}proximity_placement_group: zone"),),
    "compute:GalleryImage": tuple(
        Row(path, f"{TERRAFORM}shared_image")
        for path in ("osType", "osState", "hyperVGeneration", "architecture", "identifier", "purchasePlan")
    ),
    "compute:GalleryImageVersion": (
        Row("storageProfile", f"{TERRAFORM}shared_image_version: managed_image_id, os_disk_snapshot_id"),
        Row("publishingProfile.replicationMode", f"{MODEL}compute: GalleryArtifactPublishingProfileBase"),
        Row("publishingProfile.storageAccountType", f"{MODEL}compute: GalleryArtifactPublishingProfileBase"),
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
        Row("sku.name", f"{ISSUE}Azure/azure-cli/issues/12570", code="SkuCannotBeChangedOnUpdate"),
        Row("zones", f"{ISSUE}Azure/AzOps/issues/701", code="ResourceAvailabilityZonesCannotBeModified"),
        Row("publicIPAddressVersion", f"{TERRAFORM}public_ip: ip_version"),
        Row("publicIPAllocationMethod", "Azure, Public IP addresses: a Standard address is always static"),
        Row("publicIPPrefix.id", f"{TERRAFORM}public_ip: public_ip_prefix_id", another),
    ),
    "network:PublicIPPrefix": (
        Row("prefixLength", f"{TERRAFORM}public_ip_prefix"),
        Row("sku.name", f"{TERRAFORM}public_ip_prefix"),
        Row("zones", f"{TERRAFORM}public_ip_prefix", code="ResourceAvailabilityZonesCannotBeModified"),
    ),
    "network:LoadBalancer": (
        Row("sku.name", f"{TERRAFORM}lb: sku", code="SkuCannotBeChangedOnUpdate"),
        Row(
            "frontendIPConfigurations[].zones",
            f"{TERRAFORM}lb: frontend_ip_configuration.zones",
            code="ResourceAvailabilityZonesCannotBeModified",
        ),
        Row(
            "frontendIPConfigurations[].subnet.id",
            "Azure, Load Balancer components: one virtual network",
            another_network,
        ),
    ),
    "network:NatGateway": (
        Row("sku.name", f"{TERRAFORM}nat_gateway"),
        Row("zones", f"{TERRAFORM}nat_gateway", code="ResourceAvailabilityZonesCannotBeModified"),
    ),
    "network:VirtualNetworkPeering": (
        Row(
            "remoteVirtualNetwork.id",
            f"{TERRAFORM}virtual_network_peering",
            another,
            "CannotChangeRemoteVirtualNetwork",
        ),
    ),
    "privatedns:VirtualNetworkLink": (
        Row("virtualNetwork.id", f"{TERRAFORM}private_dns_zone_virtual_network_link", another),
    ),
    "authorization:RoleAssignment": tuple(
        Row(path, f"{TERRAFORM}role_assignment", another, "RoleAssignmentUpdateNotPermitted")
        for path in ("principalId", "roleDefinitionId", "principalType", "delegatedManagedIdentityResourceId")
    ),
    "keyvault:Vault": (
        Row("properties.tenantId", "Azure, Move a vault to another tenant: not by an update", code="BadRequest"),
        Row("properties.enableSoftDelete", f"{MODEL}keyvault: VaultProperties", from_true, "BadRequest"),
        Row("properties.softDeleteRetentionInDays", f"{TERRAFORM}key_vault: set once", code="BadRequest"),
        Row("properties.enablePurgeProtection", f"{MODEL}keyvault: VaultProperties", from_true, "BadRequest"),
    ),
    "storage:StorageAccount": (
        Row(
            "sku.name",
            f"{MODEL}storage: StorageAccountUpdateParameters",
            another_redundancy,
            "AccountPropertyCannotBeUpdated",
        ),
        Row("kind", f"{TERRAFORM}storage_account: account_kind", code="AccountPropertyCannotBeUpdated"),
        Row("enableNfsV3", f"{TERRAFORM}storage_account: nfsv3_enabled", code="AccountPropertyCannotBeUpdated"),
        Row("immutableStorageWithVersioning", f"{MODEL}storage", code="AccountPropertyCannotBeUpdated"),
        Row(
            "encryption.requireInfrastructureEncryption",
            f"{TERRAFORM}storage_account",
            code="AccountPropertyCannotBeUpdated",
        ),
    ),
    "storage:BlobContainer": (
        Row(
            "immutableStorageWithVersioning",
            f"{MODEL}storage: ContainerProperties",
            code="ContainerPropertyCannotBeUpdated",
        ),
        Row("defaultEncryptionScope", f"{TERRAFORM}storage_container", code="ContainerPropertyCannotBeUpdated"),
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
