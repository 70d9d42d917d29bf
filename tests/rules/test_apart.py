"""A region whose parts are in several stacks, and Events that are apart from other keys."""

import pytest

from kilonode.rules.read.facts import read_facts
from kilonode.rules.registry import BY_ID
from kilonode.rules.rule import Undecided, Violation
from tests.rules.foreign import Foreign
from tests.rules.foreign_flags import URL, server_flags
from tests.rules.judged import kinds, said, stack
from tests.rules.written import cloud_config, encoded, unit, with_property


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


def region(cluster: int, *numbers: int, etcd: str | None = None) -> dict[int, dict[str, str]]:
    """API servers of one region by their numbers, with ``etcd-servers`` of an etcd cluster, or as given."""
    urls = [URL.format(cluster=cluster, number=each, port=2379) for each in (1, 2, 3)]
    return {n: {**server_flags(), "etcd-servers": ",".join(urls) if etcd is None else etcd} for n in numbers}


def served(*regions: dict[int, dict[str, str]]) -> Foreign:
    of = Foreign()
    of.servers = {number: flags for each in regions for number, flags in each.items()}
    return of


LOCAL, ELSEWHERE = "https://127.0.0.1:2379", "https://10.7.0.{}:2379"
ONE, TWO, OTHER = (ELSEWHERE.format(number) for number in (1, 2, 9))


@pytest.mark.parametrize(
    ("regions", "sizes"),
    [
        ((region(1, 1, 2, 3),), [3]),
        ((region(1, 1), region(2, 2, 3)), [1, 2]),
        # Each names the member beside it: they are one by the cluster.
        (tuple(region(1, n, etcd=URL.format(cluster=1, number=n, port=2379)) for n in (1, 2, 3)), [3]),
        # Two sets of URLs of clusters in other stacks, that a third server joins.
        ((region(1, 1, etcd=f"{ONE},{TWO}"), region(1, 2, etcd=f"{OTHER},{OTHER}0")), [1, 1]),
        ((region(1, 1, etcd=f"{ONE},{TWO}"), region(1, 2, 3, etcd=f"{OTHER},{TWO}")), [3]),
        ((region(1, 1, etcd=LOCAL), region(1, 2, 3, etcd="http://localhost:2379")), [3]),
        ((region(1, 1, etcd=LOCAL), region(1, 2, 3)), [3]),
        ((region(1, 1, etcd="[::1]:2379"), region(1, 2, 3, etcd="")), [3]),
        ((region(1, 1, etcd="${ETCD}"), region(1, 2, 3)), [3]),
    ],
)
def test_api_servers_are_grouped_by_the_cluster_they_serve(
    regions: tuple[dict[int, dict[str, str]], ...], sizes: list[int]
) -> None:
    facts = served(*regions).facts()
    assert [len(group.servers) for group in facts.api_servers] == sizes
    assert facts.uncounted == ()


def test_api_servers_of_two_regions_in_one_stack_are_each_too_few() -> None:
    found = said("apiserver-count", served(region(1, 1), region(2, 2, 3)).resources())
    assert [(each.resource.rpartition("::")[2], each.value) for each in found if isinstance(each, Violation)] == [
        ("api-1", "1"),
        ("api-2", "2"),
    ]


@pytest.mark.parametrize("vague", [LOCAL, "${ETCD}", OTHER])
def test_a_server_that_may_be_of_either_cluster_leaves_their_counts_undecided(vague: str) -> None:
    regions = region(1, 1, 2, 3), region(2, 4, 5, 6), region(1, 7, etcd=vague)
    found = said("apiserver-count", served(*regions).resources())
    assert [(type(each), each.resource.rpartition("::")[2]) for each in found] == [(Undecided, "api-7")]
    assert len(said("apiserver-profiling", served(*regions).resources())) == 0


def test_a_server_beside_a_member_serves_the_members_cluster_at_localhost() -> None:
    of = served(region(1, 1, etcd=LOCAL), region(1, 2), region(2, 3))
    both = {
        f"/etc/systemd/system/{name}.service": unit(name, flags)
        for name, flags in (("etcd", of.members[1, 1]), ("kube-apiserver", of.servers[1]))
    }
    data = encoded(cloud_config(both))
    stacked = [
        with_property(each, "osProfile.customData", data) if each.name == "api-1" else each
        for each in of.resources()
        if each.name != "etcd-1-1"
    ]
    assert [len(group.servers) for group in read_facts(stacked).api_servers] == [2, 1]
