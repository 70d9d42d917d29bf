"""What the approver does with a request: look at the region, sign or say why not, and act only while it leads."""

import base64
import time
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cryptography import x509

from kilonode.pki.issue import new_authority
from tests.apiserver.approver import (
    ADDRESS,
    CLIENT,
    GIVEN,
    LIMITS,
    NODE,
    SERVING,
    O,
    api,
    certificates,
    controller,
    csr,
    events,
    joined,
    joining,
    joining_pool,
    named,
    requestqueue,
    spec,
)

PAIR = new_authority("west-nodes")
AUTHORITY = certificates.Authority.load(PAIR.certificate.encode(), PAIR.key.encode())
ACTED = datetime.now(UTC).replace(microsecond=0)


class Cluster:
    """The API server's side: requests, Nodes, Events; and the lease, which is held."""

    def __init__(self) -> None:
        self.requests: dict[str, Any] = {}
        self.nodes: dict[str, str] = {}
        self.events: list[Any] = []
        self.version = 0
        self.held = True
        self.away = False

    def ask(self, name: str, who: dict[str, Any], signer: str = CLIENT, pem: bytes = b"", **status: Any) -> Any:
        self.version += 1
        moment = f"{ACTED:%Y-%m-%dT%H:%M:%SZ}"
        metadata = {"name": name, "uid": name, "resourceVersion": str(self.version), "creationTimestamp": moment}
        request = base64.b64encode(pem or csr(named(who["username"].rpartition(":")[2]))).decode()
        self.requests[name] = {"metadata": metadata, "spec": spec(signer, who, request=request), "status": status}
        return deepcopy(self.requests[name])

    def make_node(self, name: str, made: datetime) -> None:
        self.nodes[name] = f"{made:%Y-%m-%dT%H:%M:%SZ}"

    def call(self, method: str, path: str, body: Any = None, may: Any = lambda: True) -> tuple[int, Any]:
        if self.away:
            raise api.UnavailableError("away")
        if not may():
            raise api.UnavailableError("too late")
        match method:
            case "GET":
                name = path.removeprefix("/api/v1/nodes/")
                found = self.nodes.get(name)
                return (200, {"metadata": {"creationTimestamp": found}}) if found else (404, {})
            case "POST":
                self.events.append(body)
                return 201, body
        name = path.split("/")[-2]
        if self.requests[name]["metadata"]["resourceVersion"] != body["metadata"]["resourceVersion"]:
            return 409, {}
        self.version += 1
        stored = self.requests[name] = deepcopy(body)
        stored["metadata"]["resourceVersion"] = str(self.version)
        for condition in stored["status"].get("conditions", []):
            condition.setdefault("lastUpdateTime", f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}")
        return 200, deepcopy(stored)

    def signed(self, name: str) -> bool:
        return "certificate" in self.requests[name]["status"]

    def reasons(self) -> list[str]:
        return [event["message"] for event in self.events]


class Leader:
    """An approver without threads: what is due is settled when told so."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.queue = requestqueue.RequestQueue(LIMITS)
        self.controller = controller.Controller(cluster, cluster, AUTHORITY, self.queue)

    def lists(self, signer: str = CLIENT) -> None:
        listed = requestqueue.RequestQueue(LIMITS)
        for name in sorted(self.cluster.requests):
            if self.cluster.requests[name]["spec"]["signerName"] == signer:
                listed.see(deepcopy(self.cluster.requests[name]))
        self.queue.load(signer, listed)

    def settles(self, later: float = 0) -> None:
        """Settle what is due after ``later`` seconds, each request once."""

        class Enough(BaseException):
            pass

        take, had = self.queue.take, set()

        def once(moment: float, _: float) -> Any:
            found = take(moment + later, 0)
            if found is None or found.name in had:
                if found is not None:
                    self.queue.done(found, 0, found.told)
                raise Enough
            had.add(found.name)
            return found

        self.queue.take = once
        try:
            self.controller.work()
        except Enough:
            self.queue.take = take


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
