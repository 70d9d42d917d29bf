"""Which of many requests are considered: the latest of a machine and of a user, and none stands in another's way."""

import pytest

from tests.apiserver.approver import (
    CLIENT,
    GIVEN,
    PREFIX,
    joined,
    joining,
    joining_pool,
    requestqueue,
)
from tests.apiserver.queues import done, left, queue, request, taken, waiting


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
