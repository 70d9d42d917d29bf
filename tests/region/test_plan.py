"""All addresses are planned: growth moves nothing that exists."""

import re
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilonode.apiserver.spec import COUNT_MAX
from kilonode.etcd.clusters import KINDS
from kilonode.limits import ETCD_MEMBERS, HOSTNAME
from kilonode.network.slots import API_SERVERS, SIMULATORS, slot_range
from kilonode.region.plan import RegionPlan
from tests.plans import BIGGEST, biggest, plan, pool

POOL_RANGES = [f"10.65.{16 * number}.0/20" for number in range(16)]


@st.composite
def shapes(draw: st.DrawFn) -> dict[str, Any]:
    """The settings that say how many of everything there are."""
    names = ["main", "events", *(["leases"] if draw(st.booleans()) else [])]
    members = st.sampled_from([1, 3, 5, 7])
    numbers = draw(st.lists(st.integers(0, 15), unique=True, max_size=5))
    return {
        "etcd": [{"name": name, "members": draw(members)} for name in names],
        "apiServers": {"count": draw(st.integers(1, COUNT_MAX))},
        "nodePools": [pool(f"pool-{number}", number, POOL_RANGES[number]) for number in numbers],
    }


def addresses(of: RegionPlan) -> dict[str, str]:
    return {machine.name: f"{machine.address} in zone {machine.zone}" for machine in of.machines}


@given(shapes())
def test_every_machine_has_a_name_and_an_address_of_its_own(shape: dict[str, Any]) -> None:
    planned = plan(**shape)
    assert len({machine.name for machine in planned.machines}) == len(planned.machines)
    taken = [*(machine.address for machine in planned.machines), planned.gateway, planned.operator]
    assert len(set(taken)) == len(taken)
    assert all(address in planned.range for address in taken)


@given(shapes())
def test_every_machine_lives_in_its_slot_and_no_pool_reaches_there(shape: dict[str, Any]) -> None:
    planned = plan(**shape)
    slots = {machine: KINDS[cluster.spec.name].slot for cluster in planned.etcd for machine in cluster.members}
    slots |= dict.fromkeys(planned.api_servers, API_SERVERS) | dict.fromkeys(planned.simulators, SIMULATORS)
    assert all(machine.address in slot_range(planned.range, slot) for machine, slot in slots.items())
    ranges = [pool.range for pool in planned.spec.node_pools]
    assert not any(machine.address in pool for machine in planned.machines for pool in ranges)
    assert not any(one.overlaps(two) for one, two in combinations(ranges, 2))


@given(shapes(), shapes())
def test_no_edit_moves_a_machine_that_is_there_before_and_after(before: dict[str, Any], after: dict[str, Any]) -> None:
    """Members, clusters, API servers and pools come and go in any order; whoever stays keeps address and zone."""
    had, has = addresses(plan(**before)), addresses(plan(**after))
    assert {name: had[name] for name in had.keys() & has} == {name: has[name] for name in had.keys() & has}


@given(shapes(), st.randoms())
def test_the_order_of_rows_decides_nothing(shape: dict[str, Any], random: Any) -> None:
    shuffled = {key: random.sample(rows, len(rows)) if isinstance(rows, list) else rows for key, rows in shape.items()}
    assert addresses(plan(**shape)) == addresses(plan(**shuffled))


@given(shapes())
def test_losing_a_zone_of_three_leaves_every_cluster_of_three_or_more_its_quorum(shape: dict[str, Any]) -> None:
    for cluster in plan(**shape).etcd:
        zones = [member.zone for member in cluster.members]
        worst = max(zones.count(zone) for zone in zones)
        assert len(zones) == 1 or len(zones) - worst > len(zones) // 2


def test_the_biggest_region_has_as_many_machines_as_its_rows_say() -> None:
    planned = biggest()
    assert len(planned.machines) == 3 * ETCD_MEMBERS.value + COUNT_MAX + 1 + len(planned.spec.simulated_pools)
    assert [len(pool.nodes) for pool in planned.machine_pools] == [625]
    assert sum(pool.nodes for pool in planned.spec.node_pools) == planned.spec.ceiling == BIGGEST["ceiling"]


def test_the_longest_names_are_still_host_names() -> None:
    planned = biggest()
    nodes = [f"{planned.spec.name}-{pool.name}-{pool.nodes:05d}" for pool in planned.spec.node_pools]
    for name in [*nodes, *(machine.name for machine in planned.machines)]:
        assert re.fullmatch(r"[a-z][a-z0-9-]*[a-z0-9]", name)
        assert len(name) <= HOSTNAME.value


def test_a_region_is_planned_the_same_every_time() -> None:
    assert plan() == plan()


def test_the_endpoint_is_the_load_balancer_and_no_api_server() -> None:
    planned = plan()
    assert planned.endpoint == "https://10.64.0.4:6443"
    assert planned.load_balancer.address not in {machine.address for machine in planned.api_servers}


@pytest.mark.parametrize("services", ["172.20.0.0/16", "192.168.0.0/28"])
def test_the_service_kubernetes_has_the_first_address_of_its_range(services: str) -> None:
    planned = plan(network={"range": "10.64.0.0/14", "services": services})
    assert str(planned.service_address) == services.split("/", maxsplit=1)[0][:-1] + "1"
