"""Faults of etcd: one for each rule."""

from tests.rules.broken import Break
from tests.rules.changes import MEMBERS, ONE_CLUSTER, flag, machine, one_more_member, put, quotas, two_fewer

BREAKS = (
    Break(
        "etcd-quota", quotas(None),
        ONE_CLUSTER, "quota-backend-bytes", "nothing", "a whole number of bytes, more than 2147483648",
    ),
    Break(
        "etcd-quota-ceiling", quotas("8589934593"),
        ONE_CLUSTER, "quota-backend-bytes", "8589934593", "at most 8589934592 bytes",
    ),
    Break(
        "etcd-quota-equal", flag("quota-backend-bytes", "4294967296"),
        ("etcd-1-1",), "quota-backend-bytes", "4294967296", "8589934592, as the other members",
    ),
    Break(
        "etcd-members-odd", one_more_member,
        ("etcd-1-1",), "members", "4", "an odd whole number from 1 to 7; 5 for a big cluster",
        why="an even count tolerates no more failures than one less, and more than seven slow every write",
        fix="use 5, or 3 for a small region",
    ),
    Break("etcd-members-enough", two_fewer, ("etcd-1-1",), "members", "1", "3 or more"),
    Break(
        "etcd-zones", machine("etcd-1-1", zones=["2"]),
        ("etcd-1-1",), "zones", "2 members in 2", "at most 1 of 3 in one zone",
    ),
    Break(
        "etcd-local-disk", machine("etcd-1-1", hardwareProfile={"vmSize": "Standard_D16s_v5"}),
        ("etcd-1-1",), "size", "Standard_D16s_v5", "a size with local NVMe disks, such as Standard_L8s_v3",
        why="Standard_D16s_v5 has no local disk: on network disks etcd's writes took over 100 ms, on local ones 200 µs (2018 post)",
        fix="use a size of the L family, or leave it out",
    ),
    Break(
        "etcd-host-cache", machine("etcd-1-1", storageProfile={"dataDisks": [{"caching": "ReadWrite"}]}),
        ("etcd-1-1",), "storageProfile.dataDisks[0].caching", "ReadWrite", "None, or ReadOnly",
    ),
    Break(
        "etcd-compaction", flag("auto-compaction-retention", None),
        ("etcd-1-1",), "auto-compaction-retention", "nothing", "more than 0, such as 5m",
    ),
    Break("etcd-client-tls", flag("client-cert-auth", "false"), ("etcd-1-1",), "client-cert-auth", "false", "true"),
    Break(
        "etcd-peer-tls", flag("peer-client-cert-auth", None),
        ("etcd-1-1",), "peer-client-cert-auth", "nothing", "true",
    ),
    Break("etcd-no-auto-tls", flag("auto-tls", "true"), ("etcd-1-1",), "auto-tls", "true", "false"),
    Break(
        "etcd-peer-authority", flag("peer-trusted-ca-file", "/etc/etcd/pki/ca.crt"),
        ("etcd-1-1",), "peer-trusted-ca-file", "/etc/etcd/pki/ca.crt", "another file than trusted-ca-file",
    ),
    Break(
        "etcd-data-mode", put("member_commands", ["mkdir -p -m 0755 /var/lib/etcd/data"]),
        MEMBERS, "data-dir", "mode 0755", "0700",
    ),
    Break(
        "etcd-snapshots", put("snapshot", "true"),
        ("etcd-1-1", "etcd-2-1"), "snapshots", "nothing", "a timer that runs etcdctl snapshot save",
    ),
    Break("etcd-protected", put("protect", False), MEMBERS, "protect", "false", "true"),
)  # fmt: skip
