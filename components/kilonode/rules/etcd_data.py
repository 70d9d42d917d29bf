"""Rules about where etcd keeps its data, and what becomes of it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kilonode.cloudspec.azure_sizes import SIZES, for_etcd
from kilonode.rules import subjects
from kilonode.rules.facts.controlplane import EtcdCluster, Member
from kilonode.rules.facts.stack import Facts, Unread
from kilonode.rules.facts.workloads import Workload
from kilonode.rules.parameter import Parameter
from kilonode.rules.read.folders import changes
from kilonode.rules.read.schedules import UNREAD, rarer
from kilonode.rules.read.snapshots import times
from kilonode.rules.rule import Fault, refused, rule
from kilonode.rules.shown import called
from kilonode.rules.unknown import UndecidedError, Unknown, known

_DISK_FIX = "use a size with local NVMe, such as Standard_L8s_v3 or i4i.2xlarge"
_NVME = re.compile(
    r"Standard_(?:L\d+|[A-Z]+\d+(?:-\d+)?[a-z]*d[a-z]*_v(?:[6-9]|\d\d)$)|(?:i\d|im4|is4|[a-z]+\d[a-z]*d[a-z]*)\w*\.",
    re.ASCII | re.IGNORECASE,
)
"""Azure's L family, and since version 6 what has a d for its local disks; AWS's storage families, and those with a d."""

_OTHERS = re.compile(r"Standard_[HN][A-Z]*\d", re.ASCII | re.IGNORECASE)
"""Azure's families for GPUs and for jobs over many machines: their names do not tell."""


@rule(
    "etcd-local-disk", subjects.members, severity="critical", invariant=True,
    why="on network disks etcd's writes took over 100 ms, on local ones 200 µs", source="2018 post", fix=_DISK_FIX,
    iops=Parameter(16_000, "operations per second that make a network disk fast enough; etcd docs, for 3,000 nodes", "more"),
)  # fmt: skip
def local_disk(member: Member, iops: int) -> Iterator[Fault]:
    """A member's size has local NVMe disks, or its machine a network disk with enough operations per second."""
    machine = member.machine
    found = [_slow(size, iops) for size in machine.sizes or (known(machine.size),)]
    given = [disk.iops for disk in known(machine.disks)] if any(found) else []
    # One that is fast is enough, whatever is not known of the others.
    if not any(found) or any(not isinstance(each, Unknown) and (each or 0) >= iops for each in given):
        return
    if not all(found):
        known(machine.size)
    for each in given:
        known(each)
    yield from found[0]


def _slow(size: str | None, iops: int) -> list[Fault]:
    """What is wrong with a size for etcd."""
    if size in SIZES:
        return [*refused("size", size, for_etcd, size)]
    if size is not None and _NVME.match(size):
        return []
    if size is not None and _OTHERS.match(size):
        raise UndecidedError(f"which disks {size} has")
    return [Fault("size", size, f"a size with local NVMe disks, or a network disk of {iops} IOPS")]


@rule(
    "etcd-host-cache", subjects.members, severity="high",
    why="a write that the host has cached is acknowledged and can still be lost",
    source="Azure docs, disk caching; kubernetes-sigs/cluster-api-provider-azure#2429",
    fix="set caching to None on the data disk",
)  # fmt: skip
def host_cache(member: Member) -> Iterator[Fault]:
    """The host acknowledges no write before a member's data disk has it."""
    # Reads alone may be cached; so they are on premium disks where nothing is said, and nothing is on others (Azure docs, DataDisk).
    for number, disk in enumerate(known(member.machine.disks)):
        if member.machine.cloud == "azure" and (caching := known(disk.caching) or "").lower() == "readwrite":
            yield Fault(f"storageProfile.dataDisks[{number}].caching", caching, "None, or ReadOnly")


@rule(
    "etcd-data-mode", subjects.members, severity="high", benchmark="CIS 1.1.11, CIS 1.1.12",
    why="every secret of the cluster is in this folder", source="CIS Kubernetes 1.1.11, 1.1.12",
    fix="make it with mode 0700 and owner etcd:etcd, or let etcd make it",
)  # fmt: skip
def data_mode(member: Member) -> Iterator[Fault]:
    """The data folder is its owner's alone, and the owner is etcd."""
    data, folder = known(member.machine.data), member.options.get("data-dir")
    # etcd makes one that is missing with mode 0700.
    found = [*changes(folder, data.files, data.commands)] if data and folder else []
    told = any((each.bits is not None and not each.usual) or each.unknown for each in found)
    for each in found:
        if (each.bits or 0) & 0o077 and not (each.usual and told):
            yield Fault("data-dir", f"mode {each.mode}", "0700")
        if each.owner not in {None, "etcd"}:
            yield Fault("data-dir", f"owner {each.owner}", "etcd:etcd")
    for each in found:
        if each.unknown:
            raise UndecidedError(each.unknown)


@dataclass(frozen=True)
class Saved:
    """A cluster with whatever saves it from outside its machines; ``alone`` is whether it can be no other cluster's."""

    cluster: EtcdCluster
    jobs: tuple[Workload, ...]
    alone: bool

    @property
    def resource(self) -> str:
        """The cluster's."""
        return self.cluster.resource

    @property
    def members(self) -> tuple[Member, ...]:
        """The cluster's."""
        return self.cluster.members


def saved_clusters(facts: Facts) -> Iterator[Saved | Unread]:
    """Etcd clusters, each with the stack's jobs that save snapshots."""
    jobs = tuple(each for each in facts.workloads if each.saves is not False)
    for each in subjects.clusters(facts):
        yield each if isinstance(each, Unread) else Saved(each, jobs, len(facts.clusters) == 1)


@rule(
    "etcd-snapshots", saved_clusters, severity="critical",
    why="local disks end with their machines: a lost quorum without a snapshot is a lost cluster",
    source="etcd docs, disaster recovery; MicrosoftDocs/azure-docs#117811",
    fix="save a snapshot off the machine from a timer on every member",
    hours=Parameter(
        24, "the most hours between two snapshots; k3s and RKE2 save one every 12 by themselves, etcd's docs have no figure", "less",
        most=366 * 24,
    ),
)  # fmt: skip
def snapshots(cluster: Saved, hours: int) -> Iterator[Fault]:
    """Snapshots leave the machines by themselves, often enough."""
    # The machines of a pool are told one thing, so one of them is read.
    apart = {member.resource: member.machine for member in cluster.members}
    found: dict[str, None] = {}
    unsure: UndecidedError | None = None
    for machine in apart.values():
        try:
            if (data := known(machine.data)) is not None:
                for each in times(data):
                    found[each] = None
        except UndecidedError as unread:
            unsure = unsure or unread
    for job in cluster.jobs:
        try:
            found[_schedule(job, cluster)] = None
        except UndecidedError as unread:
            unsure = unsure or unread
    told = tuple(found)
    if told and not rarer(told, hours):
        return
    if unsure:
        raise unsure
    if told:
        often = f"every {hours} hours or more often"
        yield Fault("snapshots", ", ".join(told), often, fix=f"let what saves them start {often}")
    else:
        yield Fault("snapshots", None, "a timer that runs etcdctl snapshot save")


def _schedule(job: Workload, cluster: Saved) -> str:
    """When a job saves the cluster.

    Raises:
        UndecidedError: when it may be another's.
    """
    if not (known(job.saves) and cluster.alone):
        raise UndecidedError(f"which cluster {called(job.resource)} saves")
    return known(job.schedule) or UNREAD


RULES = (
    local_disk, host_cache, data_mode, snapshots,
)  # fmt: skip
