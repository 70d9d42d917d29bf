"""A claim that trips over what a person has written is undecided there, and every other claim is judged."""

from collections.abc import Iterator

from kilonode.rules.facts.stack import Facts, Stack
from kilonode.rules.rule import Fault, Undecided, Violation, rule


def tripping(subject: Stack) -> Iterator[Fault]:
    """It reads what is none."""
    if subject.resources > 1:
        yield Fault("first", 1, "none")
        raise ValueError("hunter2")


def facts(resources: int) -> Facts:
    return Facts(stack=Stack("urn:one", resources))


def made(over: object = lambda facts: [facts.stack]) -> object:
    return rule("tripping", over, severity="low", why="w", source="s", fix="f")(tripping)  # type: ignore[arg-type]


def test_what_a_claim_trips_over_is_undecided_and_what_it_said_before_stands() -> None:
    first, second = made().check(facts(2))  # type: ignore[attr-defined]
    assert isinstance(first, Violation)
    assert second == Undecided("tripping", "urn:one", "what this rule reads (ValueError)")
    assert "hunter2" not in str(second)
    assert [*made().check(facts(1))] == []  # type: ignore[attr-defined]


def test_subjects_that_cannot_be_found_leave_the_whole_rule_undecided() -> None:
    def over(_facts: Facts) -> list[Stack]:
        raise KeyError("hunter2")

    (found,) = made(over).check(facts(2))  # type: ignore[attr-defined]
    assert found == Undecided("tripping", "urn:one", "what this rule reads (KeyError)")
