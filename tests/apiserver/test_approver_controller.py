"""What the approver does with a request: look at the region, sign or say why not, and act only while it leads."""

import base64
import time
from datetime import timedelta

import pytest
from cryptography import x509

from tests.apiserver.approver import (
    ADDRESS,
    CLIENT,
    GIVEN,
    NODE,
    SERVING,
    O,
    csr,
    events,
    joined,
    joining,
    joining_pool,
    named,
)
from tests.apiserver.cluster import ACTED, Cluster, Leader


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


@pytest.fixture
def leader(cluster: Cluster) -> Leader:
    return Leader(cluster)


def test_a_new_leader_lets_nobody_in_beside_whom_the_one_before_it_has(cluster: Cluster, leader: Leader) -> None:
    """The pending request sorts before the one that was approved, and is older or newer."""
    cluster.ask("b", joining())
    leader.lists()
    leader.settles()
    assert cluster.signed("b")
    for name in ("a", "c"):
        cluster.ask(name, joining())
    other = Leader(cluster)
    other.lists()
    other.settles()
    assert not cluster.signed("a")
    assert not cluster.signed("c")
    assert any("within two minutes" in each for each in cluster.reasons())


def test_the_certificate_says_when_the_machine_joined(cluster: Cluster, leader: Leader) -> None:
    cluster.ask("a", joining_pool(), pem=csr(named(GIVEN)))
    leader.lists()
    begin = int(time.time())
    leader.settles()
    made = x509.load_pem_x509_certificate(base64.b64decode(cluster.requests["a"]["status"]["certificate"]))
    groups = {str(each.value).rpartition(":")[0]: each.value for each in made.subject.get_attributes_for_oid(O)}
    assert begin <= int(str(groups["kilonode:joined"]).rpartition(":")[2]) <= time.time()


@pytest.mark.parametrize(
    ("signer", "pem"), [(CLIENT, csr()), (SERVING, csr(None, (NODE,), (ADDRESS,)))], ids=["client", "serving"]
)
@pytest.mark.parametrize(("late", "signed"), [(900, True), (901, False)])
def test_a_node_that_was_made_anew_gets_nothing_with_an_old_certificate(
    cluster: Cluster, leader: Leader, signer: str, pem: bytes, late: int, signed: bool
) -> None:
    at = ACTED - timedelta(days=20)
    cluster.make_node(NODE, at + timedelta(seconds=late))
    cluster.ask("a", joined(at=int(at.timestamp())), signer, pem)
    leader.lists(signer)
    leader.settles()
    assert cluster.signed("a") == signed
    assert [f"the Node {NODE} was made long after" in each for each in cluster.reasons()] == [True] * (not signed)
    cluster.nodes.clear()
    leader.settles(later=60)
    assert cluster.signed("a") == signed


def test_a_waiting_machine_is_let_in_once_the_node_is_gone_and_told_once_before(
    cluster: Cluster, leader: Leader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "SPAN", 0)
    cluster.make_node(NODE, ACTED)
    cluster.ask("a", joining())
    leader.lists()
    for moment in range(0, 200, 11):
        leader.settles(later=moment)
    assert [f"the Node {NODE} exists" in each for each in cluster.reasons()] == [True]
    cluster.nodes.clear()
    leader.settles(later=300)
    assert cluster.signed("a")


def test_who_does_not_lead_any_more_writes_nothing_about_a_request(cluster: Cluster, leader: Leader) -> None:
    cluster.ask("a", joining())
    cluster.held = False
    leader.lists()
    leader.settles()
    assert cluster.requests["a"]["status"] == {}
    cluster.held = True
    leader.settles(later=2)
    assert cluster.signed("a")


def test_one_approved_and_not_signed_is_signed_by_the_next(cluster: Cluster, leader: Leader) -> None:
    cluster.make_node(NODE, ACTED)
    condition = {"type": "Approved", "status": "True", "lastUpdateTime": f"{ACTED:%Y-%m-%dT%H:%M:%SZ}"}
    cluster.ask("a", joining(), conditions=[condition])
    cluster.ask("b", joined(), pem=csr(named("west-workers-00008")), conditions=[condition])
    leader.lists()
    leader.settles()
    assert (cluster.signed("a"), cluster.signed("b")) == (True, False)


def test_a_user_is_told_a_reason_once_a_minute(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    said, moment = events.Events(cluster), [1000.0]
    monkeypatch.setattr(events.time, "monotonic", lambda: moment[0])
    first, second = cluster.ask("a", joining()), cluster.ask("b", joining())
    other = cluster.ask("c", joining("west-workers-00008"))
    assert [said.tell(each, "why") for each in (first, second, other)] == [True, False, True]
    assert said.tell(second, "another why")
    moment[0] += 59.9
    assert not said.tell(second, "why")
    moment[0] += 0.1
    assert said.tell(second, "why")


def test_events_about_one_user_are_few_whatever_reasons_he_makes(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    said, moment = events.Events(cluster), [1000.0]
    monkeypatch.setattr(events.time, "monotonic", lambda: moment[0])
    request = cluster.ask("a", joining())
    for number in range(6_000):
        moment[0] = 1000 + number / 100
        said.tell(request, f"why {number}")
    assert len(cluster.events) == 10
    for number in range(1_000):
        moment[0] += 1
        said.tell(cluster.ask("x", joining(f"west-workers-{number:05}")), "why")
    assert len(said._said) < 100
    assert len(cluster.events) == 1_010


def test_an_event_that_could_not_be_made_is_made_when_the_api_server_is_back(cluster: Cluster, leader: Leader) -> None:
    cluster.ask("a", joining(), pem=csr(named("west-workers-00008")))
    cluster.away = True
    leader.lists()
    leader.settles()
    assert cluster.events == []
    cluster.away = False
    leader.settles(later=2)
    assert len(cluster.events) == 1
