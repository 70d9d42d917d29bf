"""How many machines a pool of the control plane has, and what is said where nobody can tell."""

import time
from dataclasses import replace
from typing import Any

import pytest

from kilonode.rules.facts.pools import NodePool
from kilonode.rules.read.facts import read_facts
from kilonode.rules.registry import BY_ID
from kilonode.rules.rule import Undecided, Violation
from kilonode.rules.unknown import Unknown
from tests.rules.foreign_aws import amazon
from tests.rules.foreign_pools import ETCD, azure, discovering, etcd, group, groups
from tests.rules.test_arithmetic import findings
from tests.rules.test_pools_of_the_control_plane import HIDDEN, PROFILE, on_aws, sets, told
from tests.rules.written import cloud_config, encoded, unit, with_property

WEIGHTS = "mixedInstancesPolicy.launchTemplate.overrides.weightedCapacity"
COUNTED = {"etcd-members-odd", "etcd-members-enough", "etcd-zones", "etcd-quota-equal", "etcd-snapshots"}


@pytest.mark.parametrize("capacity", [None, HIDDEN, "many"])
def test_of_a_pool_whose_size_nobody_can_tell_no_count_is_told_and_flags_are_judged(capacity: Any) -> None:
    own = sets(("etcd", "sku.capacity", capacity))
    assert {(kind, rule) for kind, rule, name in told(own) if name == "etcd"} >= {(Undecided, rule) for rule in COUNTED}
    data = encoded(etcd(discovering(**{"auto-tls": "true"})))
    own["etcd"] = with_property(own["etcd"], f"{PROFILE}.osProfile.customData", data)
    assert [rule for kind, rule, _ in told(own) if kind is Violation] == ["etcd-no-auto-tls"]


def test_a_size_that_is_left_alone_is_not_what_the_program_says() -> None:
    own = sets(("etcd", "sku.capacity", 1))
    for ignored in (("sku",), HIDDEN):
        own["etcd"] = replace(own["etcd"], ignore=ignored)
        assert told(own) == {(Undecided, rule, "etcd") for rule in COUNTED}


def test_a_pool_of_no_machines_has_no_member() -> None:
    assert read_facts(sets(("etcd", "sku.capacity", 0)).values()).clusters == ()
    assert len(read_facts(sets(("etcd", "sku.capacity", 10**9)).values()).clusters[0].members) == 1_000


def test_of_more_machines_than_are_looked_at_one_by_one_no_wrong_number_is_told() -> None:
    for capacity, value in ((100_001, "1000 or more"), (998, "998")):
        facts = read_facts(sets(("etcd", "sku.capacity", capacity)).values())
        (found,) = BY_ID["etcd-members-odd"].check(facts)
        assert isinstance(found, Violation)
        assert found.value == value


def test_what_a_thousand_machines_are_told_is_read_once() -> None:
    script = "\n".join(f"etcd {number} save" for number in range(10_000))
    data = encoded(cloud_config({ETCD: unit("etcd", discovering()), "/etc/long": script}))
    own = sets(("etcd", "sku.capacity", 1_000), ("etcd", f"{PROFILE}.osProfile.customData", data))
    begun = time.process_time()
    assert "etcd-snapshots" in {rule for _, rule, _ in told(own)}
    assert time.process_time() - begun < 5


def test_a_count_that_is_unknown_in_one_cluster_is_told_of_no_other() -> None:
    own = on_aws(groups() | {f"other-{name}": replace(each, urn=f"{each.urn}-2") for name, each in groups(2).items()})
    own["etcd-a"] = with_property(own["etcd-a"], "maxSize", 2)
    facts = read_facts(own.values())
    found = list(BY_ID["etcd-members-enough"].check(facts))
    assert [(type(each), each.resource) for each in found] == [(Undecided, own["etcd-a"].urn)]


@pytest.mark.parametrize(
    ("sizes", "count"),
    [
        ({"desiredCapacity": 2}, 2),
        ({"minSize": 2, "maxSize": 2}, 2),
        ({"minSize": 1, "maxSize": 3}, Unknown("desiredCapacity")),
        ({"minSize": None, "maxSize": None}, Unknown("desiredCapacity")),
        ({"minSize": HIDDEN, "maxSize": HIDDEN}, HIDDEN),
    ],
)
def test_a_group_begins_with_the_fewest_machines_and_has_as_many_where_that_is_the_most(
    sizes: dict[str, Any], count: Any
) -> None:
    assert read_facts([group("etcd-a", "a", **sizes)]).pools[0].count == count


@pytest.mark.parametrize(
    ("words", "largest"),
    [
        ({}, 6_400),
        ({"desiredCapacityType": "units"}, 6_400),
        ({"desiredCapacityType": "vcpu"}, Unknown("desiredCapacityType")),
        ({"desiredCapacityType": "memory-mib"}, Unknown("desiredCapacityType")),
        ({"desiredCapacityType": HIDDEN}, HIDDEN),
        ({"mixedInstancesPolicy": {"launchTemplate": {"overrides": [{"weightedCapacity": "16"}]}}}, Unknown(WEIGHTS)),
        ({"mixedInstancesPolicy": {"launchTemplate": {"overrides": [{"instanceType": "m7i.large"}]}}}, 6_400),
    ],
)
def test_sizes_in_other_units_than_machines_are_no_number_of_machines(words: dict[str, Any], largest: Any) -> None:
    (pool,) = read_facts([group("nodes", "a", desiredCapacity=1_600, maxSize=6_400, **words)]).pools
    assert pool.largest == largest
    assert pool.count == (1_600 if isinstance(largest, int) else largest)


@pytest.mark.parametrize(
    ("cloud", "capacity", "most", "largest"),
    [
        ("azure", 2_000, 50, 2_000),
        ("azure", 50, 2_000, 2_000),
        ("azure", None, 50, 50),
        ("azure", 3, None, 3),
        ("azure", HIDDEN, 50, HIDDEN),
        ("azure", 3, HIDDEN, HIDDEN),
        ("aws", HIDDEN, 50, 50),
        ("aws", 3, HIDDEN, HIDDEN),
        ("aws", 3, None, 3),
        ("aws", None, None, 0),
    ],
)
def test_a_set_of_azure_becomes_what_its_program_asks_for_whatever_the_tag_of_the_autoscaler_says(
    cloud: Any, capacity: Any, most: Any, largest: Any
) -> None:
    assert NodePool("urn", "p", cloud, capacity=capacity, most=most).largest == largest


def test_a_set_is_told_by_what_makes_it_too_large() -> None:
    for capacity, most, field in ((2_000, 50, "sku.capacity"), (3, 2_000, "tags.max")):
        (found,) = findings("scale-set-size", NodePool("urn", "p", "azure", capacity=capacity, most=most))
        assert isinstance(found, Violation)
        assert (found.field, found.value) == (field, "2000")


def test_of_a_pool_that_its_program_only_reads_nothing_is_undone() -> None:
    own = azure() | amazon()
    own["pool"] = replace(own["pool"], ignore=())
    own["nodes"] = replace(own["nodes"], ignore=())
    for external, kinds in ((False, [Violation] * 2), (True, [])):
        facts = read_facts(replace(each, external=external) for each in own.values())
        assert [type(each) for each in BY_ID["pool-capacity-ignored"].check(facts)] == kinds
