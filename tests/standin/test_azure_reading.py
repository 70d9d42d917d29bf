"""What the cloud answers and remembers: hidden secrets, server fields, capitals, parts, ids, what two processes share."""

import json
from pathlib import Path

import pytest

from tests.standin.answers import outputs
from tests.standin.azure import ids, invokes
from tests.standin.azure.cloud import Cloud
from tests.standin.azure.refusal import ArmError
from tests.standin.azure.values import UNKNOWN, read, write
from tests.standin.inputs import BALANCER, CONTROL, GROUP, NET, RULE, create, good, update

NIC, VM, VMSS = "network:NetworkInterface", "compute:VirtualMachine", "compute:VirtualMachineScaleSet"


def test_passwords_boot_data_and_secrets_are_never_read(cloud: Cloud) -> None:
    update(cloud, VM, userData="canary-u")
    profile = "virtualMachineProfile"
    protected = {"extensions": [{"name": "e", "protectedSettings": {"key": "canary-p"}}]}
    update(cloud, VMSS, **{
        f"{profile}.userData": "canary-u",
        f"{profile}.osProfile.adminPassword": "canary-a",
        f"{profile}.extensionProfile": protected,
    })  # fmt: skip
    other = {"vmName": "b", "osProfile.adminPassword": "canary-a", "networkProfile.networkInterfaces": []}
    other["storageProfile.osDisk.name"] = "b"
    create(cloud, VM, **other)
    create(cloud, "keyvault:Vault", vaultName="recovered-no", **{"properties.createMode": "default"})
    answers = json.dumps([cloud.outputs(each) for each in cloud.store.all()])
    assert "canary" not in answers
    assert "customData" not in answers
    assert "createMode" not in answers
    assert "kilonode" in answers


def test_defaults_and_the_servers_fields_are_added(cloud: Cloud) -> None:
    assert outputs(cloud, NIC)["enableAcceleratedNetworking"] is False
    assert outputs(cloud, NIC)["provisioningState"] == "Succeeded"
    assert outputs(cloud, VMSS)["platformFaultDomainCount"] == 1
    assert outputs(cloud, "network:LoadBalancer")["probes"][0]["numberOfProbes"] == 1
    vault = outputs(cloud, "keyvault:Vault")["properties"]
    assert vault["vaultUri"] == "https://kilonode-vault.vault.azure.net/"
    assert (vault["enableSoftDelete"], vault["softDeleteRetentionInDays"]) == (True, 7)
    assert outputs(cloud, "storage:StorageAccount")["primaryEndpoints"]["blob"].startswith(
        "https://kilonodesnapshots.blob."
    )
    identity = outputs(cloud, "managedidentity:UserAssignedIdentity")
    assert len({identity["principalId"], identity["clientId"], identity["tenantId"]}) == 3
    assert all(cloud.outputs(each)["azureApiVersion"] == each.kind.api for each in cloud.store.all())
    assert outputs(cloud, "privatedns:PrivateRecordSet")["fqdn"] == "api.one.kilonode.internal."
    assert "resourceGroupName" not in outputs(cloud, NIC)


def test_parts_have_ids_of_their_own(cloud: Cloud) -> None:
    assert (
        outputs(cloud, "network:LoadBalancer")["backendAddressPools"][0]["id"]
        == f"{BALANCER}/backendAddressPools/servers"
    )
    assert outputs(cloud, NIC)["ipConfigurations"][0]["id"] == f"{NET}/networkInterfaces/api-0/ipConfigurations/own"
    subnets = {each["name"]: each["id"] for each in outputs(cloud, "network:VirtualNetwork", "network")["subnets"]}
    assert subnets["control"] == CONTROL
    assert outputs(cloud, "network:NetworkSecurityGroup")["securityRules"][0]["name"] == "etcd"


def test_ids_of_other_resources_come_back_with_the_group_in_capitals(cloud: Cloud) -> None:
    answer = outputs(cloud, VM)
    assert answer["networkProfile"]["networkInterfaces"][0]["id"] == f"{NET}/networkInterfaces/api-0".replace(
        "rg-one", "RG-ONE"
    )
    assert [*answer["identity"]["userAssignedIdentities"]] == [
        f"{GROUP}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/machine".replace("rg-one", "RG-ONE")
    ]
    assert outputs(cloud, NIC)["ipConfigurations"][0]["subnet"]["id"] == CONTROL.replace("rg-one", "RG-ONE")


