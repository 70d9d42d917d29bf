"""Each rule is broken by one change of a clean stack, and no other is; every door says it word for word."""

from dataclasses import replace
from typing import Any

import pytest

from kilonode.rules import judge
from kilonode.rules.read.facts import read_facts
from kilonode.rules.read.resource import Resource
from kilonode.rules.registry import BY_ID, RULES
from kilonode.rules.rule import Undecided, Violation
from kilonode.rules.unknown import Unknown
from tests.rules.breaks import BREAKS
from tests.rules.broken import Break
from tests.rules.doors import DOORS
from tests.rules.foreign import Foreign

NEEDS_NOTHING = {"required-tags", "stack-size"}
"""Judged by what nobody has to tell: how many resources there are, and tags that nobody has asked for."""

each_break = pytest.mark.parametrize("case", BREAKS, ids=[f"{each.rule}-{each.field}" for each in BREAKS])
each_door = pytest.mark.parametrize("door", DOORS)


def findings(resources: list[Resource], case: Break | None = None) -> list[Violation | Undecided]:
    facts = read_facts(resources)
    return [
        finding
        for rule in RULES
        if rule.level != "disabled" or (case and case.rule == rule.id)
        for finding in rule.check(facts, dict(case.settings) if case and case.rule == rule.id else None)
    ]


@pytest.mark.parametrize("large", [False, True])
@each_door
def test_a_clean_stack_that_knows_nothing_of_this_library_breaks_no_rule(door: str, large: bool) -> None:
    resources = Foreign(large=large).resources()
    assert findings(resources) == []
    assert DOORS[door](resources, {}) == []


def test_machines_are_grouped_by_what_their_user_data_says() -> None:
    facts = Foreign().facts()
    assert [[member.name for member in cluster.members] for cluster in facts.clusters] == [
        ["m1-1", "m1-2", "m1-3"],
        ["m2-1", "m2-2", "m2-3"],
    ]
    assert [len(group.servers) for group in facts.api_servers] == [3]


@each_door
@each_break
def test_one_fault_breaks_one_rule_and_every_door_says_it_word_for_word(case: Break, door: str) -> None:
    resources = case.broken().resources()
    assert DOORS[door](resources, case.policy()) == case.told(resources)


@each_break
def test_without_its_claim_a_rule_is_silent_at_every_door(case: Break, monkeypatch: pytest.MonkeyPatch) -> None:
    silent = tuple(replace(rule, claim=_nothing) if rule.id == case.rule else rule for rule in RULES)
    monkeypatch.setattr(judge, "RULES", silent)
    resources = case.broken().resources()
    assert {door: told(resources, case.policy()) for door, told in DOORS.items()} == {door: [] for door in DOORS}


def _nothing(_subject: object, **_settings: object) -> tuple[()]:
    return ()


def test_every_rule_has_a_fault_that_breaks_it() -> None:
    assert {case.rule for case in BREAKS} == set(BY_ID)


def sealed(resource: Resource) -> Resource:
    """The resource with everything unknown, what nobody has written too."""
    unknown: Any = Unknown("everything")
    return replace(resource, properties=unknown, ignore=unknown, protect=unknown, id=unknown)


def test_when_everything_is_unknown_no_rule_is_broken_and_none_crashes() -> None:
    found = findings([sealed(each) for each in Foreign().resources()])
    assert [finding for finding in found if isinstance(finding, Violation)] == []
    enabled = {rule.id for rule in RULES if rule.level != "disabled"}
    assert enabled - {finding.rule for finding in found} == NEEDS_NOTHING


@each_break
def test_what_would_be_a_fault_is_undecided_while_it_is_unknown(case: Break) -> None:
    """Unknown wherever the fault is, and known everywhere else: never a violation, and never a pass."""
    hidden = [sealed(each) if each.name in case.where else each for each in case.broken().resources()]
    own = [finding for finding in findings(hidden, case) if finding.rule == case.rule]
    assert case.rule == "stack-size" or {type(finding) for finding in own} == {Undecided}


@pytest.mark.parametrize("name", [each.name for each in Foreign().resources()])
def test_one_resource_of_which_nothing_is_known_breaks_no_rule_of_the_others(name: str) -> None:
    found = findings([sealed(each) if each.name == name else each for each in Foreign().resources()])
    assert [finding for finding in found if isinstance(finding, Violation)] == []


def test_at_its_own_port_a_load_balancer_is_the_apis_also_where_no_machine_is_known_to_be_an_api_server() -> None:
    for case in BREAKS:
        if case.rule in {"apiserver-probe", "apiserver-probe-events", "api-private"}:
            own = case.broken().resources()
            for kept in (
                [sealed(each) if each.type.endswith(":VirtualMachine") else each for each in own],
                [each for each in own if not each.type.endswith(":VirtualMachine")],
            ):
                assert case.rule in {each.rule for each in findings(kept) if isinstance(each, Violation)}
