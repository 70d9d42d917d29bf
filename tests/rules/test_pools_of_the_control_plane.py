"""Etcd and API servers that a scale set or an auto scaling group makes are members and servers like all others."""

from dataclasses import replace
from typing import Any

import pytest

from kilonode.rules.read import aws
from kilonode.rules.read.facts import read_facts
from kilonode.rules.read.resource import Resource
from kilonode.rules.rule import Undecided, Violation
from kilonode.rules.subjects import node_pools
from kilonode.rules.unknown import Unknown
from tests.rules import foreign_pools
from tests.rules.foreign_flags import member_flags, server_flags
from tests.rules.foreign_pools import (
    ETCD,
    REST,
    SERVER,
    amazon_without_members,
    api,
    azure,
    discovering,
    etcd,
    groups,
    scale_set,
)
from tests.rules.test_aws import findings
from tests.rules.written import cloud_config, encoded, made, unit, with_property

PROFILE = "virtualMachineProfile"
HIDDEN = Unknown("hidden")


def sets(*changes: tuple[str, str, Any]) -> dict[str, Resource]:
    """The clean sets with some properties set."""
    own = foreign_pools.sets()
    for name, path, value in changes:
        own[name] = with_property(own[name], path, value)
    return own


def on_aws(own: dict[str, Resource]) -> dict[str, Resource]:
    return amazon_without_members() | own


def told(resources: dict[str, Resource]) -> set[tuple[type, str, str]]:
    return {(type(each), each.rule, each.resource.rpartition("::")[2]) for each in findings(resources)}


def test_a_clean_control_plane_in_pools_breaks_no_rule() -> None:
    assert findings(sets()) == []
    assert findings(on_aws(groups())) == []
    assert findings(foreign_pools.every_form()) == []


def test_the_machines_of_a_pool_are_members_and_servers_and_no_machines_by_themselves() -> None:
    facts = read_facts(sets().values())
    assert [[each.machine.zone for each in cluster.members] for cluster in facts.clusters] == [["1", "2", "3"]]
    assert [[each.machine.zone for each in own.servers] for own in facts.api_servers] == [["1", "2", "3"]]
    assert (facts.machines, facts.nodes) == ((), 400)


def test_three_groups_of_one_machine_are_three_members_of_one_cluster() -> None:
    (cluster,) = read_facts(groups().values()).clusters
    assert [(each.name, each.machine.zone) for each in cluster.members] == [
        (f"m1-{number}", f"us-east-1{zone}") for number, zone in enumerate("abc", 1)
    ]
    left = {name: each for name, each in groups().items() if name != "etcd-c"}
    assert told(on_aws(left)) == {(Undecided, rule, "etcd-a") for rule in ("etcd-zones", "etcd-quota-equal")}, (
        "a third is told of"
    )


@pytest.mark.parametrize(
    ("rule", "name", "path", "value"),
    [
        ("etcd-members-odd", "etcd", "sku.capacity", 4),
        ("etcd-members-enough", "etcd", "sku.capacity", 1),
        ("apiserver-count", "api", "sku.capacity", "2"),
        ("etcd-zones", "etcd", "zones", ["1", "2"]),
        ("etcd-zones", "etcd", "zones", None),
        ("apiserver-zones", "api", "zones", ["3"]),
        ("etcd-local-disk", "etcd", "sku.name", "Standard_D16s_v5"),
        ("etcd-host-cache", "etcd", f"{PROFILE}.storageProfile", {"dataDisks": [{"caching": "ReadWrite"}]}),
        ("control-plane-no-spot", "etcd", f"{PROFILE}.priority", "Spot"),
        ("control-plane-no-spot", "api", f"{PROFILE}.priority", "Low"),
        ("scale-set-overprovision", "etcd", "overprovision", None),
        ("pool-rolling-upgrade", "api", "upgradePolicy.mode", "Automatic"),
    ],
)
def test_one_fault_of_a_scale_set_is_told_once(rule: str, name: str, path: str, value: Any) -> None:
    found = [each for each in findings(sets((name, path, value))) if each.rule == rule]
    assert [(type(each), each.resource.rpartition("::")[2]) for each in found] == [(Violation, name)]
    unknown = [each for each in findings(sets((name, path, HIDDEN))) if each.rule == rule]
    assert {type(each) for each in unknown} <= {Undecided}


