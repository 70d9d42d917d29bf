"""Public addresses of the AWS provider into facts: what asks for one, what its subnet gives it, and what is bound to it.

Addresses of NAT gateways and of load balancers are bound to no machine, and are none.
"""

from collections.abc import Iterator, Sequence

from kilonode.rules.facts.network import Interface
from kilonode.rules.read.aws_launch import template_of
from kilonode.rules.read.aws_network import subnets_of
from kilonode.rules.read.resource import Resource
from kilonode.rules.unknown import Fact, Unknown, first_unknown

CARD = "aws:ec2/networkInterface:NetworkInterface"
ADDRESS, ASSOCIATION = "aws:ec2/eip:Eip", "aws:ec2/eipAssociation:EipAssociation"
_BINDINGS = {ADDRESS: ("instance", "networkInterface"), ASSOCIATION: ("instanceId", "networkInterfaceId")}
_ASKS, _GIVES, _CARDS = "associatePublicIpAddress", "mapPublicIpOnLaunch", "networkInterfaces"
_ELSEWHERE = Unknown(f"{_ASKS} (nothing is said, and the subnet that decides is not in this stack)")
"""Subnets of one's own give none unless told to, those that AWS makes by itself do (Amazon VPC user guide, default subnets)."""


def interfaces(
    resources: Sequence[Resource],
    instances: Sequence[Resource],
    templates: Sequence[Resource],
    subnets: Sequence[Resource],
) -> Iterator[Interface]:
    """Instances and interfaces, and addresses that are bound to one elsewhere or to one that is not known yet."""
    cards = [each for each in resources if each.type == CARD]
    bound: set[str] = set()
    for each in resources:
        for path in _BINDINGS.get(each.type, ()):
            machine = each.named(path, [*instances, *cards])
            if isinstance(machine, Resource):
                bound.add(machine.urn)
            elif each.get(path) is not None:
                yield Interface(each.urn, machine or True)
    # An interface that is made before its machine is given no address by its subnet.
    yield from (Interface(each.urn, each.urn in bound) for each in cards)
    for each in instances:
        yield Interface(each.urn, True if each.urn in bound else _instance(each, templates, subnets))


def of_group(group: Resource, template: Resource, subnets: Sequence[Resource]) -> Fact[bool]:
    """Whether machines of a group have one: as the template asks, else as any of their subnets gives."""
    asked = _asked(template)
    if asked is not None:
        return asked
    where = subnets_of(group, subnets)
    if isinstance(where, Unknown):
        return where
    given = [_gives(each) for each in subnets if each.urn in where]
    if True in given:
        return True
    unknown = first_unknown(given)
    return unknown or (_ELSEWHERE if None in where or not where else False)


def _instance(instance: Resource, templates: Sequence[Resource], subnets: Sequence[Resource]) -> Fact[bool]:
    """What the instance says, else its template, else what the cloud has answered, else its subnet."""
    own, cards = instance.truth(_ASKS), instance.get(_CARDS) or instance.get("primaryNetworkInterface")
    if own is not None or cards is not None:
        return own if own is not None else cards if isinstance(cards, Unknown) else False
    template, answered = template_of(instance, templates), instance.outputs.get("publicIp")
    asked = _asked(template) if isinstance(template, Resource) else template
    if isinstance(answered, str) and not isinstance(asked, bool):
        return bool(answered)
    if asked is not None:
        return asked
    where = instance.named("subnetId", subnets)
    if instance.get("subnetId") is None and isinstance(template, Resource):
        where = template.named(f"{_CARDS}.0.subnetId", subnets)
    if isinstance(where, Resource):
        return _gives(where)
    return where or _ELSEWHERE


def _asked(template: Resource) -> Fact[bool | None]:
    """What a template asks for, or its interfaces; None where they leave it to the subnet."""
    rows = template.rows(_CARDS)
    if isinstance(rows, Unknown):
        return rows
    said = [template.truth(path) for path in (_ASKS, *(f"{_CARDS}.{number}.{_ASKS}" for number in range(len(rows))))]
    if True in said:
        return True
    unknown = first_unknown(said)
    return unknown or (False if False in said else None)


def _gives(subnet: Resource) -> Fact[bool]:
    given = subnet.truth(_GIVES)
    return given if isinstance(given, Unknown) else given is True
