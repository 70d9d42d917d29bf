"""What a rule looks at: facts of one kind, and those whose kind cannot be told yet."""

from collections.abc import Collection, Iterable
from itertools import chain
from typing import TypeVar

from kilonode.rules.facts.controlplane import ApiServer, ApiServers, EtcdCluster, Member
from kilonode.rules.facts.machines import Kernel, Machine, UserData
from kilonode.rules.facts.network import Interface, Subnet
from kilonode.rules.facts.pools import NodePool
from kilonode.rules.facts.stack import Facts, Stack, Unread
from kilonode.rules.facts.storage import Storage
from kilonode.rules.facts.workloads import Autoscaler, PriorityClass, Workload
from kilonode.rules.unknown import Unknown

_DISCOVERY = "node-group-auto-discovery"
Group = TypeVar("Group", EtcdCluster, ApiServers)


def clusters(facts: Facts) -> Iterable[EtcdCluster | Unread]:
    """Etcd clusters; while any machine's role, or a member's cluster, is unknown, nobody can tell how many members one has."""
    apart = tuple(Unread(each.resource, where) for each in facts.apart if (where := each.told_elsewhere))
    return facts.unread or apart or chain.from_iterable(_counted(each, facts) for each in facts.clusters)


def _counted(group: Group, facts: Facts) -> Iterable[Group | Unread]:
    """The group, if it is known how many machines it has."""
    return [each for each in facts.uncounted if each.resource in group.resources] or (group,)


def members(facts: Facts) -> Iterable[Member | Unread]:
    """Etcd members."""
    return chain((member for cluster in facts.clusters for member in cluster.members), facts.apart, facts.unread)


def api_servers(facts: Facts) -> Iterable[ApiServer | Unread]:
    """Each API server."""
    return chain((server for group in facts.api_servers for server in group.servers), facts.unread)


def control_plane(facts: Facts) -> Iterable[ApiServers | Unread]:
    """The API servers of each cluster; while any machine's role is unknown, nobody can tell how many there are."""
    return facts.unread or chain.from_iterable(_counted(each, facts) for each in facts.api_servers)


def fixed(facts: Facts) -> Iterable[Machine | Unread]:
    """Machines of the control plane, one of each pool."""
    both = (each for each in chain(members(facts), api_servers(facts)) if not isinstance(each, Unread))
    seen = {each.resource: each.machine for each in both}
    return chain(seen.values(), facts.unread)


def machines(facts: Facts) -> Iterable[Machine]:
    """Every machine."""
    return facts.machines


def pools(facts: Facts) -> Iterable[NodePool]:
    """Every pool."""
    return facts.pools


def booting(facts: Facts) -> Iterable[Machine | NodePool | Unread]:
    """Whatever has user data."""
    both: tuple[Machine | NodePool, ...] = (*facts.machines, *facts.pools)
    for each in both:
        if isinstance(each.data, Unknown):
            yield Unread(each.resource, each.data.field)
        elif each.data is not None:
            yield each


def nodes(facts: Facts) -> Iterable[Machine | NodePool | Unread]:
    """Machines that run a kubelet."""
    for each in booting(facts):
        if isinstance(each, Unread) or "kubelet" in _programs(each.data):
            yield each


def kernels(facts: Facts) -> Iterable[Kernel | Unread]:
    """Kernel settings of machines that run a program of the cluster."""
    for each in cluster_machines(facts):
        if isinstance(each, Unread):
            yield each
        elif isinstance(each.data, UserData):
            yield Kernel(each.resource, each.data.sysctls, facts.nodes)


def interfaces(facts: Facts) -> Iterable[Interface]:
    """Whatever may have a public address."""
    return facts.interfaces


def logins(facts: Facts) -> Iterable[Machine | NodePool]:
    """Machines somebody may log into."""
    return (*facts.machines, *facts.pools)


def node_pools(facts: Facts) -> Iterable[NodePool | Unread]:
    """Pools of nodes, or whose size is the autoscaler's; none with etcd or kube-apiserver, whatever runs beside it."""
    names = _names_pools(facts)
    for pool in facts.pools:
        if pool.controls:
            continue
        if pool.of_nodes:
            yield pool
        elif isinstance(pool.autoscaled, Unknown):
            yield Unread(pool.resource, pool.autoscaled.field)
        elif isinstance(pool.data, Unknown):
            yield Unread(pool.resource, pool.data.field)
        elif names:
            yield Unread(pool.resource, f"autoscaler (does its --{names} name this pool?)")


def _names_pools(facts: Facts) -> str | None:
    """The flag by which an autoscaler is told its pools otherwise than by the usual tags."""
    for each in autoscalers(facts):
        own = {} if isinstance(each.arguments, Unknown) else dict(each.arguments)
        if "nodes" in own:
            return "nodes"
        if "cluster-autoscaler" not in own.get(_DISCOVERY, "cluster-autoscaler"):
            return _DISCOVERY
    return None


def _programs(data: object) -> Collection[str]:
    return data.programs if isinstance(data, UserData) else ()


def cluster_machines(facts: Facts) -> Iterable[Machine | NodePool | Unread]:
    """Machines that run a program of the cluster."""
    for each in booting(facts):
        if isinstance(each, Unread) or _programs(each.data):
            yield each


def subnets(facts: Facts) -> Iterable[Subnet | Unread]:
    """Subnets with pools, and pools of which it is not known yet which subnet they are in."""
    yield from facts.subnets
    for pool in facts.pools:
        if isinstance(pool.subnets, Unknown):
            yield Unread(pool.resource, pool.subnets.field)


def storage(facts: Facts) -> Iterable[Storage]:
    """Stores."""
    return facts.storage


def workloads(facts: Facts) -> Iterable[Workload]:
    """Pods."""
    return facts.workloads


def autoscalers(facts: Facts) -> Iterable[Autoscaler]:
    """The cluster autoscaler, whatever it is called."""
    return chain.from_iterable(each.autoscalers for each in facts.workloads)


def balloons(facts: Facts) -> Iterable[PriorityClass | Unread]:
    """Classes of pods that only hold room."""
    for each in facts.priority_classes:
        if isinstance(each.balloon, Unknown):
            yield Unread(each.resource, each.balloon.field)
        elif each.balloon:
            yield each


def stack(facts: Facts) -> Iterable[Stack]:
    """The stack."""
    return (facts.stack,)
