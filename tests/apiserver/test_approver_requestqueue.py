"""What the approver remembers: which requests wait, who asked last, which nodes were let in lately."""

from tests.apiserver.approver import (
    CLIENT,
    SERVING,
    joined,
    joining,
)
from tests.apiserver.queues import MOMENT, SOON, approved, done, left, queue, request, taken, waiting


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


def test_what_cannot_be_read_is_a_request_of_no_node() -> None:
    broken = request("a", joining())
    broken["spec"]["request"] = "eA=="
    assert waiting(broken).node == ""
    assert taken(queue(broken)) == "a"
