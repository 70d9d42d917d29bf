"""What the approver remembers: which requests wait, who asked last, which nodes were let in lately."""

import base64
from dataclasses import replace
from functools import cache
from itertools import count
from typing import Any

import pytest

from tests.apiserver.approver import (
    CLIENT,
    GIVEN,
    LIMITS,
    NODE,
    PREFIX,
    SERVING,
    csr,
    joined,
    joining,
    joining_pool,
    named,
    requestqueue,
    spec,
)

VERSIONS = count(1)
SOON = 0.0  # seconds to wait for what is there already


@cache
def encoded(node: str) -> str:
    return base64.b64encode(csr(named(node))).decode()


def request(
    name: str, who: dict[str, Any], signer: str = CLIENT, created: int = 0, node: str = "", **status: Any
) -> dict[str, Any]:
    moment = f"2026-01-01T00:{created // 60:02}:{created % 60:02}Z"
    metadata = {"name": name, "uid": name, "resourceVersion": str(next(VERSIONS)), "creationTimestamp": moment}
    asked = encoded(node or who["username"].rpartition(":")[2])
    return {"metadata": metadata, "spec": spec(signer, who, request=asked), "status": status}


def approved(moment: str = "2026-01-01T00:00:00Z") -> list[dict[str, str]]:
    return [{"type": "Approved", "status": "True", "lastUpdateTime": moment}]


def queue(*seen: dict[str, Any], **limits: int) -> Any:
    made = requestqueue.RequestQueue(replace(LIMITS, **limits))
    for each in seen:
        made.see(each)
    return made


def taken(kept: Any, moment: float = 100) -> str | None:
    found = kept.take(moment, SOON)
    return None if found is None else str(found.name)


def left(kept: Any) -> set[str]:
    """Names of all that are due."""
    return set(iter(lambda: taken(kept), None))


def done(kept: Any, document: dict[str, Any], due: float | None, told: str = "") -> None:
    kept.done(waiting(document), due, told)


def waiting(document: dict[str, Any]) -> Any:
    return requestqueue.Waiting.of(document)


def test_a_request_is_given_to_one_worker_and_again_only_when_it_is_due() -> None:
    a = request("a", joining())
    kept = queue(a)
    assert taken(kept) == "a"
    assert taken(kept) is None
    done(kept, a, 110)
    assert taken(kept, 109.9) is None
    assert taken(kept, 110) == "a"
    done(kept, a, None)
    assert taken(kept, 10**6) is None


def test_a_request_that_changes_is_looked_at_at_once_but_not_by_two_workers() -> None:
    a = request("a", joining())
    kept = queue(a)
    assert taken(kept) == "a"
    kept.see(request("a", joining(), conditions=approved()))
    assert taken(kept) is None
    done(kept, a, 10**6)
    assert taken(kept) == "a"


def test_what_was_told_about_a_request_is_remembered_while_it_waits_and_over_its_changes() -> None:
    a = request("a", joining())
    kept = queue(a)
    assert kept.take(0, SOON).told == ""
    done(kept, a, 1, "why")
    assert kept.take(1, SOON).told == "why"
    kept.see(request("a", joining(), label="x"))
    done(kept, a, 2, "why")
    assert kept.take(1, SOON).told == "why"
    kept.gone("a")
    kept.see(request("a", joining()))
    assert kept.take(1, SOON) is None  # the worker that had it has it still
    done(kept, a, 2, "")
    assert kept.take(2, SOON).told == ""


def test_an_older_state_than_the_one_known_changes_nothing() -> None:
    old = request("a", joining())
    kept = queue(request("a", joining(), certificate="x"))
    kept.see(old)
    assert taken(kept) is None


def test_what_has_its_certificate_or_was_denied_is_settled() -> None:
    for status in ({"certificate": "x"}, {"conditions": [{"type": "Denied"}]}, {"conditions": [{"type": "Failed"}]}):
        kept = queue(request("a", joining()))
        kept.see(request("a", joining(), **status))
        assert taken(kept) is None, status