@pytest.mark.parametrize(
    ("rule", "data"),
    [
        ("etcd-quota", etcd(discovering(**{"quota-backend-bytes": "1"}))),
        ("etcd-client-tls", etcd(discovering(**{"client-cert-auth": "false"}))),
        ("etcd-no-auto-tls", etcd(discovering(**{"auto-tls": "true"}))),
        ("etcd-compaction", etcd(discovering(**{"auto-compaction-retention": "0"}))),
        ("etcd-snapshots", cloud_config({ETCD: unit("etcd", discovering()), **dict(list(REST.items())[:1])})),
    ],
)
def test_one_fault_in_a_pools_user_data_of_etcd_is_told_once(rule: str, data: str) -> None:
    found = findings(sets(("etcd", f"{PROFILE}.osProfile.customData", encoded(data))))
    assert [(each.rule, each.resource.rpartition("::")[2]) for each in found] == [(rule, "etcd")]


@pytest.mark.parametrize(
    ("rule", "flag", "value"),
    [
        ("apiserver-anonymous", "anonymous-auth", "true"),
        ("apiserver-audit", "audit-log-maxage", "7"),
        ("apiserver-goaway", "goaway-chance", "0.5"),
        ("apiserver-in-flight", "max-requests-inflight", "1"),
    ],
)
def test_one_fault_in_a_pools_user_data_of_api_servers_is_told_once(rule: str, flag: str, value: str) -> None:
    data = encoded(api(server_flags() | {flag: value}))
    found = findings(sets(("api", f"{PROFILE}.osProfile.customData", data)))
    assert [(each.rule, each.resource.rpartition("::")[2]) for each in found] == [(rule, "api")]


@pytest.mark.parametrize(("name", "rule"), [("etcd", "etcd-protected"), ("api", None)])
def test_a_pool_of_members_is_protected(name: str, rule: str | None) -> None:
    own = sets()
    own[name] = replace(own[name], protect=False)
    assert [each.rule for each in findings(own)] == ([rule] if rule else [])


def nodes_too(name: str = "etcd", program: str = ETCD) -> dict[str, Resource]:
    flags = discovering() if name == "etcd" else server_flags()
    both = {program: unit(program.rpartition("/")[2].removesuffix(".service"), flags), **REST}
    kubelet = unit("kubelet", {"anonymous-auth": "false", "authorization-mode": "Webhook", "config": "/elsewhere"})
    data = encoded(cloud_config({**both, "/etc/systemd/system/kubelet.service": kubelet}))
    return sets((name, f"{PROFILE}.osProfile.customData", data))


@pytest.mark.parametrize("tags", [None, {"cluster-autoscaler-enabled": "true"}, HIDDEN])
@pytest.mark.parametrize(("name", "program"), [("etcd", ETCD), ("api", SERVER)])
def test_a_pool_is_none_of_nodes_though_kubelet_runs_beside_etcd_or_kube_apiserver(
    name: str, program: str, tags: Any
) -> None:
    own = nodes_too(name, program)
    own[name] = with_property(own[name], "tags", tags)
    facts = read_facts(own.values())
    assert [each.resource.rpartition("::")[2] for each in node_pools(facts)] == ["pool"]
    assert not [each for each in findings(own) if isinstance(each, Violation)]
    assert facts.nodes == 400


