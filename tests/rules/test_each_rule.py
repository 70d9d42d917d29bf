"""Each rule is broken by one change of a clean stack, and no other is."""

from dataclasses import replace

import pytest

from kilonode.rules.read.facts import read_facts
from kilonode.rules.read.resource import Resource
from kilonode.rules.registry import BY_ID, RULES
from kilonode.rules.rule import Undecided, Violation
from kilonode.rules.unknown import Unknown
from tests.rules.breaks import BREAKS, Break
from tests.rules.foreign import Foreign


def findings(of: Foreign, case: Break | None = None) -> list[Violation | Undecided]:
    facts = of.facts()
    return [
        finding
        for rule in RULES
        if rule.level != "disabled" or (case and case.rule == rule.id)
        for finding in rule.check(facts, dict(case.settings) if case and case.rule == rule.id else None)
    ]


def test_a_clean_stack_that_knows_nothing_of_this_library_breaks_no_rule() -> None:
    assert findings(Foreign()) == []
    assert findings(Foreign(large=True)) == []


def test_machines_are_grouped_by_what_their_user_data_says() -> None:
    facts = Foreign().facts()
    assert [[member.name for member in cluster.members] for cluster in facts.clusters] == [
        ["m1-1", "m1-2", "m1-3"],
        ["m2-1", "m2-2", "m2-3"],
    ]
    assert [cluster.events for cluster in facts.clusters] == [False, True]
    assert facts.api_servers is not None
    assert len(facts.api_servers.servers) == 3


@pytest.mark.parametrize("case", BREAKS, ids=[case.rule for case in BREAKS])
def test_one_fault_breaks_one_rule_and_says_where_and_what(case: Break) -> None:
    of = Foreign(large=case.large)
    case.change(of)
    found = findings(of, case)
    assert {finding.rule for finding in found} == {case.rule}
    first = found[0]
    assert isinstance(first, Violation)
    assert first.field == case.field
    assert first.value.startswith(case.value)
    assert all((first.limit, first.why, first.fix, first.resource))


def test_every_rule_has_a_fault_that_breaks_it() -> None:
    assert {case.rule for case in BREAKS} == set(BY_ID)


def sealed(resource: Resource) -> Resource:
    """The resource with every property unknown, nested ones too."""
    return replace(
        resource,
        properties={key: Unknown(key) for key in resource.properties},
        ignore=Unknown("ignoreChanges"),
        protect=Unknown("protect"),
        id=Unknown("id"),
    )


def test_when_everything_is_unknown_no_rule_is_broken_and_none_crashes() -> None:
    facts = read_facts(map(sealed, Foreign().resources()))
    found = [finding for rule in RULES for finding in rule.check(facts)]
    assert [finding for finding in found if isinstance(finding, Violation)] == []
    undecided = {finding.rule for finding in found}
    # These two look at what nobody has to tell: how many resources there are, and tags that nobody has asked for.
    assert set(BY_ID) - undecided == {"required-tags", "stack-size"}