def test_another_resource_of_the_same_name_is_another_resource(cloud: Cloud) -> None:
    before = outputs(cloud, "managedidentity:UserAssignedIdentity")["principalId"]
    cloud.delete(cloud.store.all("managedidentity:UserAssignedIdentity")[0].id)
    create(cloud, "managedidentity:UserAssignedIdentity")
    assert outputs(cloud, "managedidentity:UserAssignedIdentity")["principalId"] != before


def test_a_secret_has_a_version_per_value(cloud: Cloud) -> None:
    first = outputs(cloud, "keyvault:Secret")["properties"]["secretUriWithVersion"]
    update(cloud, "keyvault:Secret")
    assert outputs(cloud, "keyvault:Secret")["properties"]["secretUriWithVersion"] == first
    update(cloud, "keyvault:Secret", **{"properties.value": "another"})
    assert outputs(cloud, "keyvault:Secret")["properties"]["secretUriWithVersion"] != first


def test_lists_that_are_resources_too_are_left_alone_unless_they_are_given(cloud: Cloud) -> None:
    update(cloud, "network:NetworkSecurityGroup", tags={"a": "b"})
    assert [each.name for each in cloud.store.all("network:SecurityRule")] == ["etcd"]
    update(cloud, "network:NetworkSecurityGroup", securityRules=[{"name": "api", **RULE}])
    assert [each.name for each in cloud.store.all("network:SecurityRule")] == ["api"]
    with pytest.raises(ArmError, match="InUseSubnetCannotBeDeleted"):
        update(cloud, "network:VirtualNetwork", subnets=[])
    made = create(
        cloud, "network:VirtualNetwork", virtualNetworkName="n", subnets=[{"name": "s", "addressPrefix": "10.0.0.0/24"}]
    )
    assert cloud.store.get(f"{made.id}/subnets/s") is not None
    balancer = good("network:LoadBalancer")
    del balancer["backendAddressPools"]
    kept = cloud.update(BALANCER, "lb", balancer)
    assert cloud.outputs(kept)["backendAddressPools"][0]["name"] == "servers"


def test_a_provider_of_another_subscription_makes_its_ids_there(tmp_path: Path) -> None:
    cloud = Cloud(tmp_path)
    cloud.store.subscription = "another"
    made = create(cloud, "resources:ResourceGroup")
    assert made.id == "/subscriptions/another/resourceGroups/rg-one"
    assert invokes.invoke(cloud, "azure-native:authorization:getClientConfig", {})["subscriptionId"] == "another"
    with pytest.raises(ArmError, match="was ever made here"):
        create(cloud, "authorization:RoleDefinition")


def test_ids_are_taken_apart_and_put_together(cloud: Cloud) -> None:
    for each in cloud.store.all():
        parsed = ids.parse(each.id)
        assert parsed is not None
        assert ids.key(ids.make(*parsed)) == ids.key(each.id)
        above = ids.parent(each.id)
        assert above is None or cloud.store.get(above) is not None
    assert ids.parse("/subscriptions/a") is None


def test_two_processes_share_a_cloud(tmp_path: Path) -> None:
    one, other = Cloud(tmp_path), Cloud(tmp_path)
    create(one, "resources:ResourceGroup")
    assert other.store.get(GROUP) is not None
    other.delete(GROUP)
    assert one.store.get(GROUP) is None


def test_values_survive_the_wire() -> None:
    given = {"a": 1, "b": 1.5, "c": [True, "x"], "d": {"e": UNKNOWN}}
    assert read(write(given)) == given
    secret = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "value": "s"}
    assert read(write({"a": secret, "b": None, "c": "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7"})) == {
        "a": "s",
        "c": UNKNOWN,
    }
    output = {"4dabf18193072939515e22adb298388d": "d0e6a833031e9bbcd3f4e8bde6ca49a4"}
    assert read(write({"a": output, "b": output | {"value": 1}})) == {"a": UNKNOWN, "b": 1}
