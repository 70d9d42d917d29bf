"""A machine with an empty disk comes back under its old name once its Node is silent, and takes no living node's."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.apiserver.approver import GIVEN, NODE, controller, csr, joining, joining_pool, named, silence
from tests.apiserver.cluster import ACTED, Cluster, Leader

LOOK = controller.AGAIN
OLD = datetime(2026, 1, 1, tzinfo=UTC)


class Clock:
    """The approver's own, which only goes on when told so."""

    def __init__(self) -> None:
        self.moment = 1000.0

    def __call__(self) -> float:
        return self.moment


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(controller, "now", made)
    return made


@pytest.fixture
def cluster() -> Cluster:
    """With one Node, from long ago, that has renewed its Lease, and a machine that asks to join as it."""
    made = Cluster()
    made.make_node(GIVEN, OLD)
    made.renew(GIVEN)
    made.ask("a", joining_pool(), pem=csr(named(GIVEN)))
    return made


@pytest.fixture
def leader(cluster: Cluster) -> Leader:
    made = Leader(cluster)
    made.lists()
    return made


def looks(leader: Leader, clock: Clock, seconds: float, between: Callable[[], None] = lambda: None) -> None:
    """Settle every ten seconds for so long, first at once; ``between`` two looks something happens."""
    end = clock.moment + seconds
    leader.settles(later=10**6)
    while clock.moment + LOOK <= end:
        clock.moment += LOOK
        between()
        leader.settles(later=10**6)


def test_it_is_let_in_when_the_node_has_been_silent_for_five_minutes_and_not_before(
    cluster: Cluster, leader: Leader, clock: Clock
) -> None:
    looks(leader, clock, 290)
    assert (GIVEN in cluster.nodes, cluster.signed("a")) == (True, False)
    (told,) = cluster.reasons()
    assert f"the Node {GIVEN} exists" in told
    looks(leader, clock, 10)
    assert (GIVEN in cluster.nodes, cluster.signed("a")) == (False, True)


def test_a_node_that_renews_its_lease_keeps_its_name_whatever_its_clock_says(
    cluster: Cluster, leader: Leader, clock: Clock
) -> None:
    looks(leader, clock, 3600, lambda: cluster.renew(GIVEN))
    assert (GIVEN in cluster.nodes, cluster.signed("a")) == (True, False)


def test_one_renewal_in_between_makes_the_wait_begin_anew(cluster: Cluster, leader: Leader, clock: Clock) -> None:
    looks(leader, clock, 290)
    cluster.renew(GIVEN)
    looks(leader, clock, 299)
    assert not cluster.signed("a")
    looks(leader, clock, 10)
    assert cluster.signed("a")


@pytest.mark.parametrize("made", [OLD, ACTED])
def test_a_node_without_a_lease_is_watched_for_as_long_however_old_it_is(
    cluster: Cluster, leader: Leader, clock: Clock, made: datetime
) -> None:
    cluster.make_node(GIVEN, made)
    cluster.leases.clear()
    looks(leader, clock, 290)
    assert not cluster.signed("a")
    looks(leader, clock, 10)
    assert cluster.signed("a")


def test_another_node_of_the_name_is_watched_anew(cluster: Cluster, leader: Leader, clock: Clock) -> None:
    looks(leader, clock, 290)
    cluster.make_node(GIVEN, ACTED)
    looks(leader, clock, 290)
    assert (GIVEN in cluster.nodes, cluster.signed("a")) == (True, False)


def test_a_node_that_is_made_between_the_look_and_the_removal_stays(
    cluster: Cluster, leader: Leader, clock: Clock
) -> None:
    looks(leader, clock, 290)
    cluster.before_delete = lambda: cluster.make_node(GIVEN, ACTED)
    looks(leader, clock, 20)
    assert (GIVEN in cluster.nodes, cluster.signed("a")) == (True, False)


def test_nobody_is_let_in_while_somebody_s_finalizer_holds_the_node(
    cluster: Cluster, leader: Leader, clock: Clock
) -> None:
    cluster.nodes[GIVEN]["metadata"]["finalizers"] = ["example.com/stay"]
    looks(leader, clock, 400)
    assert not cluster.signed("a")
    assert any("is being removed" in reason for reason in cluster.reasons())
    del cluster.nodes[GIVEN]["metadata"]["finalizers"]
    looks(leader, clock, 0)
    assert cluster.signed("a")


def test_whoever_leads_next_watches_anew(cluster: Cluster, leader: Leader, clock: Clock) -> None:
    looks(leader, clock, 290)
    successor = Leader(cluster)
    successor.lists()
    looks(successor, clock, 290)
    assert not cluster.signed("a")
    looks(successor, clock, 10)
    assert cluster.signed("a")


def test_a_time_in_which_the_api_did_not_answer_does_not_count(cluster: Cluster, leader: Leader, clock: Clock) -> None:
    """Nodes could not renew their Leases then either."""
    looks(leader, clock, 100)
    cluster.away = True
    looks(leader, clock, 600)
    cluster.away = False
    looks(leader, clock, 290)
    assert not cluster.signed("a")
    looks(leader, clock, 10)
    assert cluster.signed("a")


def test_who_does_not_lead_any_more_removes_nothing(cluster: Cluster, leader: Leader, clock: Clock) -> None:
    looks(leader, clock, 290)
    cluster.held = False
    looks(leader, clock, 20)
    assert GIVEN in cluster.nodes


def test_of_two_machines_of_one_name_one_comes_in_place_of_the_silent_node(
    cluster: Cluster, leader: Leader, clock: Clock
) -> None:
    cluster.ask("b", joining_pool(), pem=csr(named(GIVEN)))
    leader.lists()
    looks(leader, clock, 400)
    assert [cluster.signed(name) for name in ("a", "b")] == [False, True]


def test_a_planned_node_comes_back_likewise(cluster: Cluster, leader: Leader, clock: Clock) -> None:
    cluster.make_node(NODE, OLD)
    cluster.ask("c", joining())
    leader.lists()
    looks(leader, clock, 300)
    assert NODE not in cluster.nodes
    assert cluster.signed("c")


@given(st.lists(st.tuples(st.floats(0, 200), st.booleans()), max_size=60))
def test_silence_is_never_longer_than_since_the_last_sign_and_never_over_a_gap(
    looked: list[tuple[float, bool]],
) -> None:
    watched, moment, sign, since = silence.Silences(), 1000.0, 0, 1000.0
    watched.seconds(NODE, "0", moment)
    for later, renewed in looked:
        before, moment, sign = moment, moment + later, sign + renewed
        if renewed or moment - before > silence.FORGOTTEN:
            since = moment
        assert watched.seconds(NODE, str(sign), moment) == moment - since


def test_nodes_that_nobody_asks_for_any_more_are_forgotten() -> None:
    watched = silence.Silences()
    for number in range(5_000):
        watched.seconds(f"west-workers-{number:05}", "x", float(number))
    assert len(watched._watched) <= silence.FORGOTTEN + 1
