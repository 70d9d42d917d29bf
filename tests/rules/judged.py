"""What one rule says of a clean stack in which some properties are set."""

from typing import Any

from kilonode.rules.read.facts import read_facts
from kilonode.rules.read.resource import Resource
from kilonode.rules.registry import BY_ID
from kilonode.rules.rule import Undecided, Violation
from tests.rules.foreign import Foreign
from tests.rules.written import with_property


def said(rule: str, resources: list[Resource]) -> list[Violation | Undecided]:
    return list(BY_ID[rule].check(read_facts(resources)))


def kinds(rule: str, resources: list[Resource]) -> set[type]:
    return {type(each) for each in said(rule, resources)}


def stack(*changes: tuple[str, str, Any]) -> list[Resource]:
    """The clean stack with some properties set, by a resource's name and a path."""
    resources = Foreign().resources()
    for name, path, value in changes:
        resources = [with_property(each, path, value) if each.name == name else each for each in resources]
    return resources
