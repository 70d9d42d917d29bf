"""A group of AWS machines, an internal load balancer and a bucket are judged like Azure's."""

from dataclasses import replace
from typing import Any

import pytest

from kilonode.rules.read.aws_pools import TAG
from kilonode.rules.read.facts import read_facts
from kilonode.rules.read.resource import Resource
from kilonode.rules.registry import RULES
from kilonode.rules.rule import Undecided, Violation
from kilonode.rules.unknown import Unknown
from tests.rules.foreign_aws import amazon
from tests.rules.written import encoded, made, with_property


def findings(resources: dict[str, Resource]) -> list[Violation | Undecided]:
    facts = read_facts(resources.values())
    return [each for rule in RULES if rule.level != "disabled" for each in rule.check(facts)]


def test_a_clean_stack_on_aws_breaks_no_rule() -> None:
    assert findings(amazon()) == []


CASES: tuple[tuple[str, str, str, Any], ...] = (
    ("etcd-local-disk", "member-1", "instanceType", "m7i.2xlarge"),
    ("etcd-zones", "member-1", "availabilityZone", "us-east-1b"),
    ("control-plane-no-spot", "member-1", "instanceMarketOptions.marketType", "spot"),
    ("public-address", "member-1", "associatePublicIpAddress", True),
    ("public-address", "template", "networkInterfaces.0.associatePublicIpAddress", "true"),
    ("storage-private", "block", "blockPublicAcls", False),
    ("address-budget", "subnet", "cidrBlock", "10.0.0.0/24"),
    ("user-data-size", "template", "userData", encoded("#" * 16_385)),
    ("user-data-secrets", "template", "userData", encoded("token: abcdef.0123456789abcdef\n")),
)


@pytest.mark.parametrize(("rule", "name", "path", "value"), CASES)
def test_one_fault_breaks_one_rule(rule: str, name: str, path: str, value: Any) -> None:
    resources = amazon()
    resources[name] = with_property(resources[name], path, value)
    assert {each.rule for each in findings(resources)} == {rule}


def test_a_group_whose_size_is_not_left_to_the_autoscaler_is_told() -> None:
    resources = amazon()
    resources["nodes"] = replace(resources["nodes"], ignore=())
    (found,) = findings(resources)
    assert isinstance(found, Violation)
    assert (found.rule, found.limit) == ("pool-capacity-ignored", "desiredCapacity")
    resources["nodes"] = with_property(resources["nodes"], "desiredCapacity", None)
    assert findings(resources) == [], "AWS leaves alone what nobody says"


def test_user_data_of_16384_bytes_is_taken() -> None:
    resources = amazon()
    resources["template"] = with_property(resources["template"], "userData", encoded("#" * 16_384))
    assert findings(resources) == []


def test_what_a_group_is_made_from_is_known_before_any_id_is() -> None:
    resources = {name: replace(each, id=None) for name, each in amazon().items()}
    for name, path, other in (
        ("nodes", "launchTemplate.id", "template"),
        ("nodes", "vpcZoneIdentifiers", "subnet"),
        ("block", "bucket", "backups"),
        *((f"member-{number}", "subnetId", "subnet") for number in (1, 2, 3)),
    ):
        top = path.partition(".")[0]
        depends = {**resources[name].depends, top: (resources[other].urn,)}
        unknown: Any = [Unknown(path)] if top == "vpcZoneIdentifiers" else Unknown(path)
        resources[name] = replace(with_property(resources[name], path, unknown), depends=depends)
    assert findings(resources) == []
    resources["subnet"] = with_property(resources["subnet"], "cidrBlock", "10.0.0.0/24")
    assert {each.rule for each in findings(resources)} == {"address-budget"}


@pytest.mark.parametrize(
    ("refresh", "policy", "value"),
    [
        (None, None, None),
        ({"strategy": "Rolling"}, None, None),
        ({"strategy": "Rolling", "preferences": {"minHealthyPercentage": 80}}, None, None),
        ({"strategy": "Rolling", "preferences": {"minHealthyPercentage": 50}}, None, "50"),
        ({"strategy": "Rolling", "preferences": {"minHealthyPercentage": 0}}, {"minHealthyPercentage": 100}, "0"),
        ({"strategy": "Rolling"}, {"minHealthyPercentage": 50}, "50"),
        ({"strategy": "Rolling"}, {"minHealthyPercentage": -1}, None),
        (None, {"minHealthyPercentage": 50}, None),
        ({"strategy": "ReplaceRootVolume", "preferences": {"minHealthyPercentage": "79"}}, None, "79"),
    ],
)
def test_a_refresh_keeps_most_of_a_group_healthy_as_it_does_where_nothing_is_said(
    refresh: Any, policy: Any, value: str | None
) -> None:
    resources = amazon()
    for path, given in (("instanceRefresh", refresh), ("instanceMaintenancePolicy", policy)):
        resources["nodes"] = with_property(resources["nodes"], path, given)
    found = [
        (each.rule, each.field, getattr(each, "value", ""), getattr(each, "limit", "")) for each in findings(resources)
    ]
    field = "instanceRefresh.preferences.minHealthyPercentage"
    assert found == ([("pool-rolling-upgrade", field, value, "80 or more")] if value else [])


@pytest.mark.parametrize("path", ["instanceRefresh", "instanceRefresh.preferences"])
def test_a_refresh_that_is_not_known_yet_is_undecided(path: str) -> None:
    resources = amazon()
    resources["nodes"] = with_property(resources["nodes"], path, Unknown(path))
    assert [(type(each), each.rule) for each in findings(resources)] == [(Undecided, "pool-rolling-upgrade")]


USUAL = "k8s.io/cluster-autoscaler/enabled"


@pytest.mark.parametrize(
    ("name", "key", "autoscaled"),
    [
        ("workers", USUAL, True),
        ("workers", "k8s.io/cluster-autoscaler/prod", True),
        ("workers", "k8s.io/cluster-autoscaler/node-template/label/a", False),
        ("workers", Unknown("key"), Unknown("key")),
        ("elsewhere", USUAL, False),
        (Unknown("autoscalingGroupName"), USUAL, Unknown("autoscalingGroupName")),
        (Unknown("autoscalingGroupName"), Unknown("key"), Unknown("autoscalingGroupName")),
        (Unknown("autoscalingGroupName"), "team", False),
    ],
)
@pytest.mark.parametrize("tags", [[], None, [{"key": "team"}]])
def test_a_tag_may_be_given_to_a_group_by_a_resource_of_its_own(
    tags: Any, name: Any, key: Any, autoscaled: Any
) -> None:
    resources = amazon()
    resources["nodes"] = with_property(with_property(resources["nodes"], "tags", tags), "name", "workers")
    words = {"autoscalingGroupName": name, "tag": {"key": key, "value": "true"}}
    resources["tag"] = made(TAG, "tag", words)
    (pool,) = read_facts(resources.values()).pools
    assert pool.autoscaled == autoscaled
