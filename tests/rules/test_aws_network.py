"""Subnets and load balancers on AWS: which machines are in them and behind them."""

from dataclasses import replace
from typing import Any

import pytest

from kilonode.rules.read import aws
from kilonode.rules.read.aws_network import ATTACHMENTS, BALANCERS, LISTENERS, TARGETS
from kilonode.rules.read.facts import read_facts
from kilonode.rules.read.resource import Resource
from kilonode.rules.registry import BY_ID
from kilonode.rules.rule import Undecided, Violation
from kilonode.rules.unknown import Unknown
from tests.rules.foreign_aws import amazon
from tests.rules.test_aws import findings
from tests.rules.written import cloud_config, encoded, made, unit, with_property


def test_a_group_is_spread_evenly_over_all_its_subnets() -> None:
    resources = amazon()  # 400 machines with 33 addresses each
    resources["nodes"] = with_property(resources["nodes"], "vpcZoneIdentifiers", ["subnet-1", "subnet-2", "elsewhere"])
    small = {"cidrBlock": "10.1.0.0/21"}
    resources["second"] = made(aws.SUBNET, "second", small, id="subnet-2")
    (found,) = findings(resources)
    assert isinstance(found, Violation)
    assert (found.rule, found.resource) == ("address-budget", resources["second"].urn)
    assert found.limit == "a /19 or larger: 4427 are needed"
    resources["second"] = with_property(resources["second"], "cidrBlock", "10.1.0.0/19")
    assert findings(resources) == []


@pytest.mark.parametrize(("rows", "kind"), [(2, {Violation}), (1, {Undecided})])
def test_subnets_that_are_not_known_yet_are_those_they_came_from_if_as_many(rows: int, kind: set[type]) -> None:
    resources = amazon()
    resources["subnet"] = with_property(resources["subnet"], "cidrBlock", "10.0.0.0/24")
    resources["second"] = made(aws.SUBNET, "second", {"cidrBlock": "10.1.0.0/16"})
    depends = {"vpcZoneIdentifiers": (resources["subnet"].urn, resources["second"].urn)}
    unknown = [Unknown("vpcZoneIdentifiers")] * rows
    resources["nodes"] = replace(
        with_property(resources["nodes"], "vpcZoneIdentifiers", unknown), depends=resources["nodes"].depends | depends
    )
    assert {type(each) for each in findings(resources)} == kind


@pytest.mark.parametrize(
    ("card", "block", "kind"),
    [
        ({"ipv4PrefixCount": 2}, "10.0.0.0/18", None),  # 400 x 33 + 5 = 13,205 of 16,384
        ({"ipv4PrefixCount": 2}, "10.0.0.0/19", Violation),
        ({"ipv4AddressCount": 19}, "10.0.0.0/19", None),
        ({"ipv4AddressCount": 20}, "10.0.0.0/19", Violation),
        ({}, "10.0.0.0/18", Undecided),
        ({}, "10.0.0.0/24", Violation),  # too small for one each
        ({"ipv4PrefixCount": Unknown("p")}, "10.0.0.0/18", Undecided),
    ],
)
def test_a_subnet_is_judged_by_the_addresses_a_template_gives_and_else_undecided(
    card: dict[str, Any], block: str, kind: type | None
) -> None:
    resources = amazon()
    resources["template"] = with_property(resources["template"], "networkInterfaces", [card])
    resources["subnet"] = with_property(resources["subnet"], "cidrBlock", block)
    assert [(type(each), each.rule) for each in findings(resources)] == ([(kind, "address-budget")] if kind else [])


def test_a_subnet_without_addresses_of_version_4_is_not_judged_by_them() -> None:
    resources = amazon()
    resources["subnet"] = with_property(resources["subnet"], "cidrBlock", None)
    assert findings(resources) == []


BALANCER = made(BALANCERS[0], "api", {"internal": True}, outputs={"arn": "arn:api"})
OTHER = made(BALANCERS[0], "other", {"internal": True}, outputs={"arn": "arn:other"})


@pytest.mark.parametrize(
    ("arn", "depends", "ports"),
    [
        ("arn:api", (), (6443,)),
        ("arn:other", (), ()),
        (Unknown("loadBalancerArn"), (BALANCER.urn,), (6443,)),
        (Unknown("loadBalancerArn"), (OTHER.urn,), ()),
        (Unknown("loadBalancerArn"), (), Unknown("loadBalancerArn")),
        (Unknown("loadBalancerArn"), (BALANCER.urn, OTHER.urn), Unknown("loadBalancerArn")),
    ],
)
def test_a_listener_is_its_balancers_by_arn_or_by_what_it_was_made_from(
    arn: Any, depends: tuple[str, ...], ports: Any
) -> None:
    listener = made(LISTENERS[0], "api", {"loadBalancerArn": arn, "port": 6443}, depends={"loadBalancerArn": depends})
    assert read_facts([BALANCER, OTHER, listener]).balancers[0].ports == ports


