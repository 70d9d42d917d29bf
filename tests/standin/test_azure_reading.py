"""What the cloud answers and remembers: hidden secrets, server fields, capitals, parts, soft deletion, faults, the log."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.standin.azure import difference, ids, invokes, naming, preview, soft_delete
from tests.standin.azure.cloud import Cloud
from tests.standin.azure.desk import AzureCloud
from tests.standin.azure.kinds import KINDS, NotServedError
from tests.standin.azure.refusal import ArmError, HalfMadeError
from tests.standin.azure.values import UNKNOWN, read, write
from tests.standin.inputs import BALANCER, CONTROL, DEBIAN, GROUP, NET, RULE, VAULT, create, good, populate, update

NIC, VM, VMSS = "network:NetworkInterface", "compute:VirtualMachine", "compute:VirtualMachineScaleSet"


def outputs(cloud: Cloud, token: str, name: str = "") -> dict[str, Any]:
    return cloud.outputs(next(each for each in cloud.store.all(token) if name in {"", each.name}))


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


def test_a_deleted_vault_keeps_its_name_until_it_is_recovered_or_purged(cloud: Cloud) -> None:
    cloud.delete(VAULT)
    assert {each.token for each in cloud.store.all_deleted()} == {"keyvault:Vault", "keyvault:Secret"}
    with pytest.raises(ArmError, match=r'409 Code="ConflictError" .*already exists in deleted state'):
        create(cloud, "keyvault:Vault")
    create(cloud, "keyvault:Vault", **{"properties.createMode": "recover"})
    assert cloud.store.all_deleted() == []
    assert cloud.store.get(f"{VAULT}/secrets/key") is not None
    cloud.delete(VAULT)
    soft_delete.purge(cloud.store, VAULT)
    assert cloud.store.all_deleted() == []
    create(cloud, "keyvault:Vault")
    with pytest.raises(ArmError, match="SoftDeletedVaultDoesNotExist"):
        create(cloud, "keyvault:Vault", vaultName="another", **{"properties.createMode": "recover"})


def test_vault_names_are_unique_over_all_of_azure(cloud: Cloud) -> None:
    create(cloud, "resources:ResourceGroup", resourceGroupName="rg-two")
    assert create(cloud, "network:RouteTable", resourceGroupName="rg-two")
    with pytest.raises(ArmError, match="VaultAlreadyExists"):
        create(cloud, "keyvault:Vault", resourceGroupName="rg-two", vaultName="Kilonode-Vault")
    cloud.delete(VAULT)
    for mode in ("default", "recover"):
        with pytest.raises(ArmError, match="ConflictError"):
            create(cloud, "keyvault:Vault", resourceGroupName="rg-two", **{"properties.createMode": mode})


def test_a_deleted_secret_stays_in_the_way_also_in_a_recovered_vault(cloud: Cloud) -> None:
    cloud.delete(f"{VAULT}/secrets/key")
    with pytest.raises(ArmError, match="deleted but recoverable state"):
        create(cloud, "keyvault:Secret")
    cloud.delete(VAULT)
    create(cloud, "keyvault:Vault", **{"properties.createMode": "recover"})
    assert cloud.store.get(f"{VAULT}/secrets/key") is None
    with pytest.raises(ArmError, match="deleted but recoverable state"):
        create(cloud, "keyvault:Secret")


def test_purge_protection_protects_from_purging(cloud: Cloud) -> None:
    update(cloud, "keyvault:Vault", **{"properties.enablePurgeProtection": True})
    cloud.delete(f"{VAULT}/secrets/key")
    with pytest.raises(ArmError, match="purge protection"):
        soft_delete.purge(cloud.store, f"{VAULT}/secrets/key")
    cloud.delete(VAULT)
    with pytest.raises(ArmError, match="purge protection"):
        soft_delete.purge(cloud.store, VAULT)
    with pytest.raises(ArmError, match="DeletedVaultNotFound"):
        soft_delete.purge(cloud.store, f"{VAULT}x")


def test_the_nth_request_is_answered_as_ordered_and_the_next_is_not(tmp_path: Path) -> None:
    cloud = populate(tmp_path, until="network:NetworkSecurityGroup")
    desk = AzureCloud(tmp_path)
    desk.order("throttled", "network:RouteTable", request=2)
    create(cloud, "network:RouteTable")
    with pytest.raises(ArmError, match='Status=429 Code="TooManyRequests"'):
        create(cloud, "network:RouteTable", routeTableName="b")
    create(cloud, "network:RouteTable", routeTableName="b")
    desk.order("half-made", "network:RouteTable", name="d", times=2)
    create(cloud, "network:RouteTable", routeTableName="c")
    with pytest.raises(HalfMadeError, match="AllocationFailed") as fault:
        create(cloud, "network:RouteTable", routeTableName="d")
    assert fault.value.identifier.endswith("/d")
    assert sorted(desk.resources("network:RouteTable")) == ["b", "c", "d", "routes"]
    desk.order("lost", "network:RouteTable", name="e")
    with pytest.raises(ArmError, match="AllocationFailed"):
        create(cloud, "network:RouteTable", routeTableName="e")
    assert "e" in desk.resources("network:RouteTable")
    desk.order("refused", "network:RouteTable", "delete")
    with pytest.raises(ArmError, match="AllocationFailed"):
        cloud.delete(f"{NET}/routeTables/e")
    desk.order("half-made", "network:RouteTable", "update", name="routes")
    with pytest.raises(HalfMadeError):
        update(cloud, "network:RouteTable", tags={"a": "b"})
    assert desk.resources("network:RouteTable")["routes"].body["tags"] == {"a": "b"}
    assert [each.details["answer"] for each in desk.requests() if "answer" in each.details] == ["throttled", "refused"]


def test_a_model_that_would_take_machines_away_is_found_in_the_log(cloud: Cloud, tmp_path: Path) -> None:
    desk = AzureCloud(tmp_path)
    desk.set_capacity("pool", 7)
    assert outputs(cloud, VMSS)["sku"]["capacity"] == 7
    update(cloud, VMSS, tags={"a": "b"})
    assert [(each.name, each.details["lowered"]) for each in desk.lowered()] == [("pool", [7, 2])]
    update(cloud, VMSS, **{"sku.capacity": 9})
    assert len(desk.lowered()) == 1
    assert outputs(cloud, VMSS)["sku"]["capacity"] == 9


def test_a_resize_empties_the_local_disk_and_the_log_says_which_paths_changed(cloud: Cloud, tmp_path: Path) -> None:
    desk = AzureCloud(tmp_path)
    update(cloud, VM, tags={"a": "b"})
    assert desk.wiped() == []
    update(cloud, VM, **{"tags": {"a": "b"}, "hardwareProfile.vmSize": "Standard_D32s_v5"})
    (request,) = desk.wiped()
    assert (request.verb, request.token, request.name, request.changed) == (
        "update",
        VM,
        "api-0",
        ["hardwareProfile.vmSize"],
    )
    cloud.read(request.id)
    assert [each.verb for each in desk.requests(token=VM)] == ["create", "update", "update", "read"]
    assert [each.verb for each in desk.writes() if each.token == VM] == ["create", "update", "update"]


def test_a_test_may_place_change_remove_and_purge_by_hand(tmp_path: Path) -> None:
    desk, cloud = AzureCloud(tmp_path), Cloud(tmp_path)
    desk.place("resources:ResourceGroup", good("resources:ResourceGroup"))
    desk.place("keyvault:Vault", good("keyvault:Vault"))
    desk.change("keyvault:Vault", "kilonode-vault", "properties.enableRbacAuthorization", False)
    assert outputs(cloud, "keyvault:Vault")["properties"]["enableRbacAuthorization"] is False
    assert desk.names() == ["keyvault:Vault kilonode-vault", "resources:ResourceGroup rg-one"]
    desk.remove("keyvault:Vault", "kilonode-vault")
    assert desk.deleted() == ["keyvault:Vault kilonode-vault"]
    desk.purge("keyvault:Vault", "kilonode-vault")
    assert desk.deleted() == []
    assert cloud.read(VAULT) is None


def test_the_plugin_replaces_for_names_and_little_else() -> None:
    def replaced(token: str, **changes: Any) -> list[str]:
        found = difference.detailed(KINDS[token], good(token), good(token, **changes))
        return [path for path, change in found.items() if change in difference.REPLACING.values()]

    assert replaced(NIC, networkInterfaceName="n", resourceGroupName="g") == [
        "resourceGroupName",
        "networkInterfaceName",
    ]
    assert replaced(VM, location="westeurope") == ["location"]
    assert replaced(VM, location="South Central US") == []
    # Network resources' location is no such property to the plugin: the cloud refuses the update.
    assert replaced(NIC, location="westeurope") == []
    assert replaced("network:PublicIPAddress", **{"sku.name": "Basic"}) == ["sku.name"]
    assert replaced("storage:StorageAccount", isHnsEnabled=True) == ["isHnsEnabled"]
    assert replaced(VM, **{"osProfile.customData": "bmV3", "zones": ["2"]}) == []
    changes = difference.detailed(KINDS[VM], good(VM), good(VM, zones=["1", "2"], tags={"a": "b"}))
    assert changes == {"zones[1]": difference.P.ADD, "tags": difference.P.ADD}
    assert difference.detailed(KINDS[VM], good(VM), good(VM)) == {}
    address = "network:PublicIPAddress"
    changes = difference.detailed(KINDS[address], good(address), good(address, sku=None))
    assert set(changes.values()) == {difference.P.DELETE_REPLACE}


def test_a_refresh_changes_inputs_only_where_the_cloud_has_changed() -> None:
    inputs = {"sku": {"name": "a", "capacity": 2}, "list": [{"name": "x", "port": 1}], "gone": 1}
    before = {
        "sku": {"name": "a", "capacity": 2, "tier": "t"},
        "list": [{"name": "x", "port": 1, "count": 1}],
        "gone": 1,
    }
    after = {"sku": {"name": "a", "capacity": 7, "tier": "t"}, "list": [{"name": "x", "port": 1, "count": 1}], "new": 2}
    merged = difference.merge(inputs, before, after)
    assert merged == {"sku": {"name": "a", "capacity": 7}, "list": [{"name": "x", "port": 1}], "new": 2}
    assert difference.merge([1, 2], [1, 2], [1, 3, 4]) == [1, 3, 4]


def test_answers_are_projected_onto_inputs(cloud: Cloud) -> None:
    for token in (NIC, VM, VMSS, "keyvault:Vault", "network:LoadBalancer"):
        found = difference.projected(KINDS[token], outputs(cloud, token))
        assert difference.projected(KINDS[token], found) == found
        assert not {"etag", "provisioningState", "vmId"} & set(found)
    identities = difference.projected(KINDS[VM], outputs(cloud, VM))["identity"]["userAssignedIdentities"]
    assert isinstance(identities, list)


def test_a_preview_knows_the_inputs_and_nothing_else() -> None:
    found = preview.outputs(KINDS[NIC], good(NIC))
    assert found["ipConfigurations"][0]["privateIPAddress"] == "10.0.0.10"
    assert found["ipConfigurations"][0]["id"] == UNKNOWN
    assert found["macAddress"] == found["name"] == found["type"] == UNKNOWN
    assert preview.outputs(KINDS[VM], good(VM, osProfile=UNKNOWN))["osProfile"] == UNKNOWN
    # Types whose answers have no such field say both all the same.
    secret = preview.outputs(KINDS["keyvault:Secret"], good("keyvault:Secret"))
    assert secret["name"] == secret["type"] == UNKNOWN
    assert preview.outputs(KINDS[VM], good(VM))["identity"]["userAssignedIdentities"] == UNKNOWN
    assert (
        preview.outputs(KINDS[VMSS], good(VMSS))["virtualMachineProfile"]["storageProfile"]["imageReference"]["sku"]
        == DEBIAN["sku"]
    )


def test_names_and_places_left_out_are_made_up(cloud: Cloud) -> None:
    news: dict[str, Any] = {"resourceGroupName": "RG-One"}
    naming.fill_in(KINDS["network:RouteTable"], "table", b"seed", {}, news, cloud.store, None)
    assert (news["location"], news["__createBeforeDelete"]) == ("southcentralus", True)
    assert news["azureApiVersion"] == "2024-05-01"
    assert news["routeTableName"].startswith("table")
    assert len(news["routeTableName"]) == len("table") + 8
    again: dict[str, Any] = {"resourceGroupName": "RG-One"}
    naming.fill_in(KINDS["network:RouteTable"], "table", b"other", news, again, cloud.store, "westus")
    assert again == news
    for token, name in (("RoleAssignment", "roleAssignmentName"), ("RoleDefinition", "roleDefinitionId")):
        given: dict[str, Any] = {"scope": "s"}
        naming.fill_in(KINDS[f"authorization:{token}"], "a", b"seed", {}, given, cloud.store, "westus")
        assert len(given[name]) == 36
        assert "location" not in given
    assert not difference.deletes_first(news)
    assert difference.deletes_first({"routeTableName": "given"})


def test_functions_tell_who_runs_and_get_what_exists(cloud: Cloud) -> None:
    client = invokes.invoke(cloud, "azure-native:authorization:getClientConfig", {})
    assert (client["tenantId"], client["subscriptionId"]) == (ids.TENANT, ids.SUBSCRIPTION)
    names = {"resourceGroupName": "rg-one", "virtualNetworkName": "network", "subnetName": "control"}
    found = invokes.invoke(cloud, "azure-native:network:getSubnet", names)
    assert (found["id"], found["addressPrefix"]) == (CONTROL, "10.0.0.0/24")
    with pytest.raises(ArmError, match="ResourceNotFound"):
        invokes.invoke(cloud, "azure-native:network:getSubnet", names | {"subnetName": "none"})
    for other in ("sql:getServer", "network:Subnet"):
        with pytest.raises(NotServedError, match="serves no function"):
            invokes.invoke(cloud, f"azure-native:{other}", names)


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
