"""Interfaces, load balancers and subnets of azure-native into facts."""

from collections.abc import Iterator, Sequence
from typing import Any

from kilonode.rules.facts.network import Forward, Interface, LoadBalancer, Subnet
from kilonode.rules.read.resource import Resource, any_set, at, typed, urn_of, whole
from kilonode.rules.unknown import Fact, Unknown

_PROTOCOLS = {"https": "HTTPS", "http": "HTTP", "tcp": "TCP"}
_CARDS = "networkProfile.networkInterfaces"
_CARDS_OF_SET = "virtualMachineProfile.networkProfile.networkInterfaceConfigurations"


def interface(resource: Resource) -> Interface:
    """An interface, by whether it has a public address."""
    return Interface(resource.urn, _public(resource, "ipConfigurations"))


def _public(resource: Resource, path: str) -> Fact[bool]:
    rows = resource.rows(path)
    return rows if isinstance(rows, Unknown) else any_set(rows, "publicIPAddress")


def load_balancer(resource: Resource) -> LoadBalancer:
    """A load balancer: the ports of its rules, each with the probe that the rule names."""
    rules, probes = resource.rows("loadBalancingRules"), resource.rows("probes")
    return LoadBalancer(
        resource.urn,
        _public(resource, "frontendIPConfigurations"),
        rules if isinstance(rules, Unknown) else tuple(_forward(row, probes) for row in rules),
    )


def _forward(rule: Any, probes: Fact[list[Any]]) -> Forward:
    found = [whole(at(rule, port), f"loadBalancingRules.{port}") for port in ("frontendPort", "backendPort")]
    ports: Fact[tuple[int, ...]] = next(
        (each for each in found if isinstance(each, Unknown)), tuple(each for each in found if isinstance(each, int))
    )
    probe = _probe(at(rule, "probe.id"), probes)
    protocol = typed(at(probe, "protocol"), str, "probes.protocol")
    return Forward(
        ports,
        _PROTOCOLS.get(protocol.lower(), protocol) if isinstance(protocol, str) else protocol,
        typed(at(probe, "requestPath"), str, "probes.requestPath"),
    )


def _probe(named: Any, probes: Fact[list[Any]]) -> Any:
    """The probe that a rule names; of a name that is not known yet only the one there is can be meant."""
    if named is None or isinstance(probes, Unknown):
        return None if named is None else probes
    if len(probes) == 1:
        return probes[0]
    name = named.rpartition("/")[2].lower() if isinstance(named, str) else None
    own = [each for each in probes if name and str(at(each, "name")).lower() == name]
    return own[0] if len(own) == 1 else Unknown("loadBalancingRules.probe.id")


def subnet(resource: Resource) -> Subnet:
    """A subnet."""
    return Subnet(resource.urn, resource.text("addressPrefix"))


def balancers_of(machine: Resource, cards: Sequence[Resource], balancers: Sequence[Resource]) -> Fact[frozenset[str]]:
    """Load balancers whose pools an interface of the machine has joined; Unknown where an interface cannot be seen."""
    rows = machine.rows(_CARDS)
    if isinstance(rows, Unknown):
        return rows
    found: set[str] = set()
    # One that the stack does not have may have joined any.
    for number in range(len(rows)):
        card = machine.named(f"{_CARDS}.{number}.id", cards, also="networkInterfaceName")
        joined = _joined(card, "ipConfigurations", balancers) if isinstance(card, Resource) else Unknown(_CARDS)
        if isinstance(joined, Unknown):
            return joined
        found |= joined
    return frozenset(found)


def balancers_of_set(resource: Resource, balancers: Sequence[Resource]) -> Fact[frozenset[str]]:
    """Load balancers whose pools the machines of a scale set join."""
    cards = resource.rows(_CARDS_OF_SET)
    if isinstance(cards, Unknown):
        return cards
    found: set[str] = set()
    for number in range(len(cards)):
        joined = _joined(resource, f"{_CARDS_OF_SET}.{number}.ipConfigurations", balancers)
        if isinstance(joined, Unknown):
            return joined
        found |= joined
    return frozenset(found)


def _joined(card: Resource, configurations: str, balancers: Sequence[Resource]) -> Fact[set[str]]:
    found: set[str] = set()
    for path in _pools(card, configurations):
        named = (
            path
            if isinstance(path, Unknown)
            else urn_of(card.named(path, balancers, also="loadBalancerName", part="backendAddressPools"))
        )
        if isinstance(named, Unknown):
            return named
        if named is not None:
            found.add(named)
    return found


def _pools(card: Resource, configurations: str) -> Iterator[str | Unknown]:
    """Paths of the ids of the pools that an interface has joined."""
    rows = card.rows(configurations)
    if isinstance(rows, Unknown):
        yield rows
        return
    for number in range(len(rows)):
        path = f"{configurations}.{number}.loadBalancerBackendAddressPools"
        joined = card.rows(path)
        if isinstance(joined, Unknown):
            yield joined
        else:
            yield from (f"{path}.{each}.id" for each in range(len(joined)))
