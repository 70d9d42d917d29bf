"""An exemption says why, ends within a year, and covers what its pattern says."""

from datetime import date, timedelta
from typing import Any

import pytest

from kilonode.rules.exemption import LONGEST, matches
from kilonode.rules.judge import judge
from kilonode.rules.read.facts import read_facts
from kilonode.rules.unknown import Unknown
from tests.rules.foreign import Foreign, with_property
from tests.rules.test_policy import TODAY, read, refused


def exemption(**changes: Any) -> dict[str, Any]:
    row = {
        "rule": "balloon-priority",
        "resource": "*::room",
        "reason": "moved to another pool",
        "expires": "2026-05-13",
    }
    return {"kilonode-settings": {"exemptions": [row | changes]}}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"reason": "ok, later!" + "." * 20}, "at least 10 letters and digits"),
        ({"reason": "moved to another pool\n[mandatory] etcd-quota"}, "one line of printable characters"),
        ({"reason": "moved to another \x1b[31mpool"}, "one line of printable characters"),
        ({"reason": "moved to another \u202epool"}, "one line of printable characters"),
        ({"reason": None}, "text"),
        ({"resource": ""}, "a name, or a pattern with *"),
        ({"resource": " *::room"}, "a name, or a pattern with *"),
        ({"resource": "*::room\n"}, "a name, or a pattern with *"),
        ({"rule": "balloons"}, "the id of a rule"),
        ({"expires": "20260513"}, "a date such as 2027-01-31"),
        ({"expires": "2026-W20-3"}, "a date such as 2027-01-31"),
        ({"expires": "2026-02-30"}, "a date such as 2027-01-31"),
        ({"expires": "2026-05-13T00:00:00"}, "a date such as 2027-01-31"),
        ({"expires": 20260513}, "a date such as 2027-01-31"),
        ({"expires": "9999-12-31"}, "a day up to 2027-05-05, a year from today"),
        ({"expires": str(TODAY + LONGEST + timedelta(days=1))}, "a day up to 2027-05-05"),
    ],
)
def test_an_exemption_that_says_nothing_or_never_ends_is_refused(change: dict[str, Any], words: str) -> None:
    (found,) = refused(exemption(**change))
    assert found.field == f"policy.kilonode-settings.exemptions[0].{next(iter(change))}"
    assert words in found.allowed


def test_an_exemption_may_last_a_year_and_its_reason_is_told_without_blanks_around_it() -> None:
    (found,) = read(exemption(expires=str(TODAY + LONGEST), reason="  bis zum Umzug, 3 Wochen \n")).exemptions
    assert (found.expires, found.reason) == (TODAY + LONGEST, "bis zum Umzug, 3 Wochen")


def test_a_reason_of_ten_letters_is_enough() -> None:
    (found,) = read(exemption(reason="goes in May 7.")).exemptions
    assert found.reason == "goes in May 7."


@pytest.mark.parametrize(
    ("change", "covered"),
    [({}, True), ({"rule": "image-latest"}, False), ({"resource": "*::rooms"}, False), ({"resource": "*::r*"}, True)],
)
def test_an_exemption_is_of_its_own_rule_and_of_its_own_resources(change: dict[str, str], covered: bool) -> None:
    found = read(exemption(**change)).exemption("balloon-priority", "urn:pulumi:prod::a::b::room")
    assert (found is not None) is covered


@pytest.mark.parametrize(("days", "violations"), [(0, 0), (1, 1)])
def test_an_exemption_holds_on_its_last_day_and_not_on_the_next(days: int, violations: int) -> None:
    of, last = Foreign(), date.fromisoformat("2026-05-13")
    of.balloon = 0
    verdicts = list(judge(of.facts(), read(exemption()), "prod", last + timedelta(days=days)))
    assert sum(len(each.violations) for each in verdicts) == violations
    assert sum(len(each.exempted) for each in verdicts) == 1 - violations


def idle(of: Foreign, stack: str = "prod", **changes: Any) -> list[str]:
    """Resources of exemptions that are said to exempt nothing."""
    verdicts = judge(of.facts(), read(exemption(**changes)), stack, date.fromisoformat("2026-05-01"))
    return [each.resource for verdict in verdicts for each in verdict.idle]


@pytest.mark.parametrize(
    ("balloon", "change", "told"),
    [
        (0, {}, False),
        (-10, {}, True),
        (0, {"resource": "*::rooms"}, True),
        (0, {"resource": "room"}, True),
        (0, {"rule": "image-latest"}, True),
        (0, {"expires": "2020-01-01"}, False),
        (-10, {"expires": "2020-01-01"}, True),
    ],
)
def test_an_exemption_that_covers_no_violation_exempts_nothing(
    balloon: int, change: dict[str, str], told: bool
) -> None:
    of = Foreign()
    of.balloon = balloon
    assert bool(idle(of, **change)) is told


def test_of_two_exemptions_of_one_violation_neither_exempts_nothing() -> None:
    of, policy = Foreign(), exemption(resource="*")
    of.balloon = 0
    policy["kilonode-settings"]["exemptions"] += exemption(expires="2026-06-01")["kilonode-settings"]["exemptions"]
    assert [each for verdict in judge(of.facts(), read(policy), "prod", TODAY) for each in verdict.idle] == []


@pytest.mark.parametrize(
    ("resource", "told"),
    [
        ("urn:pulumi:prod::*::rooms", True),
        ("urn:pulumi:prod::foreign::*::rooms", True),
        ("urn:pulumi:prod*::rooms", True),
        ("urn:pulumi:*::rooms", True),
        ("urn:*::rooms", True),
        ("urn:pulumi:prod-2::*::room", False),
        ("urn:pulumi:test*::room", False),
    ],
)
def test_an_exemption_of_another_stack_is_not_said_to_exempt_nothing(resource: str, told: bool) -> None:
    assert idle(Foreign(), resource=resource) == ([resource] if told else [])


def test_while_a_rule_is_undecided_or_disabled_nobody_can_tell_that_its_exemption_exempts_nothing() -> None:
    of = Foreign()
    resources = [
        with_property(each, "value", Unknown("value")) if each.name == "room" else each for each in of.resources()
    ]
    policies = (read(exemption()), read({"balloon-priority": "disabled", **exemption()}))
    for facts, policy in zip((read_facts(resources), of.facts()), policies, strict=True):
        assert [each for verdict in judge(facts, policy, "prod", TODAY) for each in verdict.idle] == []
        assert [each for verdict in judge(of.facts(), policies[0], "prod", TODAY) for each in verdict.idle]


def test_an_exemption_that_has_ended_is_read_and_covers_nothing_new() -> None:
    assert read(exemption(expires="2020-01-01")).exemption("balloon-priority", "a::room") is not None


@pytest.mark.parametrize(
    ("pattern", "text", "covered"),
    [
        ("*::pool[0]", "urn::pool[0]", True),
        ("*::pool[0]", "urn::pool0", False),
        ("*::pool?", "urn::pool1", False),
        ("*::pool?", "urn::pool?", True),
        ("a*b*c", "a\nb::c", True),
        ("*::[!a]", "urn::b", False),
        ("pool", "pool-2", False),
        ("POOL", "pool", False),
        ("*" * 40 + "x", "y" * 200, False),
    ],
)
def test_only_a_star_of_a_pattern_stands_for_something_else(pattern: str, text: str, covered: bool) -> None:
    assert matches(text, pattern) is covered
