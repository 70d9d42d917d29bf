"""What the cloud adds to what it is given, type by type."""

from pathlib import Path
from typing import Any

import pytest

from tests.standin.azure import difference, ids, invokes, paths, roles
from tests.standin.azure.cloud import Cloud
from tests.standin.azure.desk import AzureCloud
from tests.standin.azure.kinds import KINDS
from tests.standin.azure.refusal import ArmError
from tests.standin.inputs import CONTROL, GROUP, NET, create, update

# Something, but nobody knows what.
SOME = object()
ACCOUNT = "storage:StorageAccount"
ADDED: dict[str, dict[str, Any]] = {
    "resources:ResourceGroup": {
        "name": "rg-one",
        "type": "Microsoft.Resources/resourceGroups",
        "provisioningState": "Succeeded",
    },
    "compute:GalleryImage": {"architecture": "x64", "hyperVGeneration": "V1"},
    "network:VirtualNetwork": {
        "enableDdosProtection": False,
        "privateEndpointVNetPolicies": "Disabled",
        "resourceGuid": SOME,
        "etag": SOME,
        "virtualNetworkPeerings": SOME,
        "provisioningState": "Succeeded",
    },
    "network:Subnet": {"privateEndpointNetworkPolicies": "Disabled", "privateLinkServiceNetworkPolicies": "Enabled"},
    "network:NetworkInterface": {
        "enableAcceleratedNetworking": False,
        "enableIPForwarding": False,
        "disableTcpStateTracking": False,
        "nicType": "Standard",
        "macAddress": SOME,
    },
    "network:PublicIPAddress": {"publicIPAddressVersion": "IPv4", "idleTimeoutInMinutes": 4, "ipAddress": SOME},
    "network:PublicIPPrefix": {"ipPrefix": SOME},
    "network:NatGateway": {"idleTimeoutInMinutes": 4},
    "network:LoadBalancer": {
        "loadBalancingRules[].idleTimeoutInMinutes": 4,
        "loadBalancingRules[].enableFloatingIP": False,
        "loadBalancingRules[].loadDistribution": "Default",
        "probes[].numberOfProbes": 1,
        "probes[].probeThreshold": 1,
        "probes[].etag": SOME,
    },
    "privatedns:VirtualNetworkLink": {"registrationEnabled": False, "resolutionPolicy": "Default"},
    "privatedns:PrivateRecordSet": {
        "type": "Microsoft.Network/privateDnsZones/A",
        "isAutoRegistered": False,
        "etag": SOME,
    },
    "compute:VirtualMachine": {
        "osProfile.allowExtensionOperations": True,
        "osProfile.requireGuestProvisionSignal": True,
        "storageProfile.osDisk.deleteOption": "Detach",
        "storageProfile.osDisk.caching": "None",
        "provisioningState": "Succeeded",
        "vmId": SOME,
        "timeCreated": SOME,
    },
    "compute:VirtualMachineScaleSet": {
        "orchestrationMode": "Uniform",
        "doNotRunExtensionsOnOverprovisionedVMs": False,
        "provisioningState": "Succeeded",
        "uniqueId": SOME,
        "timeCreated": SOME,
    },
    "compute:Disk": {
        "networkAccessPolicy": "AllowAll",
        "publicNetworkAccess": "Enabled",
        "provisioningState": "Succeeded",
        "uniqueId": SOME,
        "diskState": "Unattached",
    },
    "managedidentity:UserAssignedIdentity": {"principalId": SOME, "clientId": SOME, "tenantId": ids.TENANT},
    "authorization:RoleAssignment": {
        "type": "Microsoft.Authorization/roleAssignments",
        "createdOn": SOME,
        "scope": SOME,
    },
    "authorization:RoleDefinition": {
        "type": "Microsoft.Authorization/roleDefinitions",
        "roleType": "CustomRole",
        "createdOn": SOME,
    },
    "keyvault:Vault": {
        "properties.enableSoftDelete": True,
        "properties.publicNetworkAccess": "Enabled",
        "properties.provisioningState": "Succeeded",
        "properties.accessPolicies": [],
    },
    "keyvault:Secret": {"properties.secretUri": SOME, "properties.secretUriWithVersion": SOME},
    ACCOUNT: {
        "enableHttpsTrafficOnly": True,
        "allowBlobPublicAccess": False,
        "accessTier": "Hot",
        "provisioningState": "Succeeded",
        "primaryEndpoints.blob": "https://kilonodesnapshots.blob.core.windows.net/",
        "primaryLocation": "southcentralus",
        "creationTime": SOME,
        "statusOfPrimary": "available",
    },
    "storage:BlobContainer": {
        "publicAccess": "None",
        "denyEncryptionScopeOverride": False,
        "etag": SOME,
        "hasImmutabilityPolicy": False,
        "leaseState": "Available",
    },
    "storage:BlobContainerImmutabilityPolicy": {"etag": SOME, "state": "Unlocked"},
    "storage:ManagementPolicy": {"lastModifiedTime": SOME},
}


