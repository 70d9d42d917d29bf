"""Facts about addresses, and who reaches what."""

from dataclasses import dataclass

from kilonode.rules.facts.pools import NodePool
from kilonode.rules.unknown import Fact


@dataclass(frozen=True)
class Interface:
    """Whatever may have a public address: an interface, an instance, the template of a pool."""

    resource: str
    public: Fact[bool]


@dataclass(frozen=True)
class LoadBalancer:
    """A load balancer for ``port``; ``probe`` is protocol and path."""

    resource: str
    name: str
    ports: Fact[tuple[int, ...]]
    public: Fact[bool]
    protocol: Fact[str | None] = None
    path: Fact[str | None] = None


@dataclass(frozen=True)
class Subnet:
    """A range of addresses."""

    resource: str
    range: Fact[str | None]
    pools: tuple[NodePool, ...] = ()
