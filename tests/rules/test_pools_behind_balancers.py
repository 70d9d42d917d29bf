"""Load balancers before control planes in pools: what a scale set joins, and which groups are a target group's."""

from dataclasses import replace
from typing import Any

import pytest

from kilonode.rules.read import aws_classic, aws_network
from kilonode.rules.read.facts import read_facts
from kilonode.rules.read.resource import Resource
from kilonode.rules.registry import BY_ID
from kilonode.rules.rule import Undecided, Violation
from kilonode.rules.unknown import Unknown
from tests.rules.foreign import NATIVE
from tests.rules.foreign_flags import server_flags
from tests.rules.foreign_pools import api, azure, group, scale_set, template
from tests.rules.written import made, with_property

HIDDEN = Unknown("hidden")
CARDS = "virtualMachineProfile.networkProfile.networkInterfaceConfigurations"


def front(joined: Any) -> dict[str, Resource]:
    """A public load balancer at 443, and what the API servers' scale set joins."""
    rows = {"loadBalancingRules": [{"frontendPort": 443}], "frontendIPConfigurations": [{"publicIPAddress": {}}]}
    cards = [{"ipConfigurations": [{"loadBalancerBackendAddressPools": joined}]}]
    own = azure(scale_set("api", api(server_flags())))
    own["api"] = with_property(own["api"], CARDS, cards)
    return own | {"front": made(f"{NATIVE}network:LoadBalancer", "front", rows, id="/lb/front")}


@pytest.mark.parametrize(
    ("own", "kinds"),
    [
        (front([]), []),
        (front([{"id": "/lb/front/backendAddressPools/b"}]), [Violation]),
        (front([{"id": "/lb/other/backendAddressPools/b"}]), []),
        (front([{"id": HIDDEN}]), [Undecided]),
        (front(HIDDEN), [Undecided]),
    ],
)
def test_a_load_balancer_is_judged_as_the_apis_if_a_scale_set_of_api_servers_is_behind_it(
    own: dict[str, Resource], kinds: list[type]
) -> None:
    found = list(BY_ID["api-private"].check(read_facts(own.values())))
    assert [type(each) for each in found] == kinds
    assert not [each for each in found if each.field.startswith("what this rule reads")]


@pytest.mark.parametrize(
    ("port", "joined", "kinds"),
    [
        (8443, "/lb/front/backendAddressPools/b", [Violation]),
        (8443, "/lb/other/backendAddressPools/b", []),
        (8443, HIDDEN, [Undecided]),
        (80, "/lb/front/backendAddressPools/b", []),
        (22, "/lb/front/backendAddressPools/b", []),
    ],
)
def test_a_load_balancer_at_any_port_is_judged_by_who_is_behind_it(port: int, joined: Any, kinds: list[type]) -> None:
    own = front([{"id": joined}])
    own["front"] = with_property(own["front"], "loadBalancingRules", [{"frontendPort": port, "backendPort": 6444}])
    assert [type(each) for each in BY_ID["api-private"].check(read_facts(own.values()))] == kinds


def behind(arns: Any, *attached: Any) -> dict[str, Resource]:
    """A public load balancer at 443 on AWS, and what the API servers' group joins."""
    rows = [
        template("api", api(server_flags())),
        replace(group("servers", "a", launchTemplate={"id": "lt-api"}, targetGroupArns=arns), id="servers"),
        made(aws_network.BALANCERS[0], "front", {"internal": False}, outputs={"arn": "arn:front"}),
        made(aws_network.TARGETS[0], "targets", {"port": 443}, id="tg-1"),
        made(aws_network.LISTENERS[0], "at-443", {"loadBalancerArn": "arn:front", "port": 443, "defaultActions": [{"targetGroupArn": "tg-1"}]}),
        *(
            made(aws_network.JOINED[0], f"joined-{number}", {"autoscalingGroupName": name, "lbTargetGroupArn": "tg-1"})
            for number, name in enumerate(attached)
        ),
    ]  # fmt: skip
    return {each.name: each for each in rows}


@pytest.mark.parametrize(
    ("own", "kinds"),
    [
        (behind(None), []),
        (behind(["tg-1"]), [Violation]),
        (behind(["tg-2"]), []),
        (behind([HIDDEN]), [Undecided]),
        (behind(HIDDEN), [Undecided]),
        (behind(None, "servers"), [Violation]),
        (behind(None, "others"), []),
        (behind(None, HIDDEN), [Undecided]),
    ],
)
def test_a_load_balancer_is_judged_as_the_apis_if_a_group_of_api_servers_is_its_target(
    own: dict[str, Resource], kinds: list[type]
) -> None:
    found = list(BY_ID["api-private"].check(read_facts(own.values())))
    assert [type(each) for each in found] == kinds
    assert not [each for each in found if each.field.startswith("what this rule reads")]


def classic(own: Any, *attached: Any, elb: Any = "api") -> dict[str, Resource]:
    """A public classic load balancer at 443, and what the API servers' group joins."""
    rows = [
        template("api", api(server_flags())),
        replace(group("servers", "a", launchTemplate={"id": "lt-api"}, loadBalancers=own), id="servers"),
        made(aws_classic.CLASSIC[0], "front", {"name": "api", "listeners": [{"lbPort": 443, "instancePort": 443}]}, id="elb-1"),
        *(
            made(aws_network.JOINED[0], f"joined-{number}", {"autoscalingGroupName": name, "elb": elb})
            for number, name in enumerate(attached)
        ),
    ]  # fmt: skip
    return {each.name: each for each in rows}


@pytest.mark.parametrize(
    ("own", "kinds"),
    [
        (classic(None), []),
        (classic(["api"]), [Violation]),
        (classic(["elb-1"]), [Violation]),
        (classic(["other"]), []),
        (classic(HIDDEN), [Undecided]),
        (classic(None, "servers"), [Violation]),
        (classic(None, "others"), []),
        (classic(None, "servers", elb="other"), []),
        (classic(None, "servers", elb=HIDDEN), [Undecided]),
        (classic(None, HIDDEN), [Undecided]),
    ],
)
def test_a_classic_load_balancer_is_the_apis_if_a_group_of_api_servers_joins_it(
    own: dict[str, Resource], kinds: list[type]
) -> None:
    assert [type(each) for each in BY_ID["api-private"].check(read_facts(own.values()))] == kinds