def api(*, target: Any = "i-1", group: Any = "tg-1", arn: Any = "arn:front") -> list[Resource]:
    """An API server, and a public load balancer at 443 with one target group, of which ``target`` is one."""
    flags = {"etcd-servers": "https://e:2379"}
    data = encoded(cloud_config({"/etc/systemd/system/kube-apiserver.service": unit("kube-apiserver", flags)}))
    return [
        made(aws.INSTANCE, "server", {"userDataBase64": data, "privateIp": "10.0.0.7"}, id="i-1"),
        made(aws.INSTANCE, "web", {"privateIp": "10.0.0.8"}, id="i-2"),
        made(BALANCERS[0], "front", {"internal": False}, outputs={"arn": "arn:front"}),
        made(TARGETS[0], "group", {"port": 443, "healthCheck": {"protocol": "HTTPS", "path": "/readyz"}}, id="tg-1"),
        made(LISTENERS[0], "at-443", {"loadBalancerArn": arn, "port": 443, "defaultActions": [{"targetGroupArn": group}]}),
        made(ATTACHMENTS[0], "one", {"targetGroupArn": "tg-1", "targetId": target}),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("resources", "kind"),
    [
        (api(), {Violation}),
        (api(target="10.0.0.7"), {Violation}),
        (api(target="i-2"), set()),
        (api(target="10.0.0.8"), set()),
        (api(target=Unknown("targetId")), {Undecided}),
        (api(group=Unknown("arn")), {Undecided}),
        (api(group="tg-elsewhere"), set()),
        (api(arn="arn:other"), set()),
        (api(arn=Unknown("arn")), {Undecided}),
    ],
)
def test_a_load_balancer_at_443_is_the_apis_only_if_api_servers_are_its_targets(
    resources: list[Resource], kind: set[type]
) -> None:
    assert {type(each) for each in BY_ID["api-private"].check(read_facts(resources))} == kind


@pytest.mark.parametrize(
    ("action", "protocol", "kind"),
    [
        ({"targetGroupArn": "tg-1"}, "HTTPS", set()),
        ({"targetGroupArn": "tg-1"}, "TCP", {Violation}),
        ({"forward": {"targetGroups": [{"arn": "tg-1"}]}}, "HTTPS", set()),
        ({"forward": {"targetGroups": [{"arn": "tg-1"}]}}, "TCP", {Violation}),
        ({"targetGroupArn": "tg-elsewhere"}, "HTTPS", {Undecided}),
        ({"type": "redirect"}, "HTTPS", {Violation}),
    ],
)
def test_the_probe_is_that_of_the_group_which_the_listener_of_the_api_forwards_to(
    action: dict[str, Any], protocol: str, kind: set[type]
) -> None:
    resources = [
        with_property(with_property(each, "port", 6443), "defaultActions", [action]) if each.name == "at-443" else each
        for each in api()
    ]
    other = {"loadBalancerArn": "arn:front", "port": 80, "defaultActions": [{"type": "redirect"}]}
    resources = [
        with_property(each, "healthCheck.protocol", protocol) if each.name == "group" else each
        for each in (made(LISTENERS[0], "at-80", other), *resources)
    ]
    assert {type(each) for each in BY_ID["apiserver-probe"].check(read_facts(resources))} == kind


def test_listeners_are_looked_up_once_however_much_stands_before_and_behind_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked: list[str] = []
    named = Resource.named

    def counted(self: Resource, path: str, *among: Any, **words: Any) -> Resource | Unknown | None:
        looked.append(path)
        return named(self, path, *among, **words)

    monkeypatch.setattr(Resource, "named", counted)

    def lookups(rows: int) -> int:
        looked.clear()
        each = range(rows)
        read_facts(
            [
                *(made(aws.INSTANCE, f"i-{n}", {}, id=f"i-{n}") for n in each),
                *(made(BALANCERS[0], f"b-{n}", {}, id=f"b-{n}") for n in each),
                *(made(TARGETS[0], f"t-{n}", {}, id=f"t-{n}") for n in each),
                *(made(ATTACHMENTS[0], f"a-{n}", {"targetGroupArn": f"t-{n}", "targetId": f"i-{n}"}) for n in each),
                *(
                    made(LISTENERS[0], f"l-{n}", {"loadBalancerArn": f"b-{n}", "defaultActions": [{"targetGroupArn": f"t-{n}"}]})
                    for n in each
                ),
            ]
        )  # fmt: skip
        return len(looked)

    assert 0 < lookups(20) <= 2 * lookups(10)
