"""Rules about etcd."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from kilonode.etcd.spec import member_count, quota_bytes
from kilonode.limits import ETCD_QUOTA_DEFAULT, ETCD_QUOTA_SUGGESTED_MAX
from kilonode.rules import subjects
from kilonode.rules.facts.controlplane import EtcdCluster, Member
from kilonode.rules.facts.pools import MOST
from kilonode.rules.go import seconds
from kilonode.rules.large import ENOUGH, MANY, SIZED_FOR, enough
from kilonode.rules.parameter import Parameter
from kilonode.rules.rule import Fault, refused, rule
from kilonode.rules.unknown import known

QUOTA, DEFAULT = "quota-backend-bytes", "the default"


@rule(
    "etcd-quota", subjects.members, severity="critical", invariant=True,
    why="etcd's default of 2 GiB was hit in a cluster of 1,000 nodes and stopped it",
    source="2018 post; etcd docs, system limits", fix="set quota-backend-bytes to 8589934592",
)  # fmt: skip
def quota(member: Member) -> Iterator[Fault]:
    """The quota is set, in plain bytes above 2 GiB."""
    given = member.options.get(QUOTA)
    number = int(given) if given and re.fullmatch(r"-?\d+", given) else 0
    # What is no whole number etcd itself does not start with; units are for specs only, so the words are etcd's.
    for fault in refused(QUOTA, given, quota_bytes, number):
        yield replace(fault, limit=f"a whole number of bytes, more than {ETCD_QUOTA_DEFAULT.value}", why="", fix="")


@rule(
    "etcd-quota-ceiling", subjects.members, severity="medium",
    why="a new member takes the longer to catch up the larger the backend is",
    source=ETCD_QUOTA_SUGGESTED_MAX.source, fix="set quota-backend-bytes to 8589934592",
    bytes=Parameter(ETCD_QUOTA_SUGGESTED_MAX.value, "the largest quota", "less", least=ETCD_QUOTA_DEFAULT.value + 1),
)  # fmt: skip
def quota_ceiling(member: Member, bytes: int) -> Iterator[Fault]:  # noqa: A002 - the parameter's unit
    """The quota is at most etcd's suggested maximum."""
    given = member.options.get(QUOTA, "0")
    if given.isdecimal() and int(given) > bytes:
        yield Fault(QUOTA, given, f"at most {bytes} bytes")


@rule(
    "etcd-quota-equal", subjects.clusters, severity="high",
    why="the member with the smallest quota stops the whole cluster",
    source="kubernetes-retired/etcdadm#383", fix="give every member the same quota-backend-bytes",
)  # fmt: skip
def quota_equal(cluster: EtcdCluster) -> Iterator[Fault]:
    """All members of a cluster have one quota."""
    given = {member.name: member.options.get(QUOTA, DEFAULT) for member in cluster.members}
    usual, _ = Counter(given.values()).most_common(1)[0]
    # Another machine's text may be a secret, and no figure is.
    figure = f"{usual}, " if usual.isdecimal() or usual == DEFAULT else ""
    for member in cluster.members:
        if given[member.name] != usual:
            yield Fault(QUOTA, given[member.name], f"{figure}as the other members", member.resource)
    cluster.of_each(QUOTA)


@rule(
    "etcd-members-odd", subjects.clusters, severity="high", invariant=True,
    why="an even count tolerates no more failures than one less", source="etcd FAQ", fix="use 3 or 5 members",
)  # fmt: skip
def members_odd(cluster: EtcdCluster) -> Iterator[Fault]:
    """A cluster has an odd number of members, at most seven."""
    shown = cluster.count if cluster.count < MOST else f"{MOST} or more"
    yield from refused("members", shown, member_count, cluster.count)


@rule(
    "etcd-members-enough", subjects.clusters, severity="critical",
    why="with fewer members one failure, or one during a repair, stops the cluster",
    source="2021 post: five members for thousands of nodes", fix="use 3 members, or 5 for a large region",
    many=MANY, nodes=SIZED_FOR,
)  # fmt: skip
def members_enough(cluster: EtcdCluster, many: int, nodes: int) -> Iterator[Fault]:
    """A cluster has three members, and five in a large region."""
    yield from enough("members", cluster.count, cluster.nodes, many, nodes)


@rule(
    "etcd-zones", subjects.clusters, severity="high",
    why="one zone that fails must not take the quorum with it", source="2021 post; etcd FAQ",
    fix="spread the members over three zones",
)  # fmt: skip
def zones(cluster: EtcdCluster) -> Iterator[Fault]:
    """No zone holds a quorum of a cluster."""
    spread = Counter(known(member.machine.zone) or "no zone" for member in cluster.members)
    zone, most = spread.most_common(1)[0]
    if cluster.count < ENOUGH:
        return
    spare = (cluster.count - 1) // 2
    if most > spare:
        yield Fault("zones", f"{most} members in {zone}", f"at most {spare} of {cluster.count} in one zone")
    else:
        cluster.of_each("zone")


RETENTION, MODE = "auto-compaction-retention", "auto-compaction-mode"
_COUNT = re.compile(r"\d{1,18}", re.ASCII)


@rule(
    "etcd-compaction", subjects.members, severity="medium", level="advisory",
    why="the second line behind kube-apiserver's own compaction: where that has stopped, old revisions fill the quota, and then the cluster is read-only",
    source="etcd docs, maintenance; etcd-io/etcd#20753", fix="set auto-compaction-mode periodic and a retention of 5m",
)  # fmt: skip
def compaction(member: Member) -> Iterator[Fault]:
    """Etcd compacts its history by itself too."""
    given, mode = member.options.get(RETENTION), member.options.get(MODE, "periodic")
    if mode not in {"periodic", "revision"}:
        yield Fault(MODE, mode, "periodic, or revision")
        return
    # A whole number is one of hours or of revisions. Where revisions are counted a duration is its nanoseconds, and so for ever.
    found = float(given) if given and _COUNT.fullmatch(given) else seconds(given or "0") if mode == "periodic" else None
    if found is None or found <= 0:
        yield Fault(
            RETENTION, given, "more than 0, such as 5m" if mode == "periodic" else "a whole number, more than 0"
        )


RULES = (
    quota, quota_ceiling, quota_equal, members_odd, members_enough, zones, compaction,
)  # fmt: skip
