"""What comes in a region's own time is waited for, and asked anew; the region is played."""

from types import SimpleNamespace
from typing import Any

import pytest

from ops import drill
from ops.claims import api, claim, etcd, nodes
from ops.claims.claim import BrokenClaimError, until
from ops.https import Answer
from ops.ready import Count, Region, table
from tests.plans import plan


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claim, "PAUSE", 0)


def region(**more: Any) -> Any:
    return SimpleNamespace(plan=plan(), kubeconfig="/kubeconfig", **more)


def test_up_ends_with_what_it_has_waited_for_and_asks_nobody_again() -> None:
    looks = iter([[Count("members", 1, 2, ("b",))], [Count("members", 2, 2)]])
    waited = Region._wait(region(), lambda: next(looks))
    rows = dict(line.split(maxsplit=1) for line in table(region(), waited, {"nodes": 1.0}).splitlines() if line)
    assert rows["members"] == "2/2"


def test_a_claim_that_is_broken_for_a_moment_holds_and_one_that_stays_so_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = iter([False, BrokenClaimError("not yet"), True])

    def ready() -> bool:
        now = next(seen)
        if isinstance(now, BrokenClaimError):
            raise now
        return now

    until(ready, "it")
    monkeypatch.setattr(claim, "PATIENCE", 0)
    with pytest.raises(BrokenClaimError, match="it: not there after 0 s b is away"):
        until(lambda: False, "it", lambda: "b is away")


def test_events_that_are_written_between_two_counts_are_no_strays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look finds one Event more, or one less."""
    moment = [0]

    def count(_region: Any, cluster: Any, prefix: str, at: int = 0) -> int:
        moment[0] += 1
        events = 10 + ((at or moment[0]) * 7) % 5
        return (events if prefix else events + 1) if cluster.spec.name == "events" else 0

    monkeypatch.setattr(etcd, "count", count)
    monkeypatch.setattr(etcd, "revision", lambda *_: moment[0] + 1)
    for _ in range(5):
        assert "0 in main" in etcd.keys_apart(region())


def test_a_service_is_asked_until_its_node_knows_all_pods_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodes, "ROUNDS", 2)
    answers = iter(["10.0.0.1 a", "10.0.0.1 a", "10.0.0.1 a", "10.0.0.1 b"])
    pods: Any = [SimpleNamespace(name=name, ask=lambda _url: next(answers)) for name in "ab"]
    until(lambda: nodes._all_serve(pods, "http://x"), "the Service")
    assert list(answers) == []


def test_a_lease_that_nobody_has_yet_is_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    given = region()
    server = given.plan.api_servers[0].name
    renewed = "2999-01-01T00:00:00.000000Z"
    holders = iter(["", f"{server}_1", f"{server}_1"])
    monkeypatch.setattr(api, "CONTROLLERS", {"kube-scheduler": 10259})
    monkeypatch.setattr(api, "get", lambda *_: {"spec": {"renewTime": renewed, "holderIdentity": next(holders)}})
    monkeypatch.setattr(api.Client, "call", lambda *_: Answer(401, ""))
    assert api.controllers_lead(given) == f"kube-scheduler on {server}"


def test_a_leader_is_found_once_members_have_one(monkeypatch: pytest.MonkeyPatch) -> None:
    leaders = iter([0, 0, 7, 7])
    monkeypatch.setattr(drill, "member_ids", lambda *_: {"west-etcd-main-1": "7"})
    monkeypatch.setattr(drill, "etcdctl", lambda *_: [{"Status": {"leader": next(leaders)}}])
    assert drill.leader(region()) == "west-etcd-main-1"
