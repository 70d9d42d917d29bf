"""Public addresses on AWS and of machines on Azure: asked for, given by a subnet, or bound to what is there."""

from dataclasses import replace
from typing import Any

import pytest

from kilonode.rules.read import aws
from kilonode.rules.read.aws_addresses import ADDRESS, ASSOCIATION, CARD
from kilonode.rules.read.facts import read_facts
from kilonode.rules.read.resource import Resource
from kilonode.rules.registry import BY_ID
from kilonode.rules.rule import Undecided, Violation
from kilonode.rules.unknown import Unknown
from tests.rules.judged import kinds, stack
from tests.rules.written import made, with_property

BROKEN, WAITS = Violation, Undecided
ASKS, GIVES = "associatePublicIpAddress", "mapPublicIpOnLaunch"


def told(*resources: Resource) -> dict[str, type]:
    """Name of a resource to what kind of finding there is."""
    found = BY_ID["public-address"].check(read_facts(resources))
    return {each.resource.rpartition("::")[2]: type(each) for each in found}


def instance(**properties: Any) -> Resource:
    return made(aws.INSTANCE, "i", {"subnetId": "subnet-1", **properties}, id="i-1")


def subnet(gives: Any = None, name: str = "subnet-1") -> Resource:
    return made(aws.SUBNET, name, {GIVES: gives}, id=name)


def template(*asked: Any) -> Resource:
    rows = [{} if each is None else {ASKS: each} for each in asked]
    return made(aws.TEMPLATE, "t", {"networkInterfaces": rows}, id="lt-1")


@pytest.mark.parametrize(("gives", "kind"), [(None, None), (False, None), (True, BROKEN), (Unknown("m"), WAITS)])
def test_an_instance_that_says_nothing_has_what_its_subnet_gives(gives: Any, kind: type | None) -> None:
    assert told(instance(), subnet(gives)) == ({"i": kind} if kind else {})
    for own, said in ((True, {"i": BROKEN}), (False, {}), (Unknown("a"), {"i": WAITS})):
        assert told(instance(associatePublicIpAddress=own), subnet(gives)) == said
    assert told(instance(networkInterfaces=[{"networkInterfaceId": "eni-1"}]), subnet(gives)) == {}
    assert told(instance(primaryNetworkInterface={"networkInterfaceId": "eni-1"}), subnet(gives)) == {}


def test_of_a_subnet_elsewhere_nobody_knows_what_it_gives_before_the_cloud_answers() -> None:
    for own in (instance(), instance(subnetId=Unknown("s")), made(aws.INSTANCE, "i", {})):
        assert told(own) == {"i": WAITS}
        assert told(replace(own, outputs={"publicIp": ""})) == {}
        assert told(replace(own, outputs={"publicIp": "192.0.2.1"})) == {"i": BROKEN}
    assert told(instance(networkInterfaces=Unknown("n")), subnet()) == {"i": WAITS}


@pytest.mark.parametrize(
    ("asked", "kind"),
    [
        ((True,), BROKEN),
        ((None, "true"), BROKEN),
        ((False, Unknown("a")), WAITS),
        ((False,), None),
        ((False, True), BROKEN),
        ((None,), BROKEN),
        ((), BROKEN),
    ],
)
def test_a_template_asks_for_an_instance_or_for_all_of_a_group(asked: tuple[Any, ...], kind: type | None) -> None:
    own = instance(launchTemplate={"id": "lt-1"})
    group = made(aws.GROUP, "g", {"launchTemplate": {"id": "lt-1"}, "vpcZoneIdentifiers": ["subnet-1"]})
    for each in (own, group):
        assert told(each, template(*asked), subnet(gives=True)) == ({each.name: kind} if kind else {})
    named = with_property(template(*asked), "name", "nodes")
    by_name = instance(launchTemplate={"name": "nodes"})
    assert told(by_name, named, subnet(gives=True)) == ({"i": kind} if kind else {})
    if True in asked or "true" in asked:
        assert told(own, template(*asked), subnet()) == {"i": BROKEN}
    assert told(own, with_property(template(), "networkInterfaces", Unknown("n")), subnet()) == {"i": WAITS}
    assert told(own, subnet()) == {"i": WAITS}, "of a template elsewhere nobody knows what it asks for"


