"""A region whose parts are in several stacks, and Events that are apart from other keys."""

import pytest

from kilonode.rules.read.facts import read_facts
from kilonode.rules.registry import BY_ID
from kilonode.rules.rule import Undecided, Violation
from tests.rules.foreign import Foreign
from tests.rules.judged import kinds, said, stack


@pytest.mark.parametrize("rule", ["apiserver-in-flight", "arp-thresholds-large"])
def test_how_large_a_region_is_whose_pools_are_in_another_stack_is_undecided_or_said(rule: str) -> None:
    resources = [each for each in stack() if each.name != "pool"]
    assert kinds(rule, resources) == {Undecided}
    assert {type(each) for each in BY_ID[rule].check(read_facts(resources), {"nodes": 7_500})} == {Violation}


@pytest.mark.parametrize("rule", ["apiserver-count", "etcd-members-enough"])
def test_how_many_machines_such_a_region_needs_is_undecided_or_said(rule: str) -> None:
    facts = read_facts([each for each in stack() if each.name != "pool"])
    assert {type(each) for each in BY_ID[rule].check(facts)} == {Undecided}
    assert {type(each) for each in BY_ID[rule].check(facts, {"nodes": 501})} == {Violation}
    assert not list(BY_ID[rule].check(facts, {"nodes": 500}))


def test_requests_in_flight_fit_the_region_though_etcd_is_in_another_stack() -> None:
    of = Foreign()
    of.pool["tags"]["max"] = "900"
    for flags in of.servers.values():
        flags |= {"max-requests-inflight": "400", "max-mutating-requests-inflight": "200"}
    resources = [each for each in of.resources() if not each.name.startswith("etcd-")]
    found = [each for each in said("apiserver-in-flight", resources) if isinstance(each, Violation)]
    assert {each.resource.rpartition("::")[2] for each in found} == {"api-1", "api-2", "api-3"}
    assert {each.limit.partition(" for ")[2] for each in found} == {"900 nodes"}


def events(main: str, own: str) -> Foreign:
    of = Foreign()
    for flags in of.servers.values():
        flags |= {"etcd-servers": main, "etcd-servers-overrides": f"/events#{own}"}
    return of


@pytest.mark.parametrize(
    ("main", "own", "value"),
    [
        ("https://etcd-1", "https://etcd-2", None),
        ("https://etcd-1", "https://etcd-1:2379", "etcd-1 has both"),
        ("https://[fd00::1]:2379", "https://[fd00::2]:2379", None),
        ("https://[fd00::1]:2379", "https://[FD00::1]:2381", "fd00::1 has both"),
        ("10.0.0.1:2379", "10.0.0.1:2381", "10.0.0.1 has both"),
        ("https://[:2379", "https://[:2379", "https://[:2379 has both"),
        ("", "https://etcd-2", None),
        ("https://etcd-1", "", "/events#"),
    ],
)
def test_events_are_apart_whether_or_not_urls_have_a_port(main: str, own: str, value: str | None) -> None:
    found = said("etcd-events-apart", events(main, own).resources())
    assert {each.value for each in found if isinstance(each, Violation)} == ({value} if value else set())
    assert len(found) == (3 if value else 0)
