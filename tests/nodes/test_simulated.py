"""The machine that plays a simulated pool."""

import json
from typing import Any

import pytest

from kilonode.apiserver.bootstrap import objects
from kilonode.nodes.simulated import POOL, REGISTRATION, pool_document, simulator_boot
from kilonode.nodes.spec import PODS_MAX, SimulatedPoolSpec
from kilonode.refusal import RefusedError
from tests.plans import biggest, boots, plan, pool

ROW = {"name": "sim", "kind": "simulated", "range": "10.65.0.0/16"}


def flags(of: Any) -> list[str]:
    text = next(file.content for file in of.files if file.path.endswith("kwok.env"))
    return str(text).strip().removeprefix('FLAGS="').removesuffix('"').split(" ")


def test_a_hundred_nodes_of_thirty_pods_are_the_default() -> None:
    made = SimulatedPoolSpec.read(ROW, "nodePools[0]")
    assert (made.nodes, made.pods_per_node, made.simulator) == (100, 30, 0)


@pytest.mark.parametrize(
    ("key", "value", "allowed"),
    [
        ("nodes", -1, "from 0 to 10000"), ("nodes", 10_001, "from 0 to 10000"), ("nodes", "100", "from 0 to 10000"),
        ("podsPerNode", 0, "from 1 to 250"), ("podsPerNode", PODS_MAX + 1, "from 1 to 250"),
        ("simulator", -1, "from 0 to 15"), ("simulator", 16, "from 0 to 15"), ("simulator", True, "from 0 to 15"),
    ],
)  # fmt: skip
def test_a_number_outside_its_bounds_is_refused_with_them(key: str, value: object, allowed: str) -> None:
    with pytest.raises(RefusedError, match=f"a whole number {allowed}\n"):
        SimulatedPoolSpec.read({**ROW, key: value}, "nodePools[0]")


def test_nodes_are_told_their_planned_addresses() -> None:
    planned = plan()
    (row,) = planned.spec.simulated_pools
    document = pool_document(planned, row)
    assert document["first_address"] == str(row.addresses.node(0))
    assert document["per_node"] == row.addresses.per_node == 31
    assert document["nodes"] == 98
    assert document["prefix"] == "west-sim"
    assert document["resources"] == document["resources"] | {"pods": "30"}  # type: ignore[operator]


def test_an_empty_pool_has_boot_data_too() -> None:
    planned = plan(nodePools=[pool("sim", 0, "10.65.0.0/26", nodes=0)])
    boot = boots(planned)["west-sim-1"]
    assert json.loads(next(file.content for file in boot.files if file.path == POOL))["nodes"] == 0


def test_each_simulator_manages_the_nodes_of_its_own_pool_only() -> None:
    planned = biggest()
    for row, machine in zip(planned.spec.simulated_pools, planned.simulators, strict=True):
        given = flags(simulator_boot(planned, row, machine))
        assert f"--manage-nodes-with-label-selector=node.kubernetes.io/pool={row.name}" in given
        assert "--manage-all-nodes=false" in given
        assert f"--cidr={row.range}" in given


def test_registration_reads_the_document_boot_data_writes_and_its_own_credentials() -> None:
    planned = plan()
    document = pool_document(planned, planned.spec.node_pools[0])
    assert document["server"] == planned.endpoint
    assert document["credentials"] == f"/run/credentials/{REGISTRATION}.service/"
    assert f"{REGISTRATION}.service" in boots(planned)["west-sim-1"].units


def test_the_simulator_s_role_lets_it_register_and_keep_nodes() -> None:
    everything: list[Any] = list(objects())
    role = next(entry for entry in everything if entry["kind"] == "ClusterRole")
    rights = {(resource, verb) for rule in role["rules"] for resource in rule["resources"] for verb in rule["verbs"]}
    assert rights >= {
        ("nodes", "create"),
        ("nodes/status", "patch"),
        ("leases", "create"),
        ("leases", "update"),
        ("pods/status", "patch"),
    }
    assert not [right for right in rights if right[0] in ("secrets", "pods/exec", "nodes/proxy")]


def test_the_number_a_pool_gives_its_simulator_decides_the_machine_and_not_its_place_in_the_list() -> None:
    one, two = pool("one", 3, "10.65.0.0/16"), pool("two", 7, "10.66.0.0/16")
    names = {
        row.name: machine.name
        for row, machine in zip(
            plan(nodePools=[one, two]).spec.node_pools, plan(nodePools=[one, two]).simulators, strict=True
        )
    }
    assert names == {"one": "west-sim-4", "two": "west-sim-8"}
    assert [machine.name for machine in plan(nodePools=[two, one]).simulators] == ["west-sim-8", "west-sim-4"]
