"""What the approver remembers: which requests wait, who asked last, who was let in lately."""

from itertools import count
from typing import Any

from tests.apiserver.approver import CLIENT, NODE, SERVING, book, joined, joining, spec

VERSIONS = count(1)
SOON = 0.0  # seconds to wait for what is there already


def request(name: str, who: dict[str, Any], signer: str = CLIENT, created: int = 0, **status: Any) -> dict[str, Any]:
    moment = f"2026-01-01T00:00:{created:02}Z"
    metadata = {"name": name, "uid": name, "resourceVersion": str(next(VERSIONS)), "creationTimestamp": moment}
    return {"metadata": metadata, "spec": spec(signer, who), "status": status}


def approved(moment: str = "2026-01-01T00:00:00Z") -> list[dict[str, str]]:
    return [{"type": "Approved", "status": "True", "lastUpdateTime": moment}]


def taken(kept: Any, moment: float = 100) -> str | None:
    found = kept.take(moment, SOON)
    return None if found is None else str(found["metadata"]["name"])


def test_a_request_is_given_to_one_worker_and_again_only_when_it_is_due() -> None:
    kept = book.Book()
    kept.see(request("a", joining()))
    assert taken(kept) == "a"
    assert taken(kept) is None
    kept.done("a", 110)
    assert taken(kept, 109.9) is None
    assert taken(kept, 110) == "a"
    kept.done("a", None)
    assert taken(kept, 10**6) is None


def test_a_request_that_changes_is_looked_at_at_once_but_not_by_two_workers() -> None:
    kept = book.Book()
    kept.see(request("a", joining()))
    assert taken(kept) == "a"
    kept.see(request("a", joining(), conditions=approved()))
    assert taken(kept) is None
    kept.done("a", 10**6)
    assert taken(kept) == "a"


def test_an_older_state_than_the_one_known_changes_nothing() -> None:
    kept = book.Book()
    old = request("a", joining())
    kept.see(request("a", joining(), certificate="x"))
    kept.see(old)
    assert taken(kept) is None


def test_what_has_its_certificate_or_was_denied_is_settled() -> None:
    for status in ({"certificate": "x"}, {"conditions": [{"type": "Denied"}]}, {"conditions": [{"type": "Failed"}]}):
        kept = book.Book()
        kept.see(request("a", joining()))
        kept.see(request("a", joining(), **status))
        assert taken(kept) is None, status


def test_one_approved_without_its_certificate_is_still_open() -> None:
    """The approver before this one may have ended between the two."""
    kept = book.Book()
    kept.see(request("a", joining(), conditions=approved()))
    assert taken(kept) == "a"


def test_a_deleted_request_is_forgotten_also_while_a_worker_has_it() -> None:
    kept = book.Book()
    kept.see(request("a", joining()))
    assert taken(kept) == "a"
    kept.gone("a")
    kept.done("a", 0)
    assert taken(kept) is None


def test_what_a_new_list_lacks_is_forgotten_for_that_signer_alone() -> None:
    kept = book.Book()
    kept.see(request("gone", joining()))
    kept.see(request("here", joined(), CLIENT))
    kept.see(request("serving", joined(), SERVING))
    kept.only(CLIENT, ["here"])
    assert {taken(kept), taken(kept), taken(kept)} == {"here", "serving", None}


def test_only_the_latest_of_a_machine_s_requests_to_join_is_not_superseded() -> None:
    kept = book.Book()
    first, second, third = (request(name, joining(), created=at) for name, at in (("a", 1), ("b", 5), ("c", 3)))
    other = request("other", joining(node="west-workers-00008"), created=9)
    renewal = request("renewal", joined(), created=9)
    for each in (second, first, third, other, renewal):
        kept.see(each)
    assert [kept.superseded(each) for each in (first, second, third, other, renewal)] == [
        True,
        False,
        True,
        False,
        False,
    ]
    kept.gone("b")
    assert [kept.superseded(each) for each in (first, third)] == [True, False]
    kept.see(request("c", joining(), created=3, certificate="x"))
    assert kept.superseded(first) is False


def test_a_request_that_is_refused_for_good_stands_in_no_other_s_way() -> None:
    kept = book.Book()
    right, wrong = request("right", joining(), created=1), request("wrong", joining(), created=2)
    kept.see(wrong)
    assert taken(kept) == "wrong"
    kept.see(right)
    assert kept.superseded(right)
    kept.done("wrong", None)
    assert not kept.superseded(right)
    kept.gone("wrong")
    assert not kept.superseded(right)


def test_of_two_made_in_one_second_the_later_version_is_the_later() -> None:
    kept = book.Book()
    first, second = (request(name, joining(), created=1) for name in ("b", "a"))
    kept.see(first)
    kept.see(second)
    assert (kept.superseded(first), kept.superseded(second)) == (True, False)


def test_a_second_machine_is_not_let_in_for_two_minutes_and_the_same_request_always_is() -> None:
    kept = book.Book()
    first, second = request("a", joining()), request("b", joining())
    other = request("c", joining(node="west-workers-00008"))
    assert kept.let_in(first, 1000)
    assert kept.let_in(first, 1001)
    assert not kept.let_in(second, 1001)
    assert kept.let_in(other, 1001)
    assert not kept.let_in(second, 1120)
    assert kept.let_in(second, 1121)
    assert not kept.let_in(first, 1122)


def test_whom_another_approver_has_let_in_is_known_from_the_request() -> None:
    kept = book.Book()
    kept.see(request("a", joining(), conditions=approved("2026-01-01T00:00:10Z"), certificate="x"))
    second = request("b", joining())
    moment = 1_767_225_610  # the same in seconds
    assert not kept.let_in(second, moment + 119)
    assert kept.let_in(second, moment + 120)


def test_a_renewal_lets_nobody_in() -> None:
    kept = book.Book()
    kept.see(request("a", joined(), conditions=approved("2026-01-01T00:00:10Z"), certificate="x"))
    assert kept.let_in(request("b", joining(NODE)), 1_767_225_610)
