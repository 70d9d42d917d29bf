"""What Azure answers with 409, as it cannot change in place."""

from typing import Any

import pytest

from tests.standin.azure import ids, immutable
from tests.standin.azure.kinds import KINDS
from tests.standin.azure.refusal import ArmError
from tests.standin.inputs import CONTROL, GOOD, NET, NODES, good

NIC, VM, VMSS = "network:NetworkInterface", "compute:VirtualMachine", "compute:VirtualMachineScaleSet"

WINDOW = "storage:BlobContainerImmutabilityPolicy"

PROFILE = "virtualMachineProfile"


# Type, path, another value, the code of the answer: what cannot change in place.
CHANGES: list[tuple[str, str, Any, str]] = [
    (VM, "osProfile.customData", "bmV3", "PropertyChangeNotAllowed"),
    (VM, "osProfile.adminUsername", "another", "PropertyChangeNotAllowed"),
    (VM, "osProfile.adminPassword", "another", "PropertyChangeNotAllowed"),
    (VM, "osProfile.computerName", "another", "PropertyChangeNotAllowed"),
    (VM, "osProfile.linuxConfiguration.ssh.publicKeys[0].keyData", "ssh-rsa", "PropertyChangeNotAllowed"),
    (VM, "osProfile.linuxConfiguration.disablePasswordAuthentication", False, "PropertyChangeNotAllowed"),
    (VM, "osProfile.linuxConfiguration.provisionVMAgent", False, "PropertyChangeNotAllowed"),
    (VM, "zones", ["2"], "PropertyChangeNotAllowed"),
    (VM, "placement", {"zonePlacementPolicy": "Any"}, "PropertyChangeNotAllowed"),
    (VM, "availabilitySet", {"id": "/another"}, "PropertyChangeNotAllowed"),
    (VM, "virtualMachineScaleSet", {"id": "/another"}, "PropertyChangeNotAllowed"),
    (VM, "platformFaultDomain", 1, "PropertyChangeNotAllowed"),
    (VM, "priority", "Spot", "PropertyChangeNotAllowed"),
    (VM, "evictionPolicy", "Delete", "PropertyChangeNotAllowed"),
    (VM, "storageProfile.imageReference.id", "/another", "PropertyChangeNotAllowed"),
    (VM, "storageProfile.imageReference.publisher", "another", "PropertyChangeNotAllowed"),
    (VM, "storageProfile.imageReference.offer", "another", "PropertyChangeNotAllowed"),
    (VM, "storageProfile.imageReference.sku", "another", "PropertyChangeNotAllowed"),
    (VM, "storageProfile.imageReference.version", "another", "PropertyChangeNotAllowed"),
    (VM, "storageProfile.osDisk.name", "another", "PropertyChangeNotAllowed"),
    (VM, "storageProfile.osDisk.createOption", "Attach", "PropertyChangeNotAllowed"),
    (VM, "storageProfile.osDisk.osType", "Windows", "PropertyChangeNotAllowed"),
    (VM, "storageProfile.osDisk.diffDiskSettings", {"option": "Local"}, "PropertyChangeNotAllowed"),
    (VM, "storageProfile.osDisk.diskSizeGB", 32, "PropertyChangeNotAllowed"),
    (VM, "securityProfile.securityType", "TrustedLaunch", "PropertyChangeNotAllowed"),
    (VM, "securityProfile.uefiSettings", {"vTpmEnabled": True}, "PropertyChangeNotAllowed"),
    (VM, "plan", {"name": "another"}, "PropertyChangeNotAllowed"),
    (VMSS, "zones", ["1", "2"], "PropertyChangeNotAllowed"),
    (VMSS, "platformFaultDomainCount", 5, "PropertyChangeNotAllowed"),
    (VMSS, "singlePlacementGroup", True, "PropertyChangeNotAllowed"),
    (VMSS, "orchestrationMode", "Flexible", "PropertyChangeNotAllowed"),
    (VMSS, "hostGroup", {"id": "/another"}, "PropertyChangeNotAllowed"),
    (VMSS, "proximityPlacementGroup", {"id": "/another"}, "PropertyChangeNotAllowed"),
    (VMSS, "zoneBalance", True, "PropertyChangeNotAllowed"),
    (VMSS, f"{PROFILE}.osProfile.adminUsername", "another", "PropertyChangeNotAllowed"),
    (VMSS, f"{PROFILE}.osProfile.computerNamePrefix", "another", "PropertyChangeNotAllowed"),
    (VMSS, f"{PROFILE}.priority", "Spot", "PropertyChangeNotAllowed"),
    (VMSS, f"{PROFILE}.evictionPolicy", "Delete", "PropertyChangeNotAllowed"),
    (VMSS, f"{PROFILE}.capacityReservation", {"capacityReservationGroup": {}}, "PropertyChangeNotAllowed"),
    (VMSS, f"{PROFILE}.storageProfile.imageReference.publisher", "another", "PropertyChangeNotAllowed"),
    (VMSS, f"{PROFILE}.storageProfile.imageReference.offer", "another", "PropertyChangeNotAllowed"),
    (
        VMSS,
        f"{PROFILE}.storageProfile.osDisk.managedDisk.storageAccountType",
        "Standard_LRS",
        "PropertyChangeNotAllowed",
    ),
    (VMSS, f"{PROFILE}.storageProfile.osDisk.diffDiskSettings", {"option": "Local"}, "PropertyChangeNotAllowed"),
    (
        VMSS,
        f"{PROFILE}.networkProfile.networkInterfaceConfigurations[0].ipConfigurations[2].subnet.id",
        f"{NET}/virtualNetworks/other/subnets/nodes",
        "PropertyChangeNotAllowed",
    ),
    ("compute:Disk", "creationData.createOption", "Copy", "PropertyChangeNotAllowed"),
    ("compute:Disk", "zones", ["2"], "PropertyChangeNotAllowed"),
    ("compute:Disk", "diskSizeGB", 32, "PropertyChangeNotAllowed"),
    ("compute:Disk", "hyperVGeneration", "V1", "PropertyChangeNotAllowed"),
    ("compute:AvailabilitySet", "platformFaultDomainCount", 3, "PropertyChangeNotAllowed"),
    ("compute:AvailabilitySet", "platformUpdateDomainCount", 3, "PropertyChangeNotAllowed"),
    ("compute:AvailabilitySet", "sku.name", "Classic", "PropertyChangeNotAllowed"),
    ("compute:ProximityPlacementGroup", "zones", ["2"], "PropertyChangeNotAllowed"),
    ("compute:GalleryImage", "osType", "Windows", "PropertyChangeNotAllowed"),
    ("compute:GalleryImage", "osState", "Specialized", "PropertyChangeNotAllowed"),
    ("compute:GalleryImage", "hyperVGeneration", "V1", "PropertyChangeNotAllowed"),
    ("compute:GalleryImage", "architecture", "Arm64", "PropertyChangeNotAllowed"),
    ("compute:GalleryImage", "identifier.sku", "2", "PropertyChangeNotAllowed"),
    ("compute:GalleryImage", "purchasePlan", {"name": "p"}, "PropertyChangeNotAllowed"),
    ("compute:GalleryImageVersion", "storageProfile.source.id", "/another", "PropertyChangeNotAllowed"),
    ("compute:GalleryImageVersion", "publishingProfile.replicationMode", "Shallow", "PropertyChangeNotAllowed"),
    ("compute:GalleryImageVersion", "publishingProfile.storageAccountType", "Standard_LRS", "PropertyChangeNotAllowed"),
    (NIC, "ipConfigurations[0].subnet.id", f"{NET}/virtualNetworks/other/subnets/control", "InvalidRequest"),
    ("network:PublicIPAddress", "sku.name", "Basic", "SkuCannotBeChangedOnUpdate"),
    ("network:PublicIPAddress", "zones", ["1"], "ResourceAvailabilityZonesCannotBeModified"),
    ("network:PublicIPAddress", "publicIPAddressVersion", "IPv6", "PropertyChangeNotAllowed"),
    ("network:PublicIPAddress", "publicIPAllocationMethod", "Dynamic", "PropertyChangeNotAllowed"),
    ("network:PublicIPAddress", "publicIPPrefix", {"id": "/another"}, "PropertyChangeNotAllowed"),
    ("network:PublicIPPrefix", "prefixLength", 31, "PropertyChangeNotAllowed"),
    ("network:PublicIPPrefix", "sku.name", "StandardV2", "PropertyChangeNotAllowed"),
    ("network:PublicIPPrefix", "zones", ["1"], "ResourceAvailabilityZonesCannotBeModified"),
    ("network:LoadBalancer", "sku.name", "Basic", "SkuCannotBeChangedOnUpdate"),
    ("network:LoadBalancer", "frontendIPConfigurations[0].zones", ["1"], "ResourceAvailabilityZonesCannotBeModified"),
    (
        "network:LoadBalancer",
        "frontendIPConfigurations[0].subnet.id",
        f"{NET}/virtualNetworks/other/subnets/control",
        "PropertyChangeNotAllowed",
    ),
    ("network:NatGateway", "sku.name", "StandardV2", "PropertyChangeNotAllowed"),
    ("network:NatGateway", "zones", ["1"], "ResourceAvailabilityZonesCannotBeModified"),
    (
        "network:VirtualNetworkPeering",
        "remoteVirtualNetwork.id",
        f"{NET}/virtualNetworks/network",
        "CannotChangeRemoteVirtualNetwork",
    ),
    ("privatedns:VirtualNetworkLink", "virtualNetwork.id", f"{NET}/virtualNetworks/other", "PropertyChangeNotAllowed"),
    ("authorization:RoleAssignment", "principalId", ids.TENANT, "RoleAssignmentUpdateNotPermitted"),
    ("authorization:RoleAssignment", "roleDefinitionId", "/another", "RoleAssignmentUpdateNotPermitted"),
    ("authorization:RoleAssignment", "principalType", "User", "RoleAssignmentUpdateNotPermitted"),
    (
        "authorization:RoleAssignment",
        "delegatedManagedIdentityResourceId",
        "/another",
        "RoleAssignmentUpdateNotPermitted",
    ),
    ("keyvault:Vault", "properties.tenantId", ids.CLIENT, "BadRequest"),
    ("keyvault:Vault", "properties.softDeleteRetentionInDays", 90, "BadRequest"),
    ("storage:StorageAccount", "sku.name", "Standard_LRS", "AccountPropertyCannotBeUpdated"),
    ("storage:StorageAccount", "sku.name", "Premium_LRS", "AccountPropertyCannotBeUpdated"),
    ("storage:StorageAccount", "kind", "BlobStorage", "AccountPropertyCannotBeUpdated"),
    ("storage:StorageAccount", "enableNfsV3", True, "AccountPropertyCannotBeUpdated"),
    ("storage:StorageAccount", "immutableStorageWithVersioning", {"enabled": True}, "AccountPropertyCannotBeUpdated"),
    ("storage:StorageAccount", "encryption.requireInfrastructureEncryption", True, "AccountPropertyCannotBeUpdated"),
    ("storage:BlobContainer", "immutableStorageWithVersioning", {"enabled": True}, "ContainerPropertyCannotBeUpdated"),
    ("storage:BlobContainer", "defaultEncryptionScope", "another", "ContainerPropertyCannotBeUpdated"),
    *[
        ("virtualmachineimages:VirtualMachineImageTemplate", path, value, "Conflict")
        for path, value in {
            "source.sku": "13",
            "customize[0].inline": ["false"],
            "distribute[0].runOutputName": "another",
            "validate": {},
            "optimize": {},
            "buildTimeoutInMinutes": 60,
            "vmProfile.vmSize": "Standard_D4s_v5",
        }.items()
    ],
    *[(token, "location", "westeurope", "InvalidResourceLocation") for token in GOOD if "location" in GOOD[token]],
]


