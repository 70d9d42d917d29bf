"""Load balancers of azure-native into facts: what they hand on, and which machines are behind them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

from kilonode.rules.facts.network import Forward, LoadBalancer
from kilonode.rules.read.azure.kinds import LOAD_BALANCER
from kilonode.rules.read.azure.network import CARDS_OF_SET, MADE, public
from kilonode.rules.read.resource import Resource, at, typed, urn_of, whole
from kilonode.rules.unknown import Fact, Unknown, first_unknown

POOL, NAT_RULE = "network:LoadBalancerBackendAddressPool", "network:InboundNatRule"
_PROTOCOLS = {"https": "HTTPS", "http": "HTTP", "tcp": "TCP"}
_CARDS, _ADDRESSES = "networkProfile.networkInterfaces", "loadBalancerBackendAddresses"
_PORTS = ("frontendPort", "backendPort", "frontendPortRangeStart")
_JOINED = {"loadBalancerBackendAddressPools": "backendAddressPools", "loadBalancerInboundNatRules": "inboundNatRules"}
"""What an address joins, and what it is called in the load balancer."""

Named = Fact[str | None]


@dataclass(frozen=True)
class Balancing:
    """The load balancers of a stack, and what is theirs in resources of its own."""

    balancers: Sequence[Resource]
    rules: Sequence[Resource]
    """To one machine each."""

    addresses: Sequence[tuple[Named, Named]]
    """URN of a load balancer, and an address that is behind it."""

    @classmethod
    def read(cls, resources: Sequence[tuple[str, Resource]]) -> Self:
        """Those among the resources, each with its kind."""
        balancers = [each for kind, each in resources if kind == LOAD_BALANCER]
        pools: list[tuple[Named, Any]] = [
            (urn_of(each.named("loadBalancerName", balancers, also="loadBalancerName")), each.get(_ADDRESSES))
            for kind, each in resources
            if kind == POOL
        ]
        for each in balancers:
            rows = each.rows("backendAddressPools")
            own = [rows] if isinstance(rows, Unknown) else [at(row, _ADDRESSES) for row in rows]
            pools += ((each.urn, row) for row in own if row is not None)
        addresses = [(whose, address) for whose, rows in pools if whose for address in _listed(rows)]
        return cls(balancers, [each for kind, each in resources if kind == NAT_RULE], addresses)

    def load_balancers(self) -> Iterator[LoadBalancer]:
        """Each with the ports of its rules, each of them with the probe that it names."""
        for each in self.balancers:
            rules, probes = each.rows("loadBalancingRules"), each.rows("probes")
            yield LoadBalancer(
                each.urn,
                public(each, "frontendIPConfigurations"),
                rules if isinstance(rules, Unknown) else tuple(_forward(row, probes) for row in rules),
                self._direct(each),
            )

    def _direct(self, balancer: Resource) -> Fact[tuple[int, ...]]:
        """Ports of the rules to one machine each, of the load balancer's own and of those by themselves."""
        found: list[Fact[tuple[int, ...]]] = []
        for path in ("inboundNatRules", "inboundNatPools"):
            rows = balancer.rows(path)
            found += [rows] if isinstance(rows, Unknown) else map(_ports, rows)
        for each in self.rules:
            named = urn_of(each.named("loadBalancerName", self.balancers, also="loadBalancerName"))
            found += (
                [named] if isinstance(named, Unknown) else [_ports(each.properties)] if named == balancer.urn else []
            )
        unknown = first_unknown(found)
        return unknown or tuple(port for each in found if not isinstance(each, Unknown) for port in each)

    def of(self, machine: Resource, cards: Sequence[Resource]) -> Fact[frozenset[str]]:
        """Those that an address of the machine is behind; Unknown where an interface of it cannot be seen."""
        rows, made = machine.rows(_CARDS), machine.rows(MADE)
        if isinstance(rows, Unknown) or isinstance(made, Unknown):
            return rows if isinstance(rows, Unknown) else made if isinstance(made, Unknown) else frozenset()
        holders = [(machine, f"{MADE}.{number}.ipConfigurations") for number in range(len(made))]
        for number in range(len(rows)):
            card = machine.named(f"{_CARDS}.{number}.id", cards, also="networkInterfaceName")
            if not isinstance(card, Resource):  # one that the stack does not have may have joined any
                return Unknown(_CARDS)
            holders.append((card, "ipConfigurations"))
        return self._before(holders)

    def of_set(self, resource: Resource) -> Fact[frozenset[str]]:
        """Those that the machines of a scale set are behind."""
        rows = resource.rows(CARDS_OF_SET)
        if isinstance(rows, Unknown):
            return rows
        return self._before([(resource, f"{CARDS_OF_SET}.{number}.ipConfigurations") for number in range(len(rows))])

    def _before(self, holders: Sequence[tuple[Resource, str]]) -> Fact[frozenset[str]]:
        """Those before any address at the paths of ``holders``."""
        found: set[str] = set()
        for holder, path in holders:
            for each in (*self._joined(holder, path), *self._addressed(holder, path)):
                if isinstance(each, Unknown):
                    return each
                found |= {each} if each else set()
        return frozenset(found)

    def _joined(self, holder: Resource, path: str) -> Iterator[Named]:
        """Load balancers whose pools or rules an address names."""
        rows = holder.rows(path)
        if isinstance(rows, Unknown):
            yield rows
            return
        for number in range(len(rows)):
            for key, part in _JOINED.items():
                joined = holder.rows(f"{path}.{number}.{key}")
                for each in [joined] if isinstance(joined, Unknown) else range(len(joined)):
                    where = f"{path}.{number}.{key}.{each}.id"
                    yield (
                        each
                        if isinstance(each, Unknown)
                        else urn_of(holder.named(where, self.balancers, also="loadBalancerName", part=part))
                    )

    def _addressed(self, holder: Resource, path: str) -> Iterator[Named]:
        """Load balancers that name an address themselves; one that the cloud gives may be any."""
        rows = holder.rows(path) if self.addresses else []
        count = 0 if isinstance(rows, Unknown) else len(rows)
        own = [_own(holder, f"{path}.{number}.privateIPAddress") for number in range(count)]
        for whose, address in self.addresses if own else ():
            if not isinstance(address, Unknown) and address in own:
                yield whose
            elif isinstance(address, Unknown) or None in own or any(isinstance(each, Unknown) for each in own):
                yield Unknown(_ADDRESSES)


def _own(holder: Resource, path: str) -> Named:
    own = holder.text(path)
    return typed(at(holder.outputs, path), str, path) if own is None else own


def _listed(rows: Any) -> Iterator[Named]:
    found = typed(rows, list, _ADDRESSES)
    for row in [found] if isinstance(found, Unknown) else found or []:
        yield typed(at(row, "ipAddress"), str, f"{_ADDRESSES}.ipAddress")


def _ports(rule: Any) -> Fact[tuple[int, ...]]:
    found = [whole(at(rule, port), port) for port in _PORTS]
    unknown = first_unknown(found)
    return unknown or tuple(each for each in found if isinstance(each, int))


def _forward(rule: Any, probes: Fact[list[Any]]) -> Forward:
    probe = _probe(at(rule, "probe.id"), probes)
    protocol = typed(at(probe, "protocol"), str, "probes.protocol")
    return Forward(
        _ports(rule),
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
