"""Facts about addresses, and who reaches what."""

from dataclasses import dataclass

from kilonode.rules.facts.pools import NodePool
from kilonode.rules.unknown import Fact, Unknown


@dataclass(frozen=True)
class Interface:
    """Whatever may have a public address: an interface, an instance, the template of a pool."""

    resource: str
    public: Fact[bool]


@dataclass(frozen=True)
class Forward:
    """What a load balancer hands on: the ports in front and behind, and protocol and path of the probe it asks by."""

    ports: Fact[tuple[int, ...]]
    protocol: Fact[str | None] = None
    path: Fact[str | None] = None


@dataclass(frozen=True)
class LoadBalancer:
    """A load balancer, with a row for each of its rules or listeners."""

    resource: str
    public: Fact[bool]
    forwards: Fact[tuple[Forward, ...]]
    direct: Fact[tuple[int, ...]] = ()
    """Ports of what it hands on to one machine each, which no probe asks."""

    @property
    def ports(self) -> Fact[tuple[int, ...]]:
        """All ports, in front and behind; Unknown while any of them is."""
        if isinstance(self.forwards, Unknown):
            return self.forwards
        found: list[int] = []
        for ports in (*(each.ports for each in self.forwards), self.direct):
            if isinstance(ports, Unknown):
                return ports
            found += ports
        return tuple(found)


@dataclass(frozen=True)
class Subnet:
    """Ranges of addresses."""

    resource: str
    ranges: Fact[tuple[str, ...]]
    pools: tuple[NodePool, ...] = ()
    name: str = ""
    """Which of the resource's subnets it is, where a network's own properties have it."""

    @property
    def key(self) -> str:
        """What pools name it by."""
        return part(self.resource, self.name) if self.name else self.resource


def part(network: str, name: str) -> str:
    """What stands for the URN of a subnet that only its network's properties have."""
    return f"{network}/subnets/{name}"
