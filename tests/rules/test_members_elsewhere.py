"""A cluster whose members are in several stacks has as many as they are told of; what is asked of each of them is undecided."""

from collections.abc import Collection
from typing import Any

import pytest

from kilonode.rules.registry import BY_ID
from kilonode.rules.rule import Undecided, Violation
from tests.rules.foreign import Foreign
from tests.rules.foreign_flags import member_flags

RULES = ("etcd-members-odd", "etcd-members-enough", "etcd-zones", "etcd-quota-equal")
WAITS = [("etcd-zones", Undecided), ("etcd-quota-equal", Undecided)]


def of(told: int, here: Collection[int]) -> Foreign:
    """The clean stack with one cluster, which was told of so many members, and has these."""
    own = Foreign()
    own.members = {(1, number): member_flags(1, number, told) for number in here}
    return own


def said(own: Foreign) -> list[tuple[str, Any]]:
    facts = own.facts()
    found = [(rule, each) for rule in RULES for each in BY_ID[rule].check(facts)]
    return [(rule, each.value if isinstance(each, Violation) else type(each)) for rule, each in found]


@pytest.mark.parametrize(
    ("told", "here", "nodes", "found"),
    [
        (3, (1, 2, 3), 400, []),
        (3, (2,), 400, WAITS),
        (3, (1, 2), 400, WAITS),
        (4, (1, 2, 3), 400, [("etcd-members-odd", "4"), *WAITS]),
        (2, (1,), 400, [("etcd-members-odd", "2"), ("etcd-members-enough", "2"), ("etcd-quota-equal", Undecided)]),
        (5, (1, 2, 3), 7500, WAITS),
        (3, (1,), 7500, [("etcd-members-enough", "3"), *WAITS]),
        (5, (1, 4, 7), 7500, [("etcd-zones", "3 members in 1"), ("etcd-quota-equal", Undecided)]),
        (3, (1, 2, 3, 5), 400, [("etcd-members-odd", "4"), ("etcd-zones", "2 members in 2")]),
    ],
)
def test_a_cluster_has_as_many_members_as_they_were_told_of_and_at_least_those_here(
    told: int, here: tuple[int, ...], nodes: int, found: list[tuple[str, Any]]
) -> None:
    own = of(told, here)
    own.pool["tags"] = {**own.pool["tags"], "max": str(nodes)}
    assert said(own) == found


@pytest.mark.parametrize(
    ("told", "found"),
    [
        ("m1-1=https://10.0.1.1:2380", [("etcd-members-odd", "2"), ("etcd-members-enough", "2")]),
        ("", [("etcd-members-odd", "2"), ("etcd-members-enough", "2")]),
        ("m1-1=https://10.0.1.1:2380,m1-2=https://10.0.1.2:2380,m1-3=https://10.0.1.9:2380", WAITS),
    ],
)
def test_members_that_were_told_differently_are_those_of_the_stack(told: str, found: list[tuple[str, Any]]) -> None:
    own = of(3, (1, 2))
    own.members[1, 1]["initial-cluster"] = told
    assert said(own) == found


def test_a_member_with_several_urls_is_one() -> None:
    own = of(3, (1, 2, 3))
    for each in (1, 2, 3):
        own.members[1, each]["initial-cluster"] += ",m1-1=https://[fd00::1]:2380"
    assert said(own) == []


def test_one_fault_of_the_members_here_is_told_beside_what_cannot_be() -> None:
    own = of(5, (1, 2, 3))
    own.members[1, 1]["quota-backend-bytes"] = "4294967296"
    assert ("etcd-quota-equal", "4294967296") in said(own)
    assert ("etcd-quota-equal", Undecided) in said(own)