def answer(cloud: Cloud, token: str, name: str = "") -> dict[str, Any]:
    return cloud.outputs(next(each for each in cloud.store.all(token) if name in {"", each.name}))


@pytest.mark.parametrize("token", ADDED)
def test_an_answer_has_defaults_and_the_servers_own_fields(cloud: Cloud, token: str) -> None:
    named = {"compute:Disk": "disk", "network:Subnet": "control", "network:VirtualNetwork": "network"}
    made = next(each for each in cloud.store.all(token) if named.get(token, "") in {"", each.name})
    for path in ADDED[token]:
        if path not in made.kind.parameters:
            paths.remove(made.body, path)
    given = cloud.outputs(made)
    for path, value in ADDED[token].items():
        (found,) = paths.find(given, path)
        assert found if value is SOME else found == value, path


def test_defaults_stand_in_only_for_what_was_left_out(cloud: Cloud) -> None:
    left_out = {"overprovision": None, "singlePlacementGroup": None, "vmScaleSetName": "p", "sku.tier": None}
    made = create(cloud, "compute:VirtualMachineScaleSet", **left_out)
    given = cloud.outputs(made)
    assert (given["overprovision"], given["singlePlacementGroup"], given["sku"]["tier"]) == (True, True, "Standard")
    kept = answer(cloud, "compute:VirtualMachineScaleSet", "pool")
    assert (kept["overprovision"], kept["singlePlacementGroup"]) == (False, False)
    vault = create(cloud, "keyvault:Vault", vaultName="v-1", **{"properties.softDeleteRetentionInDays": None})
    assert cloud.outputs(vault)["properties"]["softDeleteRetentionInDays"] == 90
    dynamic = [{"name": "only", "subnet": {"id": CONTROL}}]
    nic = cloud.outputs(create(cloud, "network:NetworkInterface", networkInterfaceName="n", ipConfigurations=dynamic))
    only = nic["ipConfigurations"][0]
    assert (only["primary"], only["privateIPAllocationMethod"], only["privateIPAddressVersion"]) == (
        True,
        "Dynamic",
        "IPv4",
    )


def test_an_identitys_ids_are_in_the_answer_of_who_has_it(cloud: Cloud) -> None:
    identity = answer(cloud, "managedidentity:UserAssignedIdentity")
    (given,) = answer(cloud, "compute:VirtualMachine")["identity"]["userAssignedIdentities"].values()
    assert given == {name: identity[name] for name in ("principalId", "clientId")}


def test_only_ids_are_written_in_other_letters(cloud: Cloud) -> None:
    update(cloud, "compute:VirtualMachine", tags={"note": "see /resourceGroups/small/of/it"})
    assert answer(cloud, "compute:VirtualMachine")["tags"] == {"note": "see /resourceGroups/small/of/it"}


def test_an_answer_shows_peerings_and_rules_where_they_lie(cloud: Cloud) -> None:
    network = answer(cloud, "network:VirtualNetwork", "network")
    assert [each["name"] for each in network["virtualNetworkPeerings"]] == ["to-other"]


