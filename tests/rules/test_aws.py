"""A group of AWS machines, an internal load balancer and a bucket are judged like Azure's."""

from dataclasses import replace
from typing import Any

import pytest

from kilonode.rules.read import aws
from kilonode.rules.read.facts import read_facts
from kilonode.rules.read.resource import Resource
from kilonode.rules.registry import RULES
from kilonode.rules.rule import Undecided, Violation
from tests.rules.foreign import LARGE, cloud_config, encoded, made, member_flags, sysctls, unit, with_property


def data(number: int) -> str:
    files = {
        "/etc/systemd/system/etcd.service": unit("etcd", member_flags(1, number, 3)),
        "/etc/sysctl.d/90-arp.conf": sysctls(LARGE),
        "/etc/cron.d/backup": "0 * * * * root etcdctl snapshot save /b/now.db\n",
    }
    return cloud_config(files)


def clean() -> dict[str, Resource]:
    node = encoded(cloud_config({"/etc/motd": "hello\n"}))
    rows = [
        *(
            made(
                aws.INSTANCE,
                f"member-{number}",
                {"instanceType": "i4i.2xlarge", "availabilityZone": f"us-east-1{zone}", "userDataBase64": encoded(data(number))},
                protect=True,
            )
            for number, zone in ((1, "a"), (2, "b"), (3, "c"))
        ),
        made(aws.TEMPLATE, "template", {"instanceType": "m7i.4xlarge", "userData": node}, id="lt-1"),
        made(
            aws.GROUP,
            "nodes",
            {
                "launchTemplate": {"id": "lt-1"},
                "maxSize": 400,
                "vpcZoneIdentifiers": ["subnet-1"],
                "tags": [{"key": "k8s.io/cluster-autoscaler/enabled", "value": "true"}],
            },
            ignore=("desiredCapacity",),
        ),
        made(aws.SUBNET, "subnet", {"cidrBlock": "10.0.0.0/20"}, id="subnet-1"),
        made(aws.BUCKETS[0], "backups", {"bucket": "b"}, id="b"),
        made(aws.BLOCK, "block", {"bucket": "b", **dict.fromkeys(
            ("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets"), True)}),
    ]  # fmt: skip
    return {each.name: each for each in rows}


def findings(resources: dict[str, Resource]) -> list[Violation | Undecided]:
    facts = read_facts(resources.values())
    return [each for rule in RULES if rule.level != "disabled" for each in rule.check(facts)]


def test_a_clean_stack_on_aws_breaks_no_rule() -> None:
    assert findings(clean()) == []


CASES: tuple[tuple[str, str, str, Any], ...] = (
    ("etcd-local-disk", "member-1", "instanceType", "m7i.2xlarge"),
    ("etcd-zones", "member-1", "availabilityZone", "us-east-1b"),
    ("control-plane-no-spot", "member-1", "instanceMarketOptions.marketType", "spot"),
    ("public-address", "member-1", "associatePublicIpAddress", True),
    ("public-address", "template", "networkInterfaces", [{"associatePublicIpAddress": "true"}]),
    ("storage-private", "block", "blockPublicAcls", False),
    ("address-budget", "subnet", "cidrBlock", "10.0.0.0/24"),
    ("user-data-size", "template", "userData", encoded("#" * 16_385)),
    ("user-data-secrets", "template", "userData", encoded("token: abcdef.0123456789abcdef\n")),
)


@pytest.mark.parametrize(("rule", "name", "path", "value"), CASES)
def test_one_fault_breaks_one_rule(rule: str, name: str, path: str, value: Any) -> None:
    resources = clean()
    resources[name] = with_property(resources[name], path, value)
    assert {each.rule for each in findings(resources)} == {rule}


def test_a_group_whose_size_is_not_left_to_the_autoscaler_is_told() -> None:
    resources = clean()
    resources["nodes"] = replace(resources["nodes"], ignore=())
    (found,) = findings(resources)
    assert isinstance(found, Violation)
    assert (found.rule, found.limit) == ("pool-capacity-ignored", "desiredCapacity")


def test_user_data_of_16384_bytes_is_taken() -> None:
    resources = clean()
    resources["template"] = with_property(resources["template"], "userData", encoded("#" * 16_384))
    assert findings(resources) == []