def test_a_pool_that_may_be_of_the_control_plane_leaves_counts_undecided() -> None:
    own = sets(("api", f"{PROFILE}.osProfile.customData", HIDDEN))
    kinds = {(kind, rule) for kind, rule, _ in told(own)}
    assert {(Undecided, rule) for rule in ("etcd-members-enough", "apiserver-count", "etcd-quota")} <= kinds
    assert {kind for kind, _ in kinds} == {Undecided}
    own["api"] = with_property(own["api"], "tags", {"cluster-autoscaler-enabled": "true"})
    assert "etcd-members-enough" not in {rule for _, rule, _ in told(own)}, "what the autoscaler has is of nodes"


TEMPLATE = "cluster-autoscaler/node-template/label/role"


@pytest.mark.parametrize(
    ("key", "unread"),
    [
        ("k8s.io/cluster-autoscaler/enabled", False),
        ("k8s.io/cluster-autoscaler/prod.example.org", False),
        (f"k8s.io/{TEMPLATE}", True),
        ("cluster-autoscaler", True),
        (HIDDEN, True),
    ],
)
def test_a_group_that_cannot_be_read_is_of_nodes_only_if_the_autoscaler_finds_it_by_its_tags(
    key: Any, unread: bool
) -> None:
    own = on_aws(groups())
    own["etcd-c"] = with_property(own["etcd-c"], "tags", [{"key": key, "value": "1"}])
    own["etcd-c"] = with_property(own["etcd-c"], "launchTemplate.id", "lt-of-another-stack")
    facts = read_facts(own.values())
    assert bool(facts.unread) is unread
    assert [each.resource.rpartition("::")[2] for each in node_pools(facts)].count("etcd-c") == 1


@pytest.mark.parametrize("key", ["k8s.io_cluster-autoscaler_node-template_label_role", TEMPLATE])
def test_a_tag_that_describes_nodes_makes_no_set_the_autoscalers(key: str) -> None:
    own = sets(("api", f"{PROFILE}.osProfile.customData", HIDDEN), ("api", "tags", {key: "control-plane"}))
    assert [each.resource.rpartition("::")[2] for each in read_facts(own.values()).unread] == ["api"]


def test_a_group_without_a_member_that_knows_its_peers_is_one_cluster_by_itself() -> None:
    alone = {name: value for name, value in discovering().items() if name != "discovery-srv"}
    own = sets(("etcd", f"{PROFILE}.osProfile.customData", encoded(etcd(alone))))
    assert [len(cluster.members) for cluster in read_facts(own.values()).clusters] == [3]


@pytest.mark.parametrize(
    ("one", "two", "clusters"),
    [
        ({}, {}, 1),
        ({}, {"discovery-srv": "example.org"}, 2),
        ({}, {"discovery-srv-name": "events"}, 2),
        ({}, {"initial-cluster-token": "events"}, 2),
        ({"discovery": "https://d/1", "discovery-srv": ""}, {"discovery": "https://d/1", "discovery-srv": ""}, 1),
        ({"discovery": "https://d/1", "discovery-srv": ""}, {"discovery": "https://d/2", "discovery-srv": ""}, 2),
        ({"discovery-srv": "", "initial-cluster-token": "a"}, {"discovery-srv": "", "initial-cluster-token": "a"}, 1),
        ({"discovery-srv": ""}, {"discovery-srv": ""}, 2),
    ],
)
def test_pools_are_grouped_into_one_cluster_by_what_their_members_are_found_by(
    one: dict[str, str], two: dict[str, str], clusters: int
) -> None:
    own = azure(*(scale_set(name, etcd(discovering(**more))) for name, more in (("a", one), ("b", two))))
    assert len(read_facts(own.values()).clusters) == clusters


def test_members_by_themselves_and_in_groups_are_one_cluster() -> None:
    own = on_aws(groups())
    del own["etcd-c"]
    data = {
        "userData": etcd(member_flags(1, 3, 3)),
        "instanceType": "i4i.2xlarge",
        "subnetId": "subnet-1",
        "availabilityZone": "us-east-1c",
    }
    own["alone"] = made(aws.INSTANCE, "alone", data, protect=True)
    assert findings(own) == []