@pytest.mark.parametrize(("token", "path", "value", "code"), CHANGES, ids=[f"{row[0]}-{row[1]}" for row in CHANGES])
def test_what_cannot_change_in_place_is_answered_409(token: str, path: str, value: Any, code: str) -> None:
    before = good(token)
    immutable.refuse(KINDS[token], before, good(token))
    with pytest.raises(ArmError) as fault:
        immutable.refuse(KINDS[token], before, good(token, **{path: value}))
    assert (fault.value.status, fault.value.code) == (409, code)


def test_every_row_of_what_cannot_change_has_a_source_and_a_change_above() -> None:
    rows = [(token, row) for token, listed in immutable.ROWS.items() for row in listed]
    assert all(len(row.source) > 10 for _, row in rows)
    tried = {(token, path.replace("[0]", "[]").replace("[2]", "[]")) for token, path, _, _ in CHANGES}
    only_down = {
        ("keyvault:Vault", "properties.enableSoftDelete"),
        ("keyvault:Vault", "properties.enablePurgeProtection"),
    }
    missing = {
        (token, row.path)
        for token, row in rows
        if not any(token == other and (path.startswith(row.path) or row.path.startswith(path)) for other, path in tried)
    }
    assert missing == only_down


@pytest.mark.parametrize(
    ("token", "path", "before", "after", "fine"),
    [
        (VMSS, "singlePlacementGroup", True, False, True),
        (VMSS, "singlePlacementGroup", None, True, True),
        (VM, "hardwareProfile.vmSize", "Standard_D16s_v5", "Standard_D32s_v5", True),
        (VM, "storageProfile.osDisk.diskSizeGB", 64, 128, True),
        (VM, "tags", {"a": "b"}, {"a": "c"}, True),
        (VM, "location", "southcentralus", "South Central US", True),
        (VM, "storageProfile.imageReference.id", "/subscriptions/A/b", "/subscriptions/a/B", True),
        (VMSS, "sku.capacity", 2, 3, True),
        (VMSS, f"{PROFILE}.osProfile.customData", "b25l", "dHdv", True),
        (NIC, "ipConfigurations[0].subnet.id", CONTROL, NODES, True),
        ("storage:StorageAccount", "sku.name", "Standard_LRS", "Standard_GRS", True),
        ("storage:StorageAccount", "sku.name", "Standard_LRS", "Premium_LRS", False),
        ("keyvault:Vault", "properties.enablePurgeProtection", None, True, True),
        ("keyvault:Vault", "properties.enablePurgeProtection", True, None, False),
        ("keyvault:Vault", "properties.enableSoftDelete", True, False, False),
        ("keyvault:Vault", "properties.enableSoftDelete", False, True, True),
    ],
)
def test_some_properties_change_one_way_only(token: str, path: str, before: Any, after: Any, fine: bool) -> None:
    def with_value(value: Any) -> dict[str, Any]:
        inputs = good(token, **{path: "there"})
        return good(token, **{path: value}) if value is not None else _without(inputs, path)

    try:
        immutable.refuse(KINDS[token], with_value(before), with_value(after))
    except ArmError:
        assert not fine
    else:
        assert fine


def _without(inputs: dict[str, Any], path: str) -> dict[str, Any]:
    *steps, last = path.split(".")
    holder = inputs
    for step in steps:
        holder = holder[step]
    del holder[last]
    return inputs
