"""What a node of a scale set works out of itself: its address and zone; its pods' addresses are not planned."""

import json
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

from kilonode.clouds.azure.machine_files import POOL
from tests.nodes.test_node_facts import facts

INSTANCE = {
    # On Azure cloud-init's own key is the fault domain.
    "v1": {"availability_zone": "0", "cloud_name": "azure"},
    "ds": {
        "meta_data": {
            "imds": {
                "compute": {
                    "location": "southcentralus",
                    "zone": "2",
                    "platformFaultDomain": "0",
                    "resourceId": "/subscriptions/8d10da13/resourceGroups/BIG-Rg"
                    "/providers/Microsoft.Compute/virtualMachineScaleSets/big-gpu-00/virtualMachines/17",
                }
            }
        }
    },
}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(facts, "CNI", tmp_path / "cni")
    monkeypatch.setattr(facts, "FACTS", tmp_path / "node.env")
    monkeypatch.setattr(facts, "INSTANCE", tmp_path / "instance.json")
    monkeypatch.setattr(facts, "own_address", lambda: ip_address("10.66.3.7"))

    def with_(pool: dict[str, Any], instance: dict[str, Any] = INSTANCE) -> str:
        (tmp_path / "instance.json").write_text(json.dumps(instance))
        (tmp_path / "pool.json").write_text(json.dumps(pool))
        facts.main(tmp_path / "pool.json")
        assert not (tmp_path / "cni").exists()
        return (tmp_path / "node.env").read_text()

    return with_


def test_a_node_of_a_scale_set_writes_address_zone_and_id_as_the_autoscaler_has_them_and_no_cni(run: Any) -> None:
    assert run(POOL).split() == [
        'NODE_FLAGS="--node-ip=10.66.3.7',
        "--node-labels=topology.kubernetes.io/zone=southcentralus-2",
        "--provider-id=azure:///subscriptions/8d10da13/resourceGroups/big-rg"
        '/providers/Microsoft.Compute/virtualMachineScaleSets/big-gpu-00/virtualMachines/17"',
    ]


@pytest.mark.parametrize("zone", ["", None])
def test_a_node_of_a_set_without_zones_has_no_such_label(run: Any, zone: str | None) -> None:
    compute = {"location": "southcentralus", "zone": zone}
    assert run(POOL, {"ds": {"meta_data": {"imds": {"compute": compute}}}}) == 'NODE_FLAGS="--node-ip=10.66.3.7"\n'


def test_a_machine_whose_metadata_was_not_there_has_no_such_label(run: Any) -> None:
    assert run(POOL, {"v1": {}, "ds": {"meta_data": {}}}) == 'NODE_FLAGS="--node-ip=10.66.3.7"\n'


def test_where_a_pool_does_not_say_the_zone_is_the_one_cloud_init_has(run: Any) -> None:
    assert "zone=0" in run({})
