"""What a test orders, does by hand and reads in the log: faults, capacities, resizes."""

from pathlib import Path

import pytest

from tests.standin.answers import outputs
from tests.standin.azure.cloud import Cloud
from tests.standin.azure.desk import AzureCloud
from tests.standin.azure.refusal import ArmError, HalfMadeError
from tests.standin.inputs import NET, VAULT, create, good, populate, update

NIC, VM, VMSS = "network:NetworkInterface", "compute:VirtualMachine", "compute:VirtualMachineScaleSet"


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
