"""containerd's configuration as one typed value, written for the line of containerd that reads it."""

from dataclasses import dataclass
from typing import Any, Literal

import tomli_w

from kilonode.boot.machine import File
from kilonode.nodes.images import PAUSE
from kilonode.nodes.platform import NodePlatform, Snapshotter
from kilonode.nodes.pulls import MirrorSpec
from kilonode.nodes.spec import MachinePoolSpec

Line = Literal["1.7", "2"]
"""1.7 reads version 2 of the file; 2.1 and later read version 3, where plugins and keys have other names."""

SERVICE = "containerd"
PATH = "/etc/containerd/config.toml"
MOUNT = "/var/lib/containerd"
ROOT = f"{MOUNT}/data"
STATE = "/run/containerd"
SOCKET = f"{STATE}/containerd.sock"
"""containerd's default address, stated: kubelet is told the same."""

REGISTRIES = "/etc/containerd/certs.d"
CNI_PROGRAMS = "/usr/lib/cni"
"""Where Debian's containernetworking-plugins are; upstream's own folder is /opt/cni/bin."""

CNI_CONFIGURATION = "/etc/cni/net.d"
RUNC = "/usr/sbin/runc"
"""Debian's."""

METRICS = "127.0.0.1:1338"

_RUNTIME = "runc"
_CRI_1 = "io.containerd.grpc.v1.cri"
_CRI_RUNTIME = "io.containerd.cri.v1.runtime"
_CRI_IMAGES = "io.containerd.cri.v1.images"
_TRANSFER = "io.containerd.transfer.v1.local"


@dataclass(frozen=True)
class ContainerdSettings:
    """What kilonode decides of containerd; all else is its default."""

    snapshotter: Snapshotter
    systemd_cgroup: bool
    """Whether runc asks systemd for cgroups; kubelet must do the same."""

    restrict_oom_score_adj: bool
    concurrent_downloads: int
    progress_timeout: str
    """A Go duration; a pull that got no byte for so long ends."""

    root: str = ROOT
    state: str = STATE
    sandbox_image: str = PAUSE
    registries: str = REGISTRIES
    cni_programs: str = CNI_PROGRAMS
    cni_configuration: str = CNI_CONFIGURATION
    runtime_type: str = "io.containerd.runc.v2"
    runc: str = RUNC
    metrics: str = METRICS
    """Where metrics are served, on the machine itself; empty for nowhere."""

    disabled_plugins: tuple[str, ...] = ()


def containerd_settings(pool: MachinePoolSpec, platform: NodePlatform) -> ContainerdSettings:
    """The settings of a pool's nodes on a cloud's machines."""
    return ContainerdSettings(
        snapshotter=platform.snapshotter,
        systemd_cgroup=platform.cgroup_driver == "systemd",
        restrict_oom_score_adj=platform.restrict_oom_score_adj,
        concurrent_downloads=pool.pulls.concurrent_downloads,
        progress_timeout=pool.pulls.progress_timeout,
    )


def config_toml(settings: ContainerdSettings, line: Line = "2") -> str:
    """The file for ``line`` of containerd. It passes over a key it does not know, so each stands where it is read."""
    plugins = _plugins_2(settings) if line == "2" else _plugins_1(settings)
    document = {
        "version": 3 if line == "2" else 2,
        "root": settings.root,
        "state": settings.state,
        "disabled_plugins": list(settings.disabled_plugins),
        # Without these containerd would start all the same, and kubelet find nobody to ask.
        "required_plugins": [_CRI_RUNTIME, _CRI_IMAGES] if line == "2" else [_CRI_1],
        "grpc": {"address": f"{settings.state}/containerd.sock"},
        **({"metrics": {"address": settings.metrics}} if settings.metrics else {}),
        "plugins": plugins,
    }
    return tomli_w.dumps(document)


def _plugins_1(settings: ContainerdSettings) -> dict[str, Any]:
    return {
        _CRI_1: {
            "sandbox_image": settings.sandbox_image,
            "max_concurrent_downloads": settings.concurrent_downloads,
            "image_pull_progress_timeout": settings.progress_timeout,
            "restrict_oom_score_adj": settings.restrict_oom_score_adj,
            "registry": {"config_path": settings.registries},
            "cni": {"bin_dir": settings.cni_programs, "conf_dir": settings.cni_configuration},
            "containerd": {"snapshotter": settings.snapshotter, **_runtimes(settings)},
        }
    }


def _plugins_2(settings: ContainerdSettings) -> dict[str, Any]:
    return {
        _CRI_RUNTIME: {
            "restrict_oom_score_adj": settings.restrict_oom_score_adj,
            "cni": {"bin_dirs": [settings.cni_programs], "conf_dir": settings.cni_configuration},
            "containerd": _runtimes(settings),
        },
        _CRI_IMAGES: {
            "snapshotter": settings.snapshotter,
            "image_pull_progress_timeout": settings.progress_timeout,
            "pinned_images": {"sandbox": settings.sandbox_image},
            "registry": {"config_path": settings.registries},
        },
        # Pulls run in the transfer service. Its limit given as the CRI plugin's own would turn the service off
        # (bottlerocket-os/bottlerocket-core-kit#838), and it unpacks only for snapshotters it is told of.
        _TRANSFER: {
            "max_concurrent_downloads": settings.concurrent_downloads,
            "unpack_config": [{"platform": "linux", "snapshotter": settings.snapshotter, "differ": "walking"}],
        },
    }


def _runtimes(settings: ContainerdSettings) -> dict[str, Any]:
    options = {"BinaryName": settings.runc, "SystemdCgroup": settings.systemd_cgroup}
    return {
        "default_runtime_name": _RUNTIME,
        "runtimes": {_RUNTIME: {"runtime_type": settings.runtime_type, "options": options}},
    }


def hosts_file(mirror: MirrorSpec) -> File:
    """Where containerd finds a registry's mirrors; the registry itself is its own last resort."""
    hosts = {url: {"capabilities": ["pull", "resolve"]} for url in mirror.endpoints}
    return File(f"{REGISTRIES}/{mirror.registry}/hosts.toml", tomli_w.dumps({"host": hosts}))
