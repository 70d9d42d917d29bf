"""How many nodes a region is judged by, where some pools may be of nodes or not, or of another cluster."""

from dataclasses import replace
from typing import Any

import pytest

from kilonode.rules.facts.region import Bounds
from kilonode.rules.read.facts import read_facts
from kilonode.rules.read.region import shared
from kilonode.rules.read.resource import Resource
from kilonode.rules.registry import BY_ID
from kilonode.rules.rule import Undecided, Violation
from kilonode.rules.unknown import Unknown
from tests.rules.foreign import Foreign
from tests.rules.written import cloud_config, encoded, urn, with_property

SIZED = ("etcd-members-enough", "apiserver-count", "apiserver-in-flight", "arp-thresholds-large")
HIDDEN = Unknown("hidden")
RUNNERS = cloud_config({"/etc/runner": "yes"}, "run-jobs")


def stack(*others: tuple[str, Any, Any]) -> list[Resource]:
    """The clean stack of 400 nodes, and other sets: each with its user data and how many machines it may become."""
    own = Foreign().resources()
    pool = next(each for each in own if each.name == "pool")
    for name, data, most in others:
        other = replace(pool, name=name, urn=urn(pool.type, name))
        given = encoded(data) if isinstance(data, str) else data
        other = with_property(other, "virtualMachineProfile.osProfile.customData", given)
        own.append(with_property(other, "tags", {"max": most} if isinstance(most, str) else most))
    return own


def told(resources: list[Resource], **settings: int) -> set[tuple[str, type]]:
    facts = read_facts(resources)
    return {(name, type(each)) for name in SIZED for each in BY_ID[name].check(facts, settings)}


@pytest.mark.parametrize(
    ("most", "kind"), [("100", None), ("101", Undecided), ("2000", Undecided), (HIDDEN, Undecided)]
)
def test_a_pool_that_may_be_of_nodes_leaves_undecided_what_it_would_decide(most: Any, kind: type | None) -> None:
    found = told(stack(("runners", RUNNERS, most)))
    assert ("etcd-members-enough", kind) in found if kind else found == set()
    assert {kind for _, kind in found} <= {Undecided}


def test_what_is_decided_without_that_pool_is_told() -> None:
    own = stack(("runners", RUNNERS, "2000"))
    own = [with_property(each, "tags.max", "501") if each.name == "pool" else each for each in own]
    assert ("etcd-members-enough", Violation) in told(own)
    assert {("etcd-members-enough", Violation), ("apiserver-in-flight", Violation)} <= told(
        stack(("runners", RUNNERS, "2000")), nodes=5_000
    )


def test_a_team_that_says_how_many_nodes_there_are_has_decided() -> None:
    assert told(stack(("runners", RUNNERS, "2000")), nodes=400) == set()


def test_where_no_pool_says_that_it_is_of_nodes_these_are_elsewhere() -> None:
    own = [each for each in stack(("runners", RUNNERS, "10")) if each.name != "pool"]
    nodes = read_facts(own).nodes
    assert isinstance(nodes, Unknown)
    assert not isinstance(nodes, Bounds)
    assert ("etcd-members-enough", Undecided) in told(own)


@pytest.mark.parametrize(("nodes", "most"), [(300, 300), (Bounds("n", 3, 7), 7), (Bounds("n", 3, HIDDEN), HIDDEN)])
def test_one_of_several_clusters_has_none_to_all_of_the_nodes(nodes: Any, most: Any) -> None:
    found = shared(nodes)
    assert isinstance(found, Bounds)
    assert (found.least, found.most) == (0, most)
    assert shared(HIDDEN) == HIDDEN


def test_nodes_of_two_clusters_are_not_added_up() -> None:
    def of(nodes: str, **flags: str) -> set[tuple[str, type]]:
        own = Foreign()
        own.pool["tags"] = {**own.pool["tags"], "max": nodes}
        own.servers[1] |= flags
        return told(own.resources())

    elsewhere = {"etcd-servers": "https://10.8.0.1:2379,https://10.8.0.2:2379"}
    assert ("etcd-members-enough", Violation) in of("600")
    assert ("etcd-members-enough", Undecided) in of("600", **elsewhere)
    assert ("etcd-members-enough", Violation) not in of("600", **elsewhere)
    assert ("etcd-members-enough", Undecided) not in of("400", **elsewhere)


def test_two_clusters_without_api_servers_may_be_of_one_region_or_of_two() -> None:
    own = [each for each in stack() if not each.name.startswith("api-")]
    assert isinstance(read_facts(own).nodes, Bounds)
    alone = [each for each in own if not each.name.startswith("etcd-2")]
    assert read_facts(alone).nodes == 400