@pytest.mark.parametrize(("own", "kind"), [(None, BROKEN), ("subnet-1", None)])
def test_a_template_says_the_subnet_of_an_instance_that_says_none(own: str | None, kind: type | None) -> None:
    said = made(aws.TEMPLATE, "t", {"networkInterfaces": [{"subnetId": "subnet-2"}]}, id="lt-1")
    machine = instance(launchTemplate={"id": "lt-1"}, subnetId=own)
    assert told(machine, said, subnet(), subnet(gives=True, name="subnet-2")) == ({"i": kind} if kind else {})


@pytest.mark.parametrize(
    ("zones", "kind"),
    [
        (["subnet-1"], None),
        (["subnet-1", "subnet-2"], BROKEN),
        (["subnet-1", "elsewhere"], WAITS),
        (["subnet-2", "elsewhere"], BROKEN),
        (["subnet-1", "subnet-3"], WAITS),
        ([Unknown("z")], WAITS),
        ([], WAITS),
    ],
)
def test_a_group_has_what_any_of_its_subnets_gives(zones: list[Any], kind: type | None) -> None:
    group = made(aws.GROUP, "g", {"launchTemplate": {"id": "lt-1"}, "vpcZoneIdentifiers": zones})
    subnets = (subnet(), subnet(gives=True, name="subnet-2"), subnet(gives=Unknown("m"), name="subnet-3"))
    assert told(group, template(), *subnets) == ({"g": kind} if kind else {})


def address(kind: str = ADDRESS, **properties: Any) -> Resource:
    return made(kind, "address", properties)


@pytest.mark.parametrize(
    ("bound", "said"),
    [
        (address(), {}),
        (address(domain="vpc"), {}),
        (address(instance="i-1"), {"i": BROKEN}),
        (address(networkInterface="eni-1"), {"card": BROKEN}),
        (address(ASSOCIATION, instanceId="i-1"), {"i": BROKEN}),
        (address(ASSOCIATION, networkInterfaceId="eni-1"), {"card": BROKEN}),
        (address(instance="i-elsewhere"), {"address": BROKEN}),
        (address(instance=Unknown("instance")), {"address": WAITS}),
        (made("aws:ec2/natGateway:NatGateway", "nat", {"allocationId": "eip-1"}), {}),
    ],
)
def test_an_address_is_its_machines_once_it_is_bound_to_one(bound: Resource, said: dict[str, type]) -> None:
    card = made(CARD, "card", {"subnetId": "subnet-1"}, id="eni-1")
    assert told(instance(associatePublicIpAddress=False), card, subnet(gives=True), bound) == said


def test_an_address_is_bound_to_what_it_was_made_from() -> None:
    own = replace(instance(), id=None)
    bound = made(ADDRESS, "address", {"instance": Unknown("id")}, depends={"instance": (own.urn,)})
    assert told(own, subnet(), bound) == {"i": BROKEN}


PUBLIC = {"publicIPAddressConfiguration": {"name": "out"}}


@pytest.mark.parametrize(
    ("cards", "said"),
    [
        ([{"ipConfigurations": [{}]}, {"name": "card"}], set()),
        ([{"ipConfigurations": [{}]}, {"ipConfigurations": [{}, PUBLIC]}], {BROKEN}),
        ([{"ipConfigurations": Unknown("c")}], {WAITS}),
        (Unknown("n"), {WAITS}),
    ],
)
def test_an_interface_that_a_machine_of_azure_is_made_with_may_have_one(cards: Any, said: set[type]) -> None:
    assert (
        kinds("public-address", stack(("api-1", "networkProfile", {"networkInterfaceConfigurations": cards}))) == said
    )
