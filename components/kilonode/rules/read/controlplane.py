"""Which machines are a control plane: members of etcd and API servers, grouped by what their user data says."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from kilonode.rules.facts.controlplane import ApiServer, ApiServers, EtcdCluster, Member
from kilonode.rules.facts.machines import Machine, UserData
from kilonode.rules.facts.pools import NodePool
from kilonode.rules.facts.stack import Unread
from kilonode.rules.read.region import shared
from kilonode.rules.unknown import Fact, UndecidedError, Unknown
from kilonode.rules.urls import host, on_the_machine

T = TypeVar("T")
_TOKEN = "initial-cluster-token"  # noqa: S105 - the name of a flag
_FOUND_BY = ("discovery", "discovery-srv")
_ALIKE = (_TOKEN, *_FOUND_BY, "discovery-srv-name")
"""What members of one cluster have alike, where they are not told their peers; several clusters may be in one domain."""


@dataclass(frozen=True)
class ControlPlane:
    """What the facts of a stack say of it."""

    clusters: tuple[EtcdCluster, ...]
    apart: tuple[Member, ...]
    api_servers: tuple[ApiServers, ...]
    unread: tuple[Unread, ...]
    uncounted: tuple[Unread, ...]
    nodes: Fact[int]


def control_plane(machines: Sequence[Machine], pools: Sequence[NodePool], nodes: Fact[int]) -> ControlPlane:
    """The control plane of machines by themselves and of those that pools make."""
    own = [each for each in pools if each.controls]
    every = [*machines, *(machine for pool in own for machine in pool.machines)]
    members, apart = _members(every)
    clusters = tuple(map(_cluster, _together(members, _acquainted)))
    servers, unsure = _servers(every, clusters)
    # API servers have an etcd cluster for Events beside their main one; without API servers nobody can tell those from two regions.
    if unsure or len(servers or clusters) > 1:
        nodes = shared(nodes)
    return ControlPlane(
        tuple(replace(each, nodes=nodes) for each in clusters),
        apart,
        tuple(replace(each, nodes=nodes) for each in servers),
        tuple(_roleless(machines, pools)),
        (*(Unread(each.resource, each.counted.field) for each in own if isinstance(each.counted, Unknown)), *unsure),
        nodes,
    )


def _roleless(machines: Iterable[Machine], pools: Iterable[NodePool]) -> Iterator[Unread]:
    """Machines, and pools that are not the autoscaler's, of which nobody can tell what they start."""
    both: tuple[Machine | NodePool, ...] = (*machines, *(pool for pool in pools if pool.autoscaled is not True))
    for each in both:
        if isinstance(each.data, Unknown):
            yield Unread(each.resource, each.data.field)


def _together(given: Iterable[T], alike: Callable[[T, T], bool]) -> list[list[T]]:
    """Those that are alike, or both like a third."""
    groups: list[list[T]] = []
    for one in given:
        same = [group for group in groups if any(alike(one, each) for each in group)]
        groups = [group for group in groups if group not in same]
        groups.append([each for group in same for each in group] + [one])
    return groups


def _members(machines: Iterable[Machine]) -> tuple[list[Member], tuple[Member, ...]]:
    """Etcd members that know their peers, and those of which nobody can tell."""
    found: list[Member] = []
    apart: list[Member] = []
    for machine in machines:
        if isinstance(machine.data, UserData) and "etcd" in machine.data.programs:
            member = Member(machine, machine.data.programs["etcd"])
            (found if member.told_elsewhere is None else apart).append(member)
    return found, tuple(apart)


def _acquainted(one: Member, two: Member) -> bool:
    """Whether two members know each other: by the peer URLs they were told, or by what tells both of them."""
    if one.resource == two.resource or one.peers & two.peers:
        return True
    told, other = ([dict(each.options).get(name) for name in _ALIKE] for each in (one, two))
    if told != other:
        return False
    found = any(dict(one.options).get(name) for name in _FOUND_BY)
    # A token alone is of those that were told no peers.
    return found or (told[0] is not None and not (one.peers or two.peers))


def _cluster(group: list[Member]) -> EtcdCluster:
    members = tuple(sorted(group, key=lambda member: member.name))
    return EtcdCluster(dict(members[0].options).get(_TOKEN) or members[0].name, members)


def _servers(
    machines: Iterable[Machine], clusters: Sequence[EtcdCluster]
) -> tuple[tuple[ApiServers, ...], tuple[Unread, ...]]:
    """API servers by the etcd clusters they serve; all together, and Unread, where nobody can tell them apart."""
    told = [(each, each.data) for each in machines if isinstance(each.data, UserData)]
    hosts, crowded = _etcds(told)
    every = [
        ApiServer(each, data.programs["kube-apiserver"], data.files, hosts, crowded)
        for each, data in told
        if "kube-apiserver" in data.programs
    ]
    # The clusters of the stack, by the URLs of their members and by the machines these are on.
    whose: dict[str, set[str]] = {}
    for cluster in clusters:
        for member in cluster.members:
            for name in (member.resource, *member.clients):
                whose.setdefault(name, set()).add(cluster.resource)
    ours = {each.resource for each in clusters}
    served = [(each, _served(each, whose)) for each in every]
    groups = _together([pair for pair in served if pair[1]], lambda one, two: bool(one[1] & two[1]))
    # One URL that is no member's here may be of a member beside those that another server names.
    vague = next((each for each, names in served if not names & ours and len(names) <= 1), None)
    if len(groups) > 1 and vague is None:
        return tuple(ApiServers(tuple(each for each, _ in group)) for group in groups), ()
    unsure = [Unread(vague.resource, "etcd-servers, by which clusters are told apart,")] if vague and groups[1:] else []
    return (ApiServers(tuple(every)),) if every else (), tuple(unsure)


def _etcds(told: Iterable[tuple[Machine, UserData]]) -> tuple[dict[str, str], frozenset[str]]:
    """Hosts that etcds are at, each that is one machine's, and the machines with several; those of a pool are alike."""
    every = list(told)
    alone = {name for name, count in Counter(each.resource for each, _ in every).items() if count == 1}
    at = {(host(url) or url, each.resource) for each, data in every for urls in data.etcds for url in urls}
    count = Counter(name for name, _ in at)
    return (
        {name: resource for name, resource in at if count[name] == 1 and resource in alone},
        frozenset(each.resource for each, data in every if len(data.etcds) > 1),
    )


def _served(server: ApiServer, whose: Mapping[str, Collection[str]]) -> frozenset[str]:
    """The clusters of the stack that a server names, by their resources, and the URLs of others; none where nobody can tell."""
    try:
        given = [url for url in server.flags.get("etcd-servers", "").split(",") if url]
    except UndecidedError:
        return frozenset()
    found: set[str] = set()
    for url in given:
        # At localhost is the member beside it, if the stack has one.
        found |= {*whose.get(server.resource, ())} if on_the_machine(url) else {*whose.get(url, (url,))}
    return frozenset(found)