def test_inline_parts_are_resources_with_all_that_belongs_to_them(cloud: Cloud, tmp_path: Path) -> None:
    made = create(
        cloud, "network:VirtualNetwork", virtualNetworkName="n", subnets=[{"name": "s", "addressPrefix": "10.0.0.0/24"}]
    )
    other = Cloud(tmp_path)
    again = other.store.get(made.id)
    assert again is not None
    assert "subnets" not in again.body
    (subnet,) = other.outputs(again)["subnets"]
    assert subnet["etag"]
    nic = {"networkInterfaceName": "n", "ipConfigurations[0].subnet.id": subnet["id"]}
    create(cloud, "network:NetworkInterface", **nic, **{"ipConfigurations[0].loadBalancerBackendAddressPools": []})
    moved = [{"name": "s", "addressPrefix": "10.0.1.0/24"}]
    with pytest.raises(ArmError, match="InUsePrefixCannotBeDeleted"):
        update(cloud, "network:VirtualNetwork", virtualNetworkName="n", subnets=moved)


def test_an_update_is_held_against_what_cannot_change_and_what_is_not_there(cloud: Cloud) -> None:
    with pytest.raises(ArmError, match=r"Changing property 'osProfile\.customData' is not allowed"):
        update(cloud, "compute:VirtualMachine", **{"osProfile.customData": "bmV3"})
    with pytest.raises(ArmError, match="was ever made here"):
        update(cloud, "network:NetworkInterface", networkSecurityGroup={"id": f"{NET}/networkSecurityGroups/none"})
    with pytest.raises(ArmError, match='Status=404 Code="ResourceNotFound"'):
        cloud.update(f"{NET}/routeTables/none", "none", {})


def test_reads_may_fail_and_deleting_what_is_gone_is_fine(cloud: Cloud, tmp_path: Path) -> None:
    AzureCloud(tmp_path).order("throttled", "network:RouteTable", "read")
    with pytest.raises(ArmError, match="Status=429"):
        cloud.read(f"{NET}/routeTables/routes")
    assert cloud.read(f"{NET}/routeTables/routes") is not None
    cloud.delete(f"{NET}/routeTables/none")
    assert [each for each in cloud.store.logged() if each["verb"] == "delete"] == []


def test_who_runs_is_a_principal_that_roles_may_be_given_to(cloud: Cloud) -> None:
    client = invokes.invoke(cloud, "azure-native:authorization:getClientConfig", {})
    assert (client["clientId"], client["objectId"]) == (ids.CLIENT, ids.PRINCIPAL)


@pytest.mark.parametrize(
    "guid",
    [
        "8e3af657-a8ff-443c-a75c-2fe8c4bcb635",
        "b24988ac-6180-42a0-ab88-20f7382dd24c",
        "acdd72a7-3385-48ef-bd42-f606fba81ae7",
        "4d97b98b-1d4f-4787-a291-c67834d212e7",
        "9980e02c-c2be-4d73-94e8-173b1dc7cf3c",
        "f1a07417-d97a-45cb-824c-7a7467783830",
        "00482a5a-887f-4fb3-b363-3b7fe8e74483",
        "21090545-7ca7-4776-b22c-e363652d74d2",
        "b86a8fe4-44ce-4948-aee5-eccb2c155cd7",
        "4633458b-17de-408a-b874-0445c86b69e6",
        "b7e6dc6d-f1e8-4753-8033-0f276bb0955b",
        "ba92f5b4-2d11-453d-a403-e96b0029c9fe",
        "2a2b9908-6ea1-4ae2-8e65-a410df84e7d1",
    ],
)
def test_every_subscription_has_the_built_in_roles(guid: str) -> None:
    assert roles.built_in(f"/subscriptions/any/providers/Microsoft.Authorization/roleDefinitions/{guid.upper()}")
    assert roles.built_in(f"/providers/Microsoft.Authorization/roleDefinitions/{guid}")
    assert not roles.built_in(f"{GROUP}/providers/Microsoft.Authorization/roleDefinitions/{guid[:-1]}0")


def test_lists_within_answers_are_projected_item_by_item(cloud: Cloud) -> None:
    found = difference.projected(KINDS["network:LoadBalancer"], answer(cloud, "network:LoadBalancer"))
    assert "provisioningState" not in found["probes"][0]
    assert found["probes"][0]["requestPath"] == "/readyz"
