"""Rules about etcd."""

import re
from collections import Counter
from collections.abc import Iterator

from kilonode.cloudspec.azure_sizes import SIZES, for_etcd
from kilonode.etcd.spec import member_count, quota_bytes
from kilonode.limits import ETCD_QUOTA_SUGGESTED_MAX
from kilonode.rules import subjects
from kilonode.rules.facts import EtcdCluster, Machine, Member
from kilonode.rules.rule import Fault, Parameter, refused, rule
from kilonode.rules.unknown import known

QUOTA, ENOUGH, FOR_MANY = "quota-backend-bytes", 3, 5
_DISK_FIX = "use a size with local NVMe, such as Standard_L8s_v3 or i4i.2xlarge"
_NVME = re.compile(r"Standard_L\d+|(?:i\d|im4|is4|[a-z]+\d[a-z]*d[a-z]*)\w*\.", re.ASCII)
"""Azure's L family; AWS's storage families, and those with a d for their local disks."""


@rule(
    "etcd-quota", subjects.members, severity="critical", invariant=True,
    why="etcd's default of 2 GiB was hit in a cluster of 1,000 nodes and stopped it",
    source="2018 post; etcd docs, system limits", fix="set quota-backend-bytes to 8589934592",
)  # fmt: skip
def quota(member: Member) -> Iterator[Fault]:
    """The quota is set, in plain bytes above 2 GiB."""
    given = member.options.get(QUOTA)
    number = int(given) if given and re.fullmatch(r"-?\d+", given) else 0
    # What is no whole number etcd itself does not start with; units are for specs only.
    yield from refused(QUOTA, given, quota_bytes, number)


