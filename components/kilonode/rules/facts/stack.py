"""Facts about a stack as a whole."""

from dataclasses import dataclass

from kilonode.rules.facts.controlplane import ApiServers, EtcdCluster, Member
from kilonode.rules.facts.machines import Machine
from kilonode.rules.facts.network import Interface, LoadBalancer, Subnet
from kilonode.rules.facts.pools import NodePool
from kilonode.rules.facts.storage import Storage
from kilonode.rules.facts.workloads import PriorityClass, Workload
from kilonode.rules.unknown import Fact, Unknown


@dataclass(frozen=True)
class Tagged:
    """A resource that can carry tags, and those it carries."""

    resource: str
    tags: Fact[frozenset[str]]
    more: Unknown | None = None
    """What may add some that nobody can see."""


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
