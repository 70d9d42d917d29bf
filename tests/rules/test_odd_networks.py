"""Whatever stands where a value of a network or a store should be, no rule of them crashes, and unknown is never a violation."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kilonode.rules.read.facts import read_facts
from kilonode.rules.read.resource import Resource
from kilonode.rules.registry import BY_ID
from kilonode.rules.rule import Undecided, Violation
from kilonode.rules.unknown import Unknown
from tests.rules.foreign_network import networks
from tests.rules.test_odd_values import ODD, paths
from tests.rules.written import with_property

RULES = ("storage-private", "store-protected", "public-address", "api-private", "apiserver-probe", "address-budget")
CLEAN = networks()
PLACES = [(each.name, path) for each in CLEAN for path in paths(dict(each.properties))]


def found(resources: list[Resource]) -> list[Violation | Undecided]:
    facts = read_facts(resources)
    return [each for rule in RULES for each in BY_ID[rule].check(facts)]


def changed(name: str, path: str, value: Any) -> list[Resource]:
    return [with_property(each, path, value) if each.name == name else each for each in CLEAN]


def test_nothing_is_open_and_nothing_undecided_in_networks_of_every_kind() -> None:
    assert found(CLEAN) == []


@pytest.mark.parametrize(("name", "path"), PLACES)
def test_an_unknown_value_anywhere_in_a_network_breaks_no_rule(name: str, path: str) -> None:
    assert [each for each in found(changed(name, path, Unknown(path))) if isinstance(each, Violation)] == []


@given(place=st.sampled_from(PLACES), value=ODD)
@settings(max_examples=150)
def test_an_odd_value_anywhere_in_a_network_crashes_no_rule(place: tuple[str, str], value: Any) -> None:
    assert not [each for each in found(changed(*place, value)) if each.field.startswith("what this rule reads")]
