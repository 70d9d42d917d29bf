"""A secret's text is hidden also where a rule tells it of another resource than the one that has it."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from kilonode.rules import shown
from kilonode.rules.read.facts import read_facts
from kilonode.rules.read.resource import SECRET, SIGNATURE, UNKNOWNS, Resource, Sealed, plain
from kilonode.rules.registry import RULES
from kilonode.rules.rule import Undecided, Violation
from tests.rules.doors import by_pack
from tests.rules.foreign import Foreign
from tests.rules.foreign_aws import amazon
from tests.rules.written import made, with_property

CANARY = "Hunter2"
SEALED = {SIGNATURE: SECRET, "value": CANARY}


def said(resources: list[Resource]) -> list[Any]:
    facts = read_facts(resources)
    return [found for rule in RULES for found in rule.check(facts)]


def places(value: Any, path: str = "") -> Iterator[str]:
    """Where text stands."""
    if isinstance(value, str):
        yield path
    for key, each in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(each, f"{path}.{key}" if path else str(key))


def behind() -> list[Resource]:
    """A load balancer of AWS before API servers."""
    port = {"port": 6443}
    group = made("aws:lb/targetGroup:TargetGroup", "tg", {**port, "healthCheck": {"path": "/readyz"}}, id="tg")
    listener = {**port, "loadBalancerArn": "lb", "defaultActions": [{"targetGroupArn": "tg"}]}
    return [
        made("aws:lb/loadBalancer:LoadBalancer", "lb", {"internal": True}, id="lb"),
        group,
        made("aws:lb/listener:Listener", "ls", listener, id="ls"),
    ]


def saved_elsewhere() -> list[Resource]:
    """A cluster that a job in another stack's cluster may save, and a pool that may be of nodes."""
    of = Foreign()
    of.snapshot = "true"
    pod = {"containers": [{"name": "a", "command": ["etcdctl", "snapshot", "save", "/b"]}]}
    job = {"metadata": {"name": "save"}, "spec": {"jobTemplate": {"spec": {"template": {"spec": pod}}}}}
    pool = {"vmScaleSetName": "extra", "sku": {"capacity": 600}}
    return [
        *of.resources(),
        made("kubernetes:batch/v1:CronJob", "etcd-backup", job),
        made("azure-native:compute:VirtualMachineScaleSet", "other", pool),
    ]


def members_in_one_zone() -> list[Resource]:
    rows = [with_property(each, "availabilityZone", None) for each in amazon().values()]
    return [with_property(each, "availabilityZone", "z") if each.name == "subnet" else each for each in rows]


@pytest.mark.parametrize("stack", [behind, saved_elsewhere, members_in_one_zone])
def test_whichever_text_of_a_stack_is_a_secret_no_finding_has_it(stack: Any) -> None:
    resources = stack()
    shows = 0
    for number, each in enumerate(resources):
        for path in places(each.properties):
            for text in (CANARY, Sealed(CANARY)):
                changed = with_property(each, path, text)
                found = said([*resources[:number], changed, *resources[number + 1 :]])
                told = [one for one in found if CANARY in f"{one} {one!r}"]
                shows += bool(told)
                assert not told or not isinstance(text, Sealed), (each.name, path)
    # As none of it is a secret, some of it is told.
    assert shows


def test_what_is_not_known_of_another_resource_is_told_by_the_name_its_program_gives_it() -> None:
    fields = {each.field for each in said(saved_elsewhere()) if isinstance(each, Undecided)}
    assert {"which cluster etcd-backup saves", "the number of nodes (is other a pool of nodes?)"} <= fields


def test_the_pack_hides_it_too() -> None:
    balancer, group, listener = behind()
    unknown = next(iter(UNKNOWNS))
    group = with_property(group, "healthCheck.path", SEALED)
    listener = replace(listener, depends={"loadBalancerArn": (balancer.urn,), "defaultActions": (group.urn,)})
    for path in ("loadBalancerArn", "defaultActions.0.targetGroupArn"):
        listener = with_property(listener, path, unknown)
    told = [each for each in by_pack([balancer, group, listener], {}) if each.rule == "apiserver-probe"]
    assert [shown.HIDDEN in each.text for each in told] == [True]
    assert CANARY not in str(told)


@pytest.mark.parametrize("place", ["properties", "outputs"])
def test_a_secret_is_known_by_its_text_wherever_it_stands(place: str) -> None:
    pod = {"spec": {"containers": [{"name": "a", "image": f"registry.example.com/{CANARY.lower()}:latest"}]}}
    other = replace(made("random:index:Password", "p", {}), **{place: plain({"a": [{"b": SEALED}]})})
    values = [
        each.value for each in said([made("kubernetes:core/v1:Pod", "pod", pod), other]) if isinstance(each, Violation)
    ]
    assert set(values) == {shown.HIDDEN}


@pytest.mark.parametrize(
    ("text", "secret", "held"),
    [
        ("3 members in abc", "abc", True),
        ("3 members in abcd", "abc", False),
        ("3 members in abcde", "bcd", False),
        ("3 members in abcde", "BCDE ", True),
        ("3 members", "3", False),
        ("true", "true", False),
        ("3 members", " ", False),
    ],
)
def test_a_short_secret_is_a_whole_word_and_a_figure_is_none(text: str, secret: str, held: bool) -> None:
    assert shown.holds(text, {each for each in [shown.hideable(secret)] if each}) is held
