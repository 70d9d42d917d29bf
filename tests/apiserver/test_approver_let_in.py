"""Who was let in lately, so that no second machine comes beside the first."""

from tests.apiserver.approver import (
    GIVEN,
    NODE,
    PREFIX,
    joined,
    joining,
    joining_pool,
    requestqueue,
)
from tests.apiserver.queues import MOMENT, approved, queue, request, waiting


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
