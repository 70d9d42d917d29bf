"""How a machine is started: in its cgroup, with its root mounted where only it can see it, on the region's bridge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kilonode.clouds.local.host import names, netns

_LAUNCH = """
while [ "$1" != -- ]; do echo $$ >"$1"; shift; done; shift
console=$1; shift
setsid "$@" </dev/null >>"$console" 2>&1 &
"""
# The shell joins the cgroups before anything of the machine exists, so whatever it starts can be found and ended.

_MOUNT = """
mount -t overlay -o "$1" overlay "$2"; shift 2
exec "$@"
"""


@dataclass(frozen=True)
class Bind:
    """A host path the machine sees at `target`."""

    source: str
    target: str
    read_only: bool = False

    def argument(self) -> str:
        """Return the argument for nspawn, with ':' and '\\' escaped as its manual asks."""
        source, target = (side.replace("\\", "\\\\").replace(":", "\\:") for side in (self.source, self.target))
        return f"--bind{'-ro' if self.read_only else ''}={source}:{target}"


def launch_argv(
    *, cgroups: Sequence[Path], console: Path, overlay: str, root: Path, machine: Sequence[str]
) -> list[str]:
    """Return a command that starts `machine` detached and returns once its launcher is in `cgroups`.

    The overlay is mounted in a mount namespace of its own: when the machine ends, however it ends, the mount is gone.
    """
    in_own_mounts = ["unshare", "--mount", "--propagation", "private", "--", "sh", "-euc", _MOUNT, "kilonode"]
    joined = [str(file) for file in cgroups]
    return [
        "sh",
        "-euc",
        _LAUNCH,
        "kilonode",
        *joined,
        "--",
        str(console),
        *in_own_mounts,
        overlay,
        str(root),
        *machine,
    ]


CONTAINERS = ("--capability=all", "--system-call-filter=@known", "--bind=/dev/kmsg")
"""What a machine needs to run containers of its own: runc mounts, moves cgroups and sets limits; kubelet reads the log."""


def machine_argv(
    region: str, machine: str, root: Path, binds: Sequence[Bind], *, runs_containers: bool = False
) -> list[str]:
    """Return the command that is the machine: nspawn inside the region's network namespace."""
    return [
        "nsenter",
        f"--net={netns.path(region)}",
        "env",
        "SYSTEMD_NSPAWN_LOCK=0",  # its lock files outlive a SIGKILL; this library holds a lock of its own
        # The settings of its own network namespace are the machine's; all others are the host's and stay read-only.
        "SYSTEMD_NSPAWN_API_VFS_WRITABLE=network",
        "systemd-nspawn",
        "--quiet",
        "--register=no",  # the host's init need not be systemd
        "--keep-unit",
        f"--directory={root}",
        f"--machine={names.nspawn(region, machine)}",
        f"--hostname={machine}",
        f"--network-bridge={netns.BRIDGE}",
        "--resolv-conf=off",
        "--timezone=off",
        "--link-journal=no",
        "--console=pipe",
        *(bind.argument() for bind in binds),
        *(CONTAINERS if runs_containers else ()),
        "--boot",
    ]
