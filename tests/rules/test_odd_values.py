"""Whatever stands where a value should be, no rule crashes, and what is unknown is never a violation."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kilonode.rules.facts.controlplane import ApiServer, ApiServers, Member
from kilonode.rules.facts.machines import Machine
from kilonode.rules.facts.network import Subnet
from kilonode.rules.facts.workloads import Autoscaler, Workload
from kilonode.rules.read.facts import read_facts
from kilonode.rules.read.resource import Resource
from kilonode.rules.registry import RULES
from kilonode.rules.rule import Undecided, Violation
from kilonode.rules.unknown import Unknown
from tests.rules.arithmetic import data, kernel, machine, pool
from tests.rules.foreign import Foreign
from tests.rules.foreign_aws import amazon
from tests.rules.foreign_pools import every_form, sets
from tests.rules.test_arithmetic import findings
from tests.rules.written import with_property

STACKS = {
    "azure": tuple(Foreign().resources()),
    "aws": tuple(amazon().values()),
    "azure pools": tuple(sets().values()),
    "aws pools": tuple(every_form().values()),
}
ODD = st.sampled_from((None, "", "odd", "-1", "1e999", 7, -1, True, [], ["odd"], [None], {}, {"odd": "odd"})) | st.text(
    max_size=5
)
TEXT = st.text(max_size=12) | st.sampled_from(
    ("-1", "1e9", "0x10", "9" * 40, "NaN", "inf", "true", "1,2", "a: b", "- a", "{")
)


def paths(value: Any, above: str = "") -> Iterator[str]:
    """The dotted path of everything in plain data; of a list its first two rows, each as a whole too."""
    if isinstance(value, dict):
        for key, each in value.items():
            # A step with a dot in it is a key of Kubernetes' metadata, which no rule reads.
            if "." not in str(key):
                yield f"{above}{key}"
                yield from paths(each, f"{above}{key}.")
    if isinstance(value, list):
        for number, each in enumerate(value[:2]):
            yield f"{above}{number}"
            yield from paths(each, f"{above}{number}.")


PLACES = {
    cloud: [(each.name, path) for each in stack for path in paths(dict(each.properties))]
    for cloud, stack in STACKS.items()
}


LEFT_OUT = (
    ("azure", "card", "ipConfigurations.0.publicIPAddress"),
    ("azure", "api", "frontendIPConfigurations.0.publicIPAddress"),
    ("azure", "pool", "virtualMachineProfile.networkProfile.networkInterfaceConfigurations.0.ipConfigurations.0.publicIPAddressConfiguration"),
    ("azure", "pool", "orchestrationMode"),
    ("azure", "pool", "upgradePolicy.rollingUpgradePolicy.maxSurge"),
    ("azure", "pool", "virtualMachineProfile.osProfile.windowsConfiguration"),
    ("azure", "etcd-1-1", "priority"),
    ("azure", "etcd-1-1", "networkProfile"),
    ("azure", "etcd-1-1", "storageProfile.dataDisks"),
    ("azure", "app", "spec.template.spec.initContainers"),
    ("aws", "member-1", "associatePublicIpAddress"),
    ("aws", "member-1", "instanceMarketOptions"),
    ("aws", "member-1", "ebsBlockDevices"),
    ("aws", "template", "networkInterfaces.0.associatePublicIpAddress"),
    ("azure pools", "etcd", "virtualMachineProfile.priority"),
    ("azure pools", "etcd", "virtualMachineProfile.storageProfile"),
    ("azure pools", "api", "virtualMachineProfile.networkProfile"),
    ("aws pools", "etcd-a", "desiredCapacity"),
    ("aws pools", "etcd-a", "instanceRefresh"),
    ("aws pools", "etcd-a", "instanceMaintenancePolicy"),
    ("aws pools", "etcd-a", "mixedInstancesPolicy"),
    ("aws pools", "etcd-a", "targetGroupArns"),
    ("aws pools", "configuration", "spotPrice"),
    ("aws pools", "configuration", "associatePublicIpAddress"),
)  # fmt: skip
"""What a clean stack says nothing about, and another may."""


def changed(cloud: str, name: str, path: str, value: Any) -> list[Resource]:
    return [with_property(each, path, value) if each.name == name else each for each in STACKS[cloud]]


@pytest.mark.parametrize("cloud", STACKS)
@given(drawn=st.data(), value=ODD)
@settings(max_examples=150)
def test_an_odd_value_anywhere_crashes_no_rule(cloud: str, drawn: st.DataObject, value: Any) -> None:
    name, path = drawn.draw(st.sampled_from(PLACES[cloud]))
    facts = read_facts(changed(cloud, name, path, value))
    for rule in RULES:
        assert {type(found) for found in rule.check(facts)} <= {Violation, Undecided}


@pytest.mark.parametrize(
    ("cloud", "name", "path"), [*((cloud, *place) for cloud in STACKS for place in PLACES[cloud]), *LEFT_OUT]
)
def test_an_unknown_value_anywhere_in_a_clean_stack_breaks_no_rule(cloud: str, name: str, path: str) -> None:
    facts = read_facts(changed(cloud, name, path, Unknown(path)))
    found = [each for rule in RULES if rule.level != "disabled" for each in rule.check(facts)]
    assert [each for each in found if isinstance(each, Violation)] == []


FLAGS = (
    "event-ttl", "goaway-chance", "max-requests-inflight", "max-mutating-requests-inflight", "audit-log-maxage",
    "audit-log-maxbackup", "audit-log-maxsize", "authorization-mode", "etcd-servers", "etcd-servers-overrides",
)  # fmt: skip
OPTIONS = ("quota-backend-bytes", "auto-compaction-retention", "listen-client-urls", "initial-cluster", "data-dir")
SCALER = ("max-nodes-total", "max-scale-down-parallelism", "max-total-unready-percentage", "max-nodes-per-scaleup")


def subjects(text: str) -> Iterator[tuple[set[str], Any]]:
    """Everything that holds text of a program's own, all of it ``text``; with the rules that look at it."""

    def of(over: str) -> set[str]:
        return {rule.id for rule in RULES if rule.over.__name__ == over}

    config = {"authentication-config": "/a", **dict.fromkeys(FLAGS, text)}
    server = ApiServer(machine(), config, {"/a": text})
    own: Machine = machine(data=data(texts=(text,), commands=(f"chmod {text} {text}",)))
    yield of("api_servers"), server
    yield of("control_plane"), ApiServers((server, server))
    yield of("members"), Member(own, dict.fromkeys(OPTIONS, text))
    yield of("kernels"), kernel({"family": "ipv4", "t1": text, "t2": text, "t3": text})
    yield (
        of("nodes"),
        pool(data=data(programs={"kubelet": {"maxParallelImagePulls": text, "serializeImagePulls": "false"}})),
    )
    yield of("autoscalers"), Autoscaler("urn", dict.fromkeys(SCALER, text))
    yield of("workloads"), Workload("urn", "a", (text,))
    yield of("subnets"), Subnet("urn", (text,), (pool(most=1, addresses=1),))


@given(text=TEXT)
@settings(max_examples=200)
def test_text_that_is_no_figure_crashes_no_rule(text: str) -> None:
    for rules, subject in subjects(text):
        assert rules
        for rule in rules:
            assert {type(found) for found in findings(rule, subject)} <= {Violation, Undecided}


@pytest.mark.parametrize(
    ("rule", "text"),
    [("apiserver-goaway", "NaN"), ("apiserver-event-ttl", "soon"), ("etcd-quota", "8GiB"), ("autoscaler-limit", "NaN")],
)
def test_text_that_is_no_figure_is_a_fault_where_a_figure_must_be(rule: str, text: str) -> None:
    (subject,) = [subject for rules, subject in subjects(text) if rule in rules]
    assert {type(found) for found in findings(rule, subject)} == {Violation}


@pytest.mark.parametrize(
    ("rule", "text"), [("address-budget", "{"), ("apiserver-anonymous", "{"), ("apiserver-anonymous", "- a")]
)
def test_a_range_or_a_file_that_cannot_be_read_is_undecided(rule: str, text: str) -> None:
    (subject,) = [subject for rules, subject in subjects(text) if rule in rules]
    assert {type(found) for found in findings(rule, subject)} == {Undecided}
