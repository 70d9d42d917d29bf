"""Facts about a stack as a whole."""

from collections.abc import Collection
from dataclasses import dataclass

from kilonode.rules.facts.controlplane import ApiServers, EtcdCluster, Member
from kilonode.rules.facts.machines import Machine
from kilonode.rules.facts.network import Interface, LoadBalancer, Subnet
from kilonode.rules.facts.pools import NodePool
from kilonode.rules.facts.storage import Storage
from kilonode.rules.facts.workloads import PriorityClass, Workload
from kilonode.rules.unknown import Fact, Unknown, known


@dataclass(frozen=True)
class Tagged:
    """A resource that can carry tags, and those it carries."""

    resource: str
    tags: Fact[frozenset[str]]
    more: Unknown | None = None
    """What may add some that nobody can see."""

    any_case: bool = False
    """Whether a name of a tag is the same in any case, as Azure's are (Azure docs, tag resources)."""

    def without(self, names: Collection[str]) -> list[str]:
        """Those of the names that it does not carry.

        Raises:
            UndecidedError: when its tags are not known.
        """
        plain = str.lower if self.any_case else str
        own = {plain(each) for each in known(self.tags)}
        return sorted(each for each in set(names) if plain(each) not in own)


@dataclass(frozen=True)
class Stack:
    """The stack as a whole."""

    resource: str
    resources: int
    tagged: tuple[Tagged, ...] = ()


@dataclass(frozen=True)
class Unread:
    """Something whose very kind cannot be told yet."""

    resource: str
    field: str


@dataclass(frozen=True)
class Facts:
    """Everything the rules look at."""

    stack: Stack
    machines: tuple[Machine, ...] = ()
    clusters: tuple[EtcdCluster, ...] = ()
    api_servers: tuple[ApiServers, ...] = ()
    pools: tuple[NodePool, ...] = ()
    balancers: tuple[LoadBalancer, ...] = ()
    subnets: tuple[Subnet, ...] = ()
    storage: tuple[Storage, ...] = ()
    workloads: tuple[Workload, ...] = ()
    priority_classes: tuple[PriorityClass, ...] = ()
    interfaces: tuple[Interface, ...] = ()
    nodes: Fact[int] = 0
    unread: tuple[Unread, ...] = ()
    """Machines and pools whose role is in user data that is not known yet."""

    apart: tuple[Member, ...] = ()
    """Etcd members of which nobody can tell in which cluster they are: a file that is not in user data says it."""

    uncounted: tuple[Unread, ...] = ()
    """What is of the control plane, where nobody can tell how many there are of it, or in which cluster."""

    sealed: frozenset[str] = frozenset()
    """URNs of resources with text that the engine keeps as a secret: it is read, and never shown."""

    secrets: frozenset[str] = frozenset()
    """All that text, in lower case: what a rule says of one resource may have been read from another."""
