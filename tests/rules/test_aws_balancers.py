"""Load balancers of AWS under each of their names, and classic ones: what they hand on, how they probe, and who is behind."""

from dataclasses import replace
from typing import Any

import pytest

from kilonode.rules.read import aws
from kilonode.rules.read.aws_classic import ATTACHED, CLASSIC
from kilonode.rules.read.aws_network import ATTACHMENTS, BALANCERS, LISTENERS, TARGETS
from kilonode.rules.read.facts import read_facts
from kilonode.rules.read.resource import Resource
from kilonode.rules.registry import BY_ID
from kilonode.rules.rule import Undecided, Violation
from kilonode.rules.unknown import Unknown
from tests.rules.test_aws_network import api
from tests.rules.written import made, with_property

BROKEN, WAITS = {Violation}, {Undecided}


def kinds(rule: str, *resources: Resource) -> set[type]:
    return {type(each) for each in BY_ID[rule].check(read_facts(resources))}


@pytest.mark.parametrize("module", range(len(BALANCERS)))
def test_a_load_balancer_is_read_by_whichever_name_the_provider_gave_it(module: int) -> None:
    renamed = {names[0]: names[module] for names in (BALANCERS, LISTENERS, TARGETS, ATTACHMENTS)}
    assert kinds("api-private", *(replace(each, type=renamed.get(each.type, each.type)) for each in api())) == BROKEN


@pytest.mark.parametrize(
    ("group", "said"), [("tg-1", BROKEN), ("tg-2", set()), ("tg-elsewhere", set()), (Unknown("targetGroupArn"), WAITS)]
)
def test_an_instance_is_behind_all_that_hand_on_to_its_groups(group: Any, said: set[type]) -> None:
    *rows, one = api()
    alone = made(TARGETS[0], "alone", {"port": 443}, id="tg-2")
    last = made(ATTACHMENTS[0], "last", {"targetGroupArn": "tg-2", "targetId": "i-1"})
    assert kinds("api-private", *rows, alone, with_property(one, "targetGroupArn", group), last) == said


def test_whether_a_load_balancer_is_internal_may_not_be_known_yet() -> None:
    rows = [with_property(each, "internal", Unknown("internal")) if each.name == "front" else each for each in api()]
    assert kinds("api-private", *rows) == WAITS


SERVER, WEB = api()[:2]
PASSED = {"lbPort": 443, "lbProtocol": "tcp", "instancePort": 443, "instanceProtocol": "tcp"}


def classic(port: Any = 443, kind: str = CLASSIC[0], **properties: Any) -> Resource:
    """A public one, as installers have made them: 443 in front and behind, and every API server behind it."""
    given = {"name": "api", "listeners": [PASSED | {"instancePort": port}], "healthCheck": {"target": "SSL:443"}}
    return made(kind, "classic", given | {"instances": ["i-1"]} | properties, id="elb-1")


@pytest.mark.parametrize(
    ("balancer", "said"),
    [
        (classic(), BROKEN),
        (classic(kind=CLASSIC[1]), BROKEN),
        (classic(internal=True), set()),
        (classic(internal=Unknown("i")), WAITS),
        (classic(instances=["i-2"]), set()),
        (classic(instances=None), set()),
        (classic(instances=Unknown("i")), WAITS),
        (classic(instances=["i-2"], port=6443), BROKEN),
        (classic(listeners=[{"lbPort": 80, "instancePort": 8080}]), set()),
        (classic(listeners=[{"lbPort": 22, "instancePort": 22}]), set()),
        (classic(listeners=[{"lbPort": 8443, "instancePort": 8443}]), BROKEN),
        (classic(listeners=[{"lbPort": 8443, "instancePort": 8443}], internal=True), set()),
        (classic(listeners=[{"lbPort": 8443, "instancePort": 8443}], instances=["i-2"]), set()),
        (classic(listeners=[{"lbPort": 8443, "instancePort": 8443}], instances=Unknown("i")), WAITS),
        (classic(listeners=[{"lbPort": 80, "instancePort": Unknown("p")}]), WAITS),
        (classic(listeners=Unknown("l")), WAITS),
    ],
)
def test_a_classic_one_is_the_apis_if_api_servers_are_behind_it(balancer: Resource, said: set[type]) -> None:
    assert kinds("api-private", SERVER, WEB, balancer) == said


@pytest.mark.parametrize("kind", ATTACHED)
@pytest.mark.parametrize(
    ("elb", "instance", "said"),
    [
        ("api", "i-1", BROKEN),
        ("elb-1", "i-1", BROKEN),
        ("api", "i-2", set()),
        ("other", "i-1", set()),
        (Unknown("elb"), "i-1", WAITS),
        (Unknown("elb"), "i-2", set()),
        ("api", Unknown("instance"), WAITS),
    ],
)
def test_an_instance_is_attached_to_a_classic_one_by_a_resource_of_its_own(
    kind: str, elb: Any, instance: Any, said: set[type]
) -> None:
    attached = made(kind, "attached", {"elb": elb, "instance": instance})
    assert kinds("api-private", SERVER, WEB, classic(instances=None), attached) == said


@pytest.mark.parametrize(("rows", "said"), [(2, BROKEN), (1, WAITS)])
def test_instances_that_are_not_known_yet_are_those_it_was_made_from_if_as_many(rows: int, said: set[type]) -> None:
    server, web, other = (replace(each, id=None) for each in (SERVER, WEB, made(aws.INSTANCE, "other", {})))
    balancer = classic(instances=[Unknown("id")] * rows)
    assert (
        kinds("api-private", other, server, web, replace(balancer, depends={"instances": (server.urn, web.urn)}))
        == said
    )


@pytest.mark.parametrize(
    ("target", "value"),
    [
        ("HTTPS:6443/readyz", None),
        ("https:443/readyz", None),
        ("HTTPS:6443/healthz", "HTTPS /healthz"),
        ("SSL:6443", "SSL"),
        ("TCP:443", "TCP"),
        ("HTTP:8080/readyz", "HTTP /readyz"),
        (None, "nothing"),
        ("6443", "6443"),
        (Unknown("target"), Undecided),
    ],
)
def test_a_classic_one_asks_readyz_too(target: Any, value: Any) -> None:
    own = classic(internal=True, healthCheck={"target": target})
    found = list(BY_ID["apiserver-probe"].check(read_facts([SERVER, own])))
    assert [each.value if isinstance(each, Violation) else Undecided for each in found] == ([value] if value else [])


@pytest.mark.parametrize(
    ("ports", "said"), [((8443,), BROKEN), ((8443, 80), BROKEN), ((8443, 9443), WAITS), ((8443, 443), BROKEN)]
)
def test_a_port_of_nobody_before_api_servers_is_the_apis_if_it_is_the_only_one(
    ports: tuple[int, ...], said: set[type]
) -> None:
    rows = [{"lbPort": port, "instancePort": port} for port in ports]
    own = classic(listeners=rows, healthCheck={"target": "TCP:8443"})
    assert kinds("apiserver-probe", SERVER, WEB, own) == said
    assert kinds("api-private", SERVER, WEB, own) == BROKEN


def test_a_classic_one_can_carry_tags() -> None:
    assert set(CLASSIC) <= aws.TAGGABLE
