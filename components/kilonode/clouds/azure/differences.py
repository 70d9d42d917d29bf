"""The rows in which boot data on Azure must differ from the local cloud's, and why. Nothing else may."""

from dataclasses import dataclass
from typing import Literal

from kilonode.apiserver.boot import FLAGS as API_FLAGS
from kilonode.boot.machine import UNITS
from kilonode.clouds.azure import cni, machine_files
from kilonode.nodes import containerd, kubelet, kubeproxy
from kilonode.nodes.boot import KUBELET_FLAGS, POOL

Role = Literal["etcd", "api", "node"]


@dataclass(frozen=True)
class Difference:
    """A file of boot data that is other, or there only, on Azure."""

    roles: tuple[Role, ...]
    path: str
    why: str
    keys: tuple[str, ...] = ()
    """Of a document that is there on every cloud: what of it differs, and below it; the rest is the same."""


_ALL: tuple[Role, ...] = ("etcd", "api", "node")
_CRI = "plugins.io.containerd.cri.v1.runtime"
_DISKS: tuple[Role, ...] = ("etcd", "node")

DIFFERENCES = (
    Difference(_ALL, machine_files.FACTS, "where the machine finds what is its own: vault, disk, containers"),
    *(
        Difference(_ALL, f"{UNITS}/{unit}", "local machines are given their secrets as a folder")
        for unit in machine_files.ALWAYS
    ),
    Difference(_DISKS, f"{UNITS}/{machine_files.DISK}", "local machines are given their disk as a folder"),
    Difference(("etcd",), f"{UNITS}/{machine_files.MARKS}", "local members share a folder of marks"),
    Difference(("etcd",), f"{UNITS}/{machine_files.SNAPSHOTS}", "a local region's disks outlive its machines"),
    Difference(
        ("api",),
        API_FLAGS,
        "a server that ends serves on until Azure's slower probe has found it (shutdown-delay-duration)",
    ),
    Difference(("node",), f"{UNITS}/{machine_files.EGRESS}", "a local region has no way out"),
    Difference(("node",), f"{UNITS}/{machine_files.HEALTH}", "a scale set asks its machines whether they serve"),
    Difference(("node",), cni.EGRESS, "a local region has no way out"),
    Difference(("node",), cni.PATH, "the scale set gives a node's pods their addresses, not the plan"),
    Difference(
        ("node",),
        POOL,
        "for the same reason; cloud-init calls the fault domain a zone on Azure; the autoscaler looks for an id",
        ("network", "pods_per_node", "provider_id", "range", "reserved_at_start", "zone"),
    ),
    Difference(
        ("node",),
        kubeproxy.PATH,
        "the CNI plugin names its links otherwise",
        ("detectLocal.interfaceNamePrefix",),
    ),
    Difference(("node",), KUBELET_FLAGS, "nodes with GPUs have the label by which the autoscaler knows them"),
    Difference(
        ("node",),
        containerd.PATH,
        "a machine of its own: cgroups are systemd's, OOM scores may fall",
        (f"{_CRI}.containerd.runtimes.runc.options.SystemdCgroup", f"{_CRI}.restrict_oom_score_adj"),
    ),
    Difference(
        ("node",),
        kubelet.PATH,
        "the same; cgroup v2, no swap, a disk of its own",
        ("cgroupDriver", "evictionHard", "failCgroupV1", "failSwapOn"),
    ),
)


def allowed(role: Role) -> frozenset[str]:
    """The paths at which boot data of ``role`` may differ."""
    return frozenset(row.path for row in DIFFERENCES if role in row.roles)
