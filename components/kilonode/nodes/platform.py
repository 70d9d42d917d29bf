"""How the node machines of one cloud differ from another's for the programs that run on them."""

from dataclasses import dataclass
from typing import Literal

CgroupDriver = Literal["systemd", "cgroupfs"]
Snapshotter = Literal["overlayfs", "native"]


@dataclass(frozen=True)
class NodePlatform:
    """What kubelet and containerd find on a node; the only settings of theirs that a cloud decides."""

    cgroup_driver: CgroupDriver
    """Who makes the cgroups of containers; kubelet and containerd must name the same, and a tree has one writer."""

    snapshotter: Snapshotter
    """How containerd lays a container's root file system over its image's layers."""

    fail_cgroup_v1: bool
    """Whether kubelet refuses a kernel whose cgroups are version 1, as it does by default since 1.35."""

    local_storage_isolation: bool
    """Whether kubelet accounts and limits local storage, for which it must find the disk behind its folders."""

    restrict_oom_score_adj: bool
    """Whether containerd keeps a container's OOM score at or above its own; lowering one takes CAP_SYS_RESOURCE."""

    fail_swap_on: bool
    """Whether kubelet refuses to start where the kernel has swap."""

    owns_disk: bool
    """Whether a full disk is the node's own doing, so that removing its pods would help."""


MACHINE = NodePlatform(
    cgroup_driver="systemd",
    snapshotter="overlayfs",
    fail_cgroup_v1=True,
    local_storage_isolation=True,
    restrict_oom_score_adj=False,
    fail_swap_on=True,
    owns_disk=True,
)
"""A machine of its own with systemd, cgroup v2 and a disk."""

CONTAINER = NodePlatform(
    # systemd inside a container owns no slice above its own, and asks nobody for one.
    cgroup_driver="cgroupfs",
    snapshotter="overlayfs",
    # The host's hierarchies are what they are; version 1 is still met.
    fail_cgroup_v1=False,
    # Without it kubelet measures no disk at all, and then neither removes images nor evicts for anything, memory included.
    local_storage_isolation=True,
    # A container's root lacks CAP_SYS_RESOURCE.
    restrict_oom_score_adj=True,
    # The host's swap is seen from inside, and is the host's to decide.
    fail_swap_on=False,
    # The disk is the host's: on one that is 90 % full every pod would be evicted and nothing gained.
    owns_disk=False,
)
"""A container that boots systemd on a shared kernel, such as the local cloud's."""
