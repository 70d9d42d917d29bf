"""Limits of clouds and programs, each with its unit and source; the only place they are written down."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limit:
    """A number somebody else decided."""

    value: int
    unit: str
    source: str


BOOT_DATA = Limit(8192, "bytes gzipped", "kilonode: half of the smallest cloud limit (AWS user data, 16,384 bytes)")
HOSTNAME = Limit(63, "characters", "RFC 1123 label")
RESERVED_PER_SUBNET = Limit(
    5, "addresses", "Azure: first four and last of a subnet; AWS: the same five (VPC user guide, subnet sizing)"
)
RESERVED_AT_START = Limit(4, "addresses", "of the five reserved per subnet, the ones at its start (Azure, AWS)")
ETCD_QUOTA_DEFAULT = Limit(2 * 1024**3, "bytes", "etcd docs, system limits: default storage quota")
ETCD_QUOTA_SUGGESTED_MAX = Limit(8 * 1024**3, "bytes", "etcd docs, system limits: suggested maximum")
ETCD_MEMBERS = Limit(7, "members", "etcd FAQ: a cluster should have no more than seven members")
SERVICE_RANGE_BITS = Limit(20, "host bits", "kube-apiserver: --service-cluster-ip-range may hold at most 20 bits")
GOAWAY_CHANCE_MAX = Limit(2, "percent", "kube-apiserver: --goaway-chance is at most 0.02")
NODES = Limit(10_000, "nodes", "kilonode: a third above the largest cluster its figures come from (7,500, 2021 post)")