def test_one_approved_without_its_certificate_is_still_open() -> None:
    """The approver before this one may have ended between the two."""
    assert taken(queue(request("a", joining(), conditions=approved()))) == "a"


def test_a_deleted_request_is_forgotten_also_while_a_worker_has_it() -> None:
    a = request("a", joining())
    kept = queue(a)
    assert taken(kept) == "a"
    kept.gone("a")
    done(kept, a, 0)
    assert taken(kept) is None


def test_what_a_list_lacks_is_forgotten_for_that_signer_alone() -> None:
    here = request("here", joined(), CLIENT)
    kept = queue(request("gone", joining()), here, request("serving", joined(), SERVING))
    kept.load(CLIENT, queue(here))
    assert left(kept) == {"here", "serving"}


def test_a_list_is_taken_over_in_one_step() -> None:
    """A pending request that sorts before the approved one of the same machine must not be let in beside it."""
    pending, settled = (
        request("a", joining(), created=1),
        request("b", joining(), conditions=approved("2026-01-01T00:00:10Z"), certificate="x"),
    )
    kept = queue()
    assert taken(kept) is None
    kept.load(CLIENT, queue(pending, settled))
    assert taken(kept) == "a"
    assert not kept.let_in(waiting(pending), MOMENT + 1)


def test_a_list_that_says_what_is_known_starts_nothing_anew() -> None:
    a, b = request("a", joining()), request("b", joined())
    kept = queue(a, b)
    assert {taken(kept), taken(kept)} == {"a", "b"}
    done(kept, a, 110, "why")
    done(kept, b, None)
    kept.load(CLIENT, queue(a, b))
    assert taken(kept, 109) is None
    assert kept.take(110, SOON).told == "why"
    assert taken(kept, 10**6) is None


def test_what_a_list_says_is_settled_is_not_open_any_more() -> None:
    kept = queue(request("a", joining()))
    kept.load(CLIENT, queue(request("a", joining(), certificate="x")))
    assert taken(kept) is None


def test_only_the_latest_of_a_machine_s_requests_to_join_is_not_superseded() -> None:
    first, second, third = (request(name, joining(), created=at) for name, at in (("a", 1), ("b", 5), ("c", 3)))
    other = request("other", joining(node="west-workers-00008"), created=9)
    kept = queue(second, first, third, other, request("renewal", joined(), created=9))
    assert [kept.superseded(waiting(each)) for each in (first, second, third, other)] == [True, False, True, False]
    kept.gone("b")
    assert [kept.superseded(waiting(each)) for each in (first, third)] == [True, False]
    kept.see(request("c", joining(), created=3, certificate="x"))
    assert kept.superseded(waiting(first)) is False


def test_machines_that_share_a_credential_supersede_none_but_themselves() -> None:
    first, second = (request(name, joining_pool(), node=GIVEN, created=at) for name, at in (("a", 1), ("b", 2)))
    other = request("c", joining_pool(), node=f"{PREFIX}00000b", created=3)
    kept = queue(first, second, other)
    assert [kept.superseded(waiting(each)) for each in (first, second, other)] == [True, False, False]


def test_a_request_that_is_refused_for_good_stands_in_no_other_s_way() -> None:
    right, wrong = request("right", joining(), created=1), request("wrong", joining(), created=2)
    kept = queue(wrong)
    assert taken(kept) == "wrong"
    kept.see(right)
    assert kept.superseded(waiting(right))
    done(kept, wrong, None)
    assert not kept.superseded(waiting(right))
    kept.gone("wrong")
    assert not kept.superseded(waiting(right))


def test_of_two_made_in_one_second_the_later_version_is_the_later_also_when_the_other_changes() -> None:
    first, second = (request(name, joining(), created=1) for name in ("b", "a"))
    kept = queue(first, second)
    for _ in range(2):
        assert (kept.superseded(waiting(first)), kept.superseded(waiting(second))) == (True, False)
        kept.see(request("b", joining(), created=1, label="x"))
        assert taken(kept)


