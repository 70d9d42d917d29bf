"""Who the nodes of a pool of machines are."""

from ipaddress import IPv4Address
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilonode.limits import HOSTNAME, NODES
from kilonode.names import POOL_MAX, REGION_MAX
from kilonode.nodes.plan import plan_pool, planned_nodes
from tests.nodes.pools import machine_pool

ZONES = ("1", "2", "3")


def test_nodes_are_numbered_from_zero_and_dealt_to_zones_in_turn() -> None:
    nodes = planned_nodes("west", machine_pool(nodes=5), ZONES)
    assert [node.name for node in nodes] == [f"west-gpu-{index:05d}" for index in range(5)]
    assert [node.zone for node in nodes] == ["1", "2", "3", "1", "2"]


def test_a_node_s_pods_follow_its_own_address() -> None:
    first, second = planned_nodes("west", machine_pool(podsPerNode=30), ZONES)
    assert (first.address, first.first_pod, first.last_pod) == tuple(
        map(IPv4Address, ("10.65.0.4", "10.65.0.5", "10.65.0.34"))
    )
    assert second.address == first.last_pod + 1


@given(st.integers(0, 200), st.integers(1, 250), st.integers(1, 4))
def test_no_address_belongs_to_two(nodes: int, pods: int, zones: int) -> None:
    made = planned_nodes("west", machine_pool(nodes=nodes, podsPerNode=pods), tuple("abcd"[:zones]))
    assert len(made) == nodes
    assert len({node.name for node in made}) == nodes
    for one, two in pairwise(made):
        assert one.address < one.first_pod <= one.last_pod < two.address
    assert all(int(node.last_pod) - int(node.first_pod) + 1 == pods for node in made)
    assert all(node.first_pod == node.address + 1 for node in made)


@given(st.integers(0, 100), st.integers(0, 100))
def test_growth_moves_no_node(before: int, more: int) -> None:
    few, many = (planned_nodes("west", machine_pool(nodes=count), ZONES) for count in (before, before + more))
    assert many[:before] == few


def test_the_longest_name_is_a_host_name() -> None:
    pool = machine_pool(name="p" * POOL_MAX, nodes=NODES.value, podsPerNode=1, range="10.64.0.0/14")
    names = [node.name for node in planned_nodes("r" * REGION_MAX, pool, ZONES)]
    assert max(map(len, names)) <= HOSTNAME.value
    assert names == sorted(names)


@pytest.mark.parametrize("nodes", [0, 3])
def test_a_plan_holds_its_pool_and_its_nodes(nodes: int) -> None:
    plan = plan_pool("west", machine_pool(nodes=nodes), ZONES)
    assert plan.spec == machine_pool(nodes=nodes)
    assert len(plan.nodes) == nodes
