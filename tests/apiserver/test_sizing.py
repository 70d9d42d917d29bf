"""Control-plane sizes follow from the ceiling, never shrink as it grows, and reach the machines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilonode.apiserver.flags import kube_apiserver_flags
from kilonode.apiserver.sizing import SIZES, event_ttl_row, goaway_row, in_flight_rows, size_for
from kilonode.limits import GOAWAY_CHANCE_MAX, NODES
from tests.plans import plan, pool

CEILINGS = st.integers(1, NODES.value)


@given(CEILINGS, CEILINGS)
def test_a_higher_ceiling_never_gets_less(one: int, two: int) -> None:
    low, high = size_for(min(one, two)), size_for(max(one, two))
    for field in ("reads_in_flight", "mutations_in_flight", "client_qps", "concurrent_syncs"):
        assert getattr(low, field) <= getattr(high, field)


def test_every_ceiling_a_region_may_have_is_served() -> None:
    assert SIZES[-1].nodes == NODES.value
    assert [size.nodes for size in SIZES] == sorted(size.nodes for size in SIZES)


@pytest.mark.parametrize(
    ("ceiling", "reads", "mutations"),
    [(100, 400, 200), (500, 400, 200), (501, 1500, 500), (2500, 1500, 500), (3001, 3000, 1000), (7500, 3000, 1000)],
)
def test_in_flight_limits_follow_the_known_table(ceiling: int, reads: int, mutations: int) -> None:
    planned = plan(ceiling=ceiling)
    flags = kube_apiserver_flags(planned, planned.api_servers[0])
    assert f"--max-requests-inflight={reads}" in flags
    assert f"--max-mutating-requests-inflight={mutations}" in flags


def test_sizes_follow_the_ceiling_and_not_today_s_nodes() -> None:
    few, many = (
        plan(ceiling=5000, nodePools=[pool("sim", 0, "10.66.0.0/15", nodes=nodes, podsPerNode=10)])
        for nodes in (1, 5000)
    )
    assert kube_apiserver_flags(few, few.api_servers[0]) == kube_apiserver_flags(many, many.api_servers[0])


@pytest.mark.parametrize("servers", [2, 5, 9])
def test_clients_are_moved_between_several_servers_now_and_then(servers: int) -> None:
    assert goaway_row(servers).flag == "--goaway-chance=0.001"
    assert 0 < float(goaway_row(servers).value) <= GOAWAY_CHANCE_MAX.value / 100


def test_clients_of_a_single_server_are_never_sent_away() -> None:
    assert goaway_row(1).flag == "--goaway-chance=0"


def test_what_a_person_gives_takes_the_place_of_what_follows_from_the_ceiling() -> None:
    flags = [row.flag for row in in_flight_rows(500, 800, 300)]
    assert flags == ["--max-requests-inflight=800", "--max-mutating-requests-inflight=300"]
    assert event_ttl_row(60).flag == "--event-ttl=1h0m0s"
    assert event_ttl_row(1440).flag == "--event-ttl=24h0m0s"
    assert event_ttl_row(90).flag == "--event-ttl=1h30m0s"
