"""Who may reach whom: the rows of the security groups, held against what the programs listen on."""

from ipaddress import ip_address, ip_network
from itertools import combinations
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilonode.clouds.azure.plan import AzurePlan
from kilonode.clouds.azure.rules import DENY_PRIORITY, PROBE, REACHES, pool_ranges
from kilonode.etcd.config import member_config
from kilonode.limits import AZURE_NSG_PRIORITY, AZURE_NSG_RANGES, AZURE_NSG_RULES
from kilonode.network.slots import FIXED_PREFIX
from tests.clouds.azure.regions import plan, pool

HUB, ELSEWHERE = "10.0.0.7", "192.168.1.1"
PLAN = plan(nodePools=[pool(), pool(name="more", range="10.66.0.0/16")])
NODE, POD, OTHER_POOL = "10.65.0.4", "10.65.3.200", "10.66.0.9"


def reaches(of: AzurePlan, source: str, target: str, port: int, protocol: str = "Tcp") -> bool:
    """What Azure would do: the first rule that matches decides (network-security-groups-overview)."""
    subnet = next(subnet for vnet in of.vnets for subnet in vnet.subnets if ip_address(target) in subnet.range)
    for rule in sorted(subnet.rules, key=lambda rule: rule.priority):
        from_there = any(
            each == "*"
            or (each == source if "/" not in each else source[0].isdigit() and ip_address(source) in ip_network(each))
            for each in rule.sources
        )
        if from_there and rule.port in ("*", str(port)) and rule.protocol in ("*", protocol):
            return rule.access == "Allow"
    raise AssertionError("no rule matched, and Azure's own would let it in")


def address(of: AzurePlan, name: str) -> str:
    return str(of.machine(name).machine.address)


MAIN_1, MAIN_2, EVENTS_1, API_1, API_2 = (
    address(PLAN, f"west-{name}") for name in ("etcd-main-1", "etcd-main-2", "etcd-events-1", "api-1", "api-2")
)


@pytest.mark.parametrize(
    ("source", "target", "port"),
    [
        (API_1, MAIN_1, 2379), (API_2, EVENTS_1, 2379), (MAIN_2, MAIN_1, 2379), (MAIN_2, MAIN_1, 2380),
        (HUB, MAIN_1, 2379), (HUB, EVENTS_1, 2381),
        (PROBE, API_1, 6443), (NODE, API_1, 6443), (POD, API_2, 6443), (OTHER_POOL, API_1, 6443), (HUB, API_1, 6443),
        (API_1, NODE, 10250), (API_1, POD, 8443), (OTHER_POOL, POD, 80), (NODE, OTHER_POOL, 10250),
    ],
)  # fmt: skip
def test_what_a_program_needs_is_open(source: str, target: str, port: int) -> None:
    assert reaches(PLAN, source, target, port)


@pytest.mark.parametrize(
    ("source", "target", "port"),
    [
        (EVENTS_1, MAIN_1, 2379), (EVENTS_1, MAIN_1, 2380), (API_1, MAIN_1, 2380), (API_1, MAIN_1, 2381), (NODE, MAIN_1, 2379), (POD, MAIN_1, 2380),
        (POD, MAIN_1, 2381), (HUB, MAIN_1, 2380), (ELSEWHERE, MAIN_1, 2379), (PROBE, MAIN_1, 2379), (PROBE, NODE, 10250),
        (MAIN_1, API_1, 6443), (API_2, API_1, 6443), (API_2, API_1, 10257), (POD, API_1, 10259), (NODE, API_1, 22), (ELSEWHERE, API_1, 6443),
        (HUB, NODE, 10250), (MAIN_1, NODE, 10250), (MAIN_1, POD, 80), (HUB, POD, 80), (HUB, API_1, 22), (HUB, NODE, 22), (API_1, MAIN_1, 22),
        (NODE, "10.64.0.9", 80), (API_1, "10.64.0.9", 22),
    ],
)  # fmt: skip
def test_what_no_program_needs_is_shut(source: str, target: str, port: int) -> None:
    assert not reaches(PLAN, source, target, port)


def test_pods_talk_to_each_other_by_any_protocol_and_nobody_else_does() -> None:
    assert reaches(PLAN, POD, OTHER_POOL, 53, "Udp")
    assert reaches(PLAN, POD, OTHER_POOL, 0, "Icmp")
    assert not reaches(PLAN, API_1, POD, 53, "Udp")


def test_a_member_listens_at_the_ports_of_its_rules_and_at_no_other() -> None:
    cluster = PLAN.region.etcd[0]
    config = member_config(cluster, cluster.members[0])
    urls = [url for key, text in config.items() if key.startswith("listen-") for url in str(text).split(",")]
    open_ports = {row.port for row in REACHES if row.target == "etcd" and row.source != "ssh"}
    assert {str(urlsplit(url).port) for url in urls if "127.0.0.1" not in url} == open_ports


def test_machines_are_logged_in_to_only_from_where_it_was_asked_for() -> None:
    asked = plan(cloud={"sshRanges": ["10.9.0.0/24"]})
    targets = [address(asked, "west-etcd-main-1"), address(asked, "west-api-1"), NODE]
    assert all(reaches(asked, "10.9.0.1", target, 22) for target in targets)
    assert not any(reaches(asked, source, target, 22) for source in (HUB, ELSEWHERE) for target in targets)
    assert not any(rule.port == "22" for vnet in PLAN.vnets for subnet in vnet.subnets for rule in subnet.rules)


def test_without_operators_nobody_outside_reaches_anything() -> None:
    shut = plan(cloud={"operatorRanges": []})
    assert not any(reaches(shut, HUB, target, port) for target in (API_1, MAIN_1, NODE) for port in (6443, 2379, 10250))


@given(st.integers(8, 20))
def test_pools_are_the_whole_range_but_the_fixed_machines(prefix: int) -> None:
    region = ip_network(f"10.0.0.0/{prefix}")
    fixed = next(region.subnets(new_prefix=FIXED_PREFIX))
    found = pool_ranges(region)
    assert sum(each.num_addresses for each in found) + fixed.num_addresses == region.num_addresses
    assert not any(one.overlaps(other) for one, other in combinations([fixed, *found], 2))


def test_one_more_pool_changes_no_rule_of_what_is_there() -> None:
    before = {subnet.name: subnet.rules for vnet in plan().vnets for subnet in vnet.subnets}
    after = {subnet.name: subnet.rules for vnet in PLAN.vnets for subnet in vnet.subnets}
    assert {name: after[name] for name in before} == before
    assert set(after) - set(before) == {"pool-more"}


def test_every_row_says_why_and_has_a_priority_of_its_own_in_its_group() -> None:
    for subnet in (subnet for vnet in PLAN.vnets for subnet in vnet.subnets):
        priorities = [rule.priority for rule in subnet.rules]
        assert priorities == sorted(set(priorities))
        assert 100 <= priorities[0] <= priorities[-1] == DENY_PRIORITY == AZURE_NSG_PRIORITY.value
        assert all(len(rule.why) > 10 for rule in subnet.rules)
        assert len(subnet.rules) <= AZURE_NSG_RULES.value
        assert sum(len(rule.sources) for rule in subnet.rules) <= AZURE_NSG_RANGES.value


def test_where_nobody_lives_everything_is_denied() -> None:
    assert [rule.access for rule in PLAN.subnet("edge").rules] == ["Deny"]
