"""What the plugin makes of an answer: which changes replace, what a refresh and a preview know, names it makes up."""

from typing import Any

import pytest

from tests.standin.answers import outputs
from tests.standin.azure import difference, ids, invokes, naming, preview
from tests.standin.azure.cloud import Cloud
from tests.standin.azure.kinds import KINDS, NotServedError
from tests.standin.azure.refusal import ArmError
from tests.standin.azure.values import UNKNOWN
from tests.standin.inputs import CONTROL, DEBIAN, good

NIC, VM, VMSS = "network:NetworkInterface", "compute:VirtualMachine", "compute:VirtualMachineScaleSet"


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
