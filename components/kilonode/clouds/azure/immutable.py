"""What cannot change in place on Azure: a change of such a path is another resource, or would cost a disk nobody may lose.

The SDK tries most of them in place, and is answered 409 after other resources have changed; a resized machine is moved,
and its local disks are empty then. So every resource sets ``replace_on_changes`` from here.
"""

from dataclasses import dataclass

_DOCS = "https://learn.microsoft.com/azure/"
_VM = "https://learn.microsoft.com/rest/api/compute/virtual-machines/create-or-update"
_NOT_ALLOWED = "PropertyChangeNotAllowed, https://github.com/MicrosoftDocs/azure-docs/issues/50922"
_SET = f"{_DOCS}virtual-machine-scale-sets/virtual-machine-scale-sets-upgrade-scale-set#properties-with-restrictions-on-modification"
_GALLERY = f"{_DOCS}virtual-machines/troubleshooting-shared-images#creating-or-modifying-image-definitions"
_TEMPLATE = f"{_DOCS}virtual-machines/linux/image-builder-troubleshoot: Update/Upgrade of image templates is currently not supported"
_STORAGE = "https://learn.microsoft.com/rest/api/storagerp/"
_PREFIX = f"{_DOCS}virtual-network/ip-services/public-ip-address-prefix#limitations"
_ROLE = "RoleAssignmentUpdateNotPermitted, https://github.com/JetBrains/teamcity-azure-template/issues/10"
_MOVE = f"{_DOCS}azure-resource-manager/management/move-support-resources: another location is another resource"
_DISKS = f"{_DOCS}virtual-machines/sizes/storage-optimized/lsv3-series: data on local disks is lost on deallocation"


@dataclass(frozen=True)
class Immutable:
    """One path of one resource type; ``kind`` is the SDK's module and class, ``path`` in the SDK's own spelling."""

    kind: str
    path: str
    why: str
    source: str