@rule(
    "etcd-quota-ceiling", subjects.members, severity="medium",
    why="a new member takes the longer to catch up the larger the backend is",
    source=ETCD_QUOTA_SUGGESTED_MAX.source, fix="set quota-backend-bytes to 8589934592",
    bytes=Parameter(ETCD_QUOTA_SUGGESTED_MAX.value, "the largest quota"),
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
    given = {member.name: member.options.get(QUOTA, "the default") for member in cluster.members}
    usual, _ = Counter(given.values()).most_common(1)[0]
    for member in cluster.members:
        if given[member.name] != usual:
            yield Fault(QUOTA, given[member.name], f"{usual}, as the other members", member.resource)


@rule(
    "etcd-members-odd", subjects.clusters, severity="high", invariant=True,
    why="an even count tolerates no more failures than one less", source="etcd FAQ", fix="use 3 or 5 members",
)  # fmt: skip
def members_odd(cluster: EtcdCluster) -> Iterator[Fault]:
    """A cluster has an odd number of members, at most seven."""
    yield from refused("members", len(cluster.members), member_count, len(cluster.members))


@rule(
    "etcd-members-enough", subjects.clusters, severity="critical",
    why="with fewer members one failure, or one during a repair, stops the cluster",
    source="2021 post: five members for thousands of nodes", fix="use 3 members, or 5 for a large region",
    many=Parameter(500, "nodes from which on a region is large"),
)  # fmt: skip
def members_enough(cluster: EtcdCluster, many: int) -> Iterator[Fault]:
    """A cluster has three members, and five in a large region."""
    count = len(cluster.members)
    if count < ENOUGH:
        yield Fault("members", count, f"{ENOUGH} or more")
    elif count < FOR_MANY and known(cluster.nodes) > many:
        yield Fault("members", count, f"{FOR_MANY} or more above {many} nodes; {cluster.nodes} are possible here")


@rule(
    "etcd-zones", subjects.clusters, severity="high",
    why="one zone that fails must not take the quorum with it", source="2021 post; etcd FAQ",
    fix="spread the members over three zones",
)  # fmt: skip
def zones(cluster: EtcdCluster) -> Iterator[Fault]:
    """No zone holds a quorum of a cluster."""
    spread = Counter(known(member.machine.zone) or "no zone" for member in cluster.members)
    zone, most = spread.most_common(1)[0]
    spare = (len(cluster.members) - 1) // 2
    if len(cluster.members) >= ENOUGH and most > spare:
        yield Fault("zones", f"{most} members in {zone}", f"at most {spare} of {len(cluster.members)} in one zone")


@rule(
    "etcd-local-disk", subjects.members, severity="critical", invariant=True,
    why="on network disks etcd's writes took over 100 ms, on local ones 200 µs", source="2018 post", fix=_DISK_FIX,
    iops=Parameter(16_000, "operations per second that make a network disk fast enough; etcd docs, for 3,000 nodes"),
)  # fmt: skip
def local_disk(member: Member, iops: int) -> Iterator[Fault]:
    """Data is on a local NVMe disk, or on a network disk with enough operations per second."""
    size, disks = known(member.machine.size), known(member.machine.disks)
    if any((known(disk.iops) or 0) >= iops for disk in disks):
        return
    if size in SIZES:
        yield from refused("size", size, for_etcd, size)
    elif size is None or not _NVME.match(size):
        yield Fault("size", size, f"a size with local NVMe disks, or a network disk of {iops} IOPS")


@rule(
    "etcd-host-cache", subjects.members, severity="high",
    why="a write that the host has cached is acknowledged and can still be lost",
    source="Azure docs, disk caching; kubernetes-sigs/cluster-api-provider-azure#2429",
    fix="set caching to None on the data disk",
)  # fmt: skip
def host_cache(member: Member) -> Iterator[Fault]:
    """Data disks of members are not cached by the host."""
    for number, disk in enumerate(known(member.machine.disks)):
        if member.machine.cloud == "azure" and (caching := known(disk.caching)) not in {None, "None"}:
            yield Fault(f"storageProfile.dataDisks[{number}].caching", caching, "None")


@rule(
    "etcd-compaction", subjects.members, severity="high",
    why="old revisions fill the quota, and then the cluster is read-only",
    source="etcd docs, maintenance; etcd-io/etcd#20753", fix="set auto-compaction-mode periodic and a retention of 5m",
)  # fmt: skip
def compaction(member: Member) -> Iterator[Fault]:
    """History is compacted by itself."""
    retention = member.options.get("auto-compaction-retention")
    if retention in {None, "", "0", "0s"}:
        yield Fault("auto-compaction-retention", retention, "more than 0, such as 5m")


def _tls(member: Member, prefix: str, urls: str) -> Iterator[Fault]:
    plain = [
        url for url in member.options.get(urls, "").split(",") if url.startswith("http://") and "127.0.0.1" not in url
    ]
    if plain:
        yield Fault(urls, plain[0], "https:// only")
    for key in ("cert-file", "key-file", "trusted-ca-file"):
        if not member.options.get(prefix + key):
            yield Fault(prefix + key, None, "a file")
    if member.options.get(f"{prefix}client-cert-auth") != "true":
        yield Fault(f"{prefix}client-cert-auth", member.options.get(f"{prefix}client-cert-auth"), "true")


@rule(
    "etcd-client-tls", subjects.members, severity="critical", benchmark="CIS 2.1, CIS 2.2, CKV_K8S_116, CKV_K8S_117",
    why="whoever reaches the port reads and writes every secret of the cluster", source="etcd docs, transport security",
    fix="set cert-file, key-file, trusted-ca-file and client-cert-auth",
)  # fmt: skip
def client_tls(member: Member) -> Iterator[Fault]:
    """Clients and members prove to each other who they are."""
    yield from _tls(member, "", "listen-client-urls")


@rule(
    "etcd-peer-tls", subjects.members, severity="critical", benchmark="CIS 2.4, CIS 2.5, CKV_K8S_119, CKV_K8S_121",
    why="whoever may be a peer is given every key of the cluster", source="etcd docs, transport security",
    fix="set peer-cert-file, peer-key-file, peer-trusted-ca-file and peer-client-cert-auth",
)  # fmt: skip
def peer_tls(member: Member) -> Iterator[Fault]:
    """Members prove to each other who they are."""
    yield from _tls(member, "peer-", "listen-peer-urls")


@rule(
    "etcd-no-auto-tls", subjects.members, severity="high", benchmark="CIS 2.3, CIS 2.6, CKV_K8S_118",
    why="a certificate that a member made for itself proves nothing", source="etcd docs, transport security",
    fix="remove auto-tls and peer-auto-tls",
)  # fmt: skip
def no_auto_tls(member: Member) -> Iterator[Fault]:
    """No member signs its own certificate."""
    for key in ("auto-tls", "peer-auto-tls"):
        if member.options.get(key) == "true":
            yield Fault(key, "true", "false")


@rule(
    "etcd-peer-authority", subjects.members, severity="medium", benchmark="CIS 2.7",
    why="a client's certificate of the same authority would make its holder a peer",
    source="CIS Kubernetes 2.7; docs/adr/0003", fix="sign peers with an authority of their own",
)  # fmt: skip
def peer_authority(member: Member) -> Iterator[Fault]:
    """Peers have an authority of their own."""
    own, clients = (member.options.get(key) for key in ("peer-trusted-ca-file", "trusted-ca-file"))
    if own and own == clients:
        yield Fault("peer-trusted-ca-file", own, "another file than trusted-ca-file")


_MODE = re.compile(r"\b(?:chmod(?:\s+-\w+)*|install\b.*?-m|mkdir\b.*?-m)\s*(?P<mode>0?[0-7]{3,4})\b")
_OWNER = re.compile(r"\bchown(?:\s+-\w+)*\s+(?P<owner>[\w.-]+)(?::(?P<group>[\w.-]*))?\s")


def _about(member: Member) -> Iterator[str]:
    """Commands about the data folder itself; etcd makes one that is missing with mode 0700."""
    data, folder = member.machine.data, member.options.get("data-dir")
    commands = getattr(data, "commands", ())
    if folder:
        yield from (line for line in commands if re.search(rf"(?<![\w/]){re.escape(folder)}/?(?![\w/])", line))


@rule(
    "etcd-data-mode", subjects.members, severity="high", benchmark="CIS 1.1.11, CIS 1.1.12",
    why="every secret of the cluster is in this folder", source="CIS Kubernetes 1.1.11, 1.1.12",
    fix="make it with mode 0700 and owner etcd:etcd, or let etcd make it",
)  # fmt: skip
def data_mode(member: Member) -> Iterator[Fault]:
    """The data folder is its owner's alone, and the owner is etcd."""
    for line in _about(member):
        if (mode := _MODE.search(line)) and int(mode["mode"], 8) & 0o077:
            yield Fault("data-dir", f"mode {mode['mode']}", "0700")
        if (owner := _OWNER.search(line)) and owner["owner"] != "etcd":
            yield Fault("data-dir", f"owner {owner['owner']}", "etcd:etcd")


_SNAPSHOT = re.compile(r"\betcd(?:ctl|utl)?\b[^\n]*\bsnapshot\s+save\b|etcd-backup|etcd-snapshot|/units/[\w-]*snapshot")


@rule(
    "etcd-snapshots", subjects.clusters, severity="critical",
    why="local disks end with their machines: a lost quorum without a snapshot is a lost cluster",
    source="etcd docs, disaster recovery; MicrosoftDocs/azure-docs#117811",
    fix="save a snapshot off the machine from a timer on every member",
)  # fmt: skip
def snapshots(cluster: EtcdCluster) -> Iterator[Fault]:
    """Snapshots leave the machines by themselves."""
    if not any(_SNAPSHOT.search(text) for member in cluster.members for text in _texts(member.machine)):
        yield Fault("snapshots", None, "a timer that runs etcdctl snapshot save")


def _texts(machine: Machine) -> tuple[str, ...]:
    data = known(machine.data)
    return () if data is None else (*data.texts, *data.commands, *(f"{path}\n" for path in data.files))


RULES = (
    quota, quota_ceiling, quota_equal, members_odd, members_enough, zones, local_disk, host_cache, compaction, client_tls,
    peer_tls, no_auto_tls, peer_authority, data_mode, snapshots,
)  # fmt: skip