def test_of_a_user_s_requests_the_latest_are_considered_and_no_more() -> None:
    many = [request(f"r{number:03}", joining(), created=number) for number in range(50)]
    other = request("other", joining(node="west-workers-00008"))
    for order in (many, many[::-1]):
        kept = queue(other, *order, user=20)
        assert left(kept) == {"other"} | {each["metadata"]["name"] for each in many[-20:]}
    kept = queue()
    kept.load(CLIENT, queue(*many, user=20))
    assert len(left(kept)) == 20


def test_one_that_is_pushed_out_while_a_worker_has_it_is_superseded_and_forgotten() -> None:
    first, *more = (request(f"r{number}", joining(), created=number) for number in range(3))
    kept = queue(first, user=2)
    assert taken(kept) == "r0"
    for each in more:
        kept.see(each)
    assert kept.superseded(waiting(first))
    done(kept, first, 0)
    assert left(kept) == {"r1", "r2"}


def test_whoever_makes_requests_without_end_leaves_no_trace_of_each() -> None:
    kept = queue(user=20)
    for number in range(3_000):
        wrong = request(f"wrong{number}", joined(), created=number % 3600)
        kept.see(wrong)
        if number % 2:
            taken(kept)
            done(kept, wrong, None)
    assert len(kept._open) <= 20
    assert sum(map(len, kept._of.values())) == len(kept._open)
    assert len(kept._due) <= 20


def test_what_is_remembered_of_the_settled_is_bounded_and_the_latest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requestqueue, "CLOSED", 3)
    settled = [request(f"r{number}", joined(), certificate="x") for number in range(10)]
    assert list(queue(*settled)._closed) == ["r7", "r8", "r9"]


def test_machines_of_a_pool_may_all_ask_at_once() -> None:
    many = [request(f"r{number}", joining_pool(), node=f"{PREFIX}{number:06}", created=number) for number in range(30)]
    assert len(left(queue(*many, user=20, pool=25))) == 25


MOMENT = 1_767_225_610  # 2026-01-01T00:00:10Z


def test_a_second_machine_is_not_let_in_for_two_minutes_and_the_same_request_always_is() -> None:
    kept = queue()
    first, second = waiting(request("a", joining())), waiting(request("b", joining()))
    other = waiting(request("c", joining(node="west-workers-00008")))
    assert kept.let_in(first, 1000)
    assert kept.let_in(first, 1001)
    assert not kept.let_in(second, 1001)
    assert kept.let_in(other, 1001)
    assert not kept.let_in(second, 1120)
    assert kept.let_in(second, 1121)
    assert not kept.let_in(first, 1122)


def test_of_machines_that_share_a_credential_each_name_is_let_in_once() -> None:
    kept = queue()
    first, second = (waiting(request(name, joining_pool(), node=GIVEN)) for name in "ab")
    other = waiting(request("c", joining_pool(), node=f"{PREFIX}00000b"))
    assert [kept.let_in(each, 1000) for each in (first, second, other)] == [True, False, True]


def test_whom_another_approver_has_let_in_is_known_from_the_request() -> None:
    for who, node in ((joining(), NODE), (joining_pool(), GIVEN)):
        settled = request("a", who, node=node, conditions=approved("2026-01-01T00:00:10Z"), certificate="x")
        second = waiting(request("b", who, node=node))
        assert not queue(settled).let_in(second, MOMENT + 119)
        assert queue(settled).let_in(second, MOMENT + 120)


def test_a_renewal_lets_nobody_in() -> None:
    kept = queue(request("a", joined(), conditions=approved("2026-01-01T00:00:10Z"), certificate="x"))
    assert kept.let_in(waiting(request("b", joining(NODE))), MOMENT)


def test_who_was_let_in_long_ago_is_forgotten() -> None:
    kept = queue()
    for number in range(100):
        machine = waiting(request(f"r{number}", joining_pool(), node=f"{PREFIX}{number:06}"))
        assert kept.let_in(machine, 1000 + number * 60)
    assert len(kept._let_in) == requestqueue.FORGOTTEN / 60 + 1


def test_what_cannot_be_read_is_a_request_of_no_node() -> None:
    broken = request("a", joining())
    broken["spec"]["request"] = "eA=="
    assert waiting(broken).node == ""
    assert taken(queue(broken)) == "a"