_LOCATED = (
    "compute:Gallery",
    "compute:GalleryImage",
    "compute:VirtualMachine",
    "compute:VirtualMachineScaleSet",
    "keyvault:Vault",
    "managedidentity:UserAssignedIdentity",
    "network:LoadBalancer",
    "network:NatGateway",
    "network:NetworkInterface",
    "network:NetworkSecurityGroup",
    "network:PublicIPPrefix",
    "network:VirtualNetwork",
    "resources:ResourceGroup",
    "storage:StorageAccount",
    "virtualmachineimages:VirtualMachineImageTemplate",
)
TABLE = (
    *(Immutable(kind, "location", "nothing moves between locations", _MOVE) for kind in _LOCATED),
    Immutable("network:Subnet", "addressPrefix", "not while a machine is in it", f"{_DOCS}virtual-network/virtual-network-manage-subnet#change-subnet-settings"),
    Immutable("network:NatGateway", "sku", "another SKU is another gateway", f"{_DOCS}nat-gateway/nat-sku"),
    Immutable("network:NatGateway", "zones", "chosen once", f"{_DOCS}nat-gateway/nat-gateway-resource#availability-zones"),
    Immutable("network:PublicIPPrefix", "prefixLength", "a range is never resized", _PREFIX),
    Immutable("network:PublicIPPrefix", "sku", "SKUs of public addresses do not change", f"{_DOCS}load-balancer/skus#limitations"),
    Immutable("network:PublicIPPrefix", "zones", "chosen once", _PREFIX),
    Immutable("network:LoadBalancer", "sku", "SKUs of load balancers do not change", f"{_DOCS}load-balancer/skus#limitations"),
    Immutable("network:VirtualNetworkPeering", "remoteVirtualNetwork", "a peering is never pointed at another network",
              "https://learn.microsoft.com/samples/azure-samples/network-dotnet-manage-network-peering/manage-network-peering-between-two-virtual-networks/"),
    Immutable("privatedns:VirtualNetworkLink", "virtualNetwork", "a link is never pointed at another network",
              "terraform-provider-azurerm, private_dns_zone_virtual_network_link: a change of virtual_network_id forces a new resource"),
    Immutable("compute:VirtualMachine", "hardwareProfile.vmSize", "a resize may move the machine: its local disks would be empty", _DISKS),
    Immutable("compute:VirtualMachine", "networkProfile.networkInterfaces", "the machine must be deallocated for it: its local disks would be empty",
              f"{_DOCS}virtual-network/virtual-network-network-interface-vm"),
    Immutable("compute:VirtualMachine", "osProfile.adminUsername", "cannot be updated once the machine is there", f"{_VM}: adminUsername"),
    Immutable("compute:VirtualMachine", "osProfile.computerName", "cannot be updated once the machine is there", f"{_VM}: computerName"),
    Immutable("compute:VirtualMachine", "osProfile.customData", "boot data is read at the first boot only", f"{_DOCS}virtual-machines/custom-data#faq"),
    Immutable("compute:VirtualMachine", "osProfile.linuxConfiguration", "keys are written at the first boot only", f"{_VM}: linuxConfiguration"),
    Immutable("compute:VirtualMachine", "priority", "a machine stays what it was made as", f"{_DOCS}virtual-machines/spot-vms"),
    Immutable("compute:VirtualMachine", "storageProfile.imageReference", "a machine keeps the image it was made from", _NOT_ALLOWED),
    Immutable("compute:VirtualMachine", "storageProfile.osDisk.createOption", "the disk is made once",
              "PropertyChangeNotAllowed, https://github.com/Azure/azure-powershell/issues/7621"),
    Immutable("compute:VirtualMachine", "storageProfile.osDisk.diffDiskSettings", "where the disk is, is chosen when it is made",
              f"{_DOCS}virtual-machines/ephemeral-os-disks"),
    Immutable("compute:VirtualMachine", "zones", "a machine stays in its zone", f"{_DOCS}virtual-machines/move-virtual-machines-regional-zonal-portal"),
    Immutable("compute:VirtualMachineScaleSet", "orchestrationMode", "set when the set is made",
              f"{_DOCS}virtual-machine-scale-sets/virtual-machine-scale-sets-orchestration-modes"),
    Immutable("compute:VirtualMachineScaleSet", "platformFaultDomainCount", "set when the set is made", _SET),
    Immutable("compute:VirtualMachineScaleSet", "singlePlacementGroup", "from true to false only",
              "https://learn.microsoft.com/rest/api/compute/virtual-machine-scale-sets/create-or-update: singlePlacementGroup"),
    Immutable("compute:VirtualMachineScaleSet", "virtualMachineProfile.osProfile.adminUsername", "set when the set is made",
              "terraform-provider-azurerm, linux_virtual_machine_scale_set: a change of admin_username forces a new resource"),
    Immutable("compute:VirtualMachineScaleSet", "virtualMachineProfile.osProfile.computerNamePrefix", "the names of its machines follow from it",
              "terraform-provider-azurerm, linux_virtual_machine_scale_set: a change of computer_name_prefix forces a new resource"),
    Immutable("compute:VirtualMachineScaleSet", "virtualMachineProfile.priority", "a set stays what it was made as", f"{_DOCS}virtual-machine-scale-sets/use-spot"),
    Immutable("compute:VirtualMachineScaleSet", "virtualMachineProfile.storageProfile.osDisk.diffDiskSettings", "where the disk is, is chosen when it is made",
              f"{_DOCS}virtual-machines/ephemeral-os-disks"),
    Immutable("compute:VirtualMachineScaleSet", "virtualMachineProfile.storageProfile.osDisk.managedDisk.storageAccountType", "set when the set is made", _SET),
    Immutable("compute:VirtualMachineScaleSet", "zones", "zones are added, never taken away", _SET),
    *(Immutable("compute:GalleryImage", path, "an image definition stays what it was made as", _GALLERY)
      for path in ("architecture", "hyperVGeneration", "identifier", "osState", "osType")),
    *(Immutable("virtualmachineimages:VirtualMachineImageTemplate", path, "a template is never updated", _TEMPLATE)
      for path in ("buildTimeoutInMinutes", "customize", "distribute", "source")),
    *(Immutable("authorization:RoleAssignment", path, "an assignment is never updated", _ROLE)
      for path in ("principalId", "principalType", "roleDefinitionId", "scope")),
    Immutable("keyvault:Vault", "properties.softDeleteRetentionInDays", "set when the vault is made", f"{_DOCS}key-vault/general/soft-delete-overview"),
    Immutable("keyvault:Vault", "properties.tenantId", "keys stay with the tenant they were made for", f"{_DOCS}key-vault/general/move-subscription"),
    Immutable("storage:StorageAccount", "immutableStorageWithVersioning", "set when the account is made", f"{_STORAGE}storage-accounts/create: immutableStorageWithVersioning"),
    Immutable("storage:StorageAccount", "isHnsEnabled", "set when the account is made, or by a migration of its own", f"{_DOCS}storage/blobs/upgrade-to-data-lake-storage-gen2"),
    Immutable("storage:BlobContainer", "immutableStorageWithVersioning", "set when the container is made", f"{_STORAGE}blob-containers/create: immutableStorageWithVersioning"),
)  # fmt: skip


def replace_on(kind: str) -> list[str]:
    """The paths of ``kind`` that make another resource when they change, for ``replace_on_changes``.

    Raises:
        KeyError: when the table knows nothing of ``kind``: then nobody has looked.
    """
    found = [row.path for row in TABLE if row.kind == kind]
    if not found:
        raise KeyError(f"{kind} has no row in the table of what cannot change in place")
    return found
