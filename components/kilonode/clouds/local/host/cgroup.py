"""Control groups: what belongs to a machine, what it uses, and ending it.

Hosts with the unified hierarchy (v2), with v1, and with both are served. A machine joins the v2 hierarchy where there
is one, and every v1 hierarchy: containers of its own have cgroups in all of them, which must lie below the machine's.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from kilonode.clouds.local.host import names
from kilonode.clouds.local.host.mounts import mounts
from kilonode.clouds.local.host.paths import make_folders

V2_CONTROLLERS = ("memory", "cpu", "pids")
END_SECONDS = 30.0
"""Longest wait for killed processes to leave: 0.1 s for a machine at rest; one in an fsync waits for the disk."""


def hierarchies() -> list[Path]:
    """Roots of the hierarchies machines join; systemd's comes first, since nspawn finds its own place there."""
    found: list[tuple[int, Path]] = []
    for mount in mounts():
        if mount.kind == "cgroup2":
            found.append((0, mount.path))
        elif mount.kind == "cgroup" and "name=systemd" in mount.options:
            found.append((1, mount.path))
        elif mount.kind == "cgroup":
            found.append((2, mount.path))
    return list(dict.fromkeys(path for _, path in sorted(found)))


def folders(region: str, machine: str | None = None) -> list[Path]:
    """Return the cgroup of a region or machine in each hierarchy, whether it is there or not."""
    return [root / names.cgroup(region, machine) for root in hierarchies()]


def make(region: str, machine: str, memory_bytes: int | None = None) -> list[Path]:
    """Make a machine's cgroups and return the files a process writes its id to in order to join."""
    made = folders(region, machine)
    for folder in made:
        make_folders(folder, 0o755)
        for parent in (folder.parents[2], folder.parents[1], folder.parents[0]):
            _delegate(parent)
        for part in (folder.parents[1], folder.parents[0], folder):
            _inherit_processors(part)
    limit_memory(region, machine, memory_bytes)
    _limit_processes(made)
    return [folder / "cgroup.procs" for folder in made]


def limit_memory(region: str, machine: str, memory_bytes: int | None) -> None:
    """Set the most memory the machine may use; None lifts the limit."""
    for folder in folders(region, machine):
        for file, unlimited in (("memory.limit_in_bytes", "-1"), ("memory.max", "max")):
            if (folder / file).exists():
                (folder / file).write_text(unlimited if memory_bytes is None else str(memory_bytes), encoding="utf-8")


def _limit_processes(made: list[Path]) -> None:
    """One machine's fork bomb must leave the host process numbers to end it with."""
    most = int(Path("/proc/sys/kernel/pid_max").read_text(encoding="utf-8")) // 2
    for folder in made:
        if (folder / "pids.max").exists():
            (folder / "pids.max").write_text(str(most), encoding="utf-8")


def pids(region: str, machine: str | None = None) -> list[int]:
    """Return the processes of a region or of one machine, as the host numbers them."""
    return sorted(set().union(*(_within(folder) for folder in folders(region, machine))))


def leader(region: str, machine: str) -> int | None:
    """Return the machine's own PID 1 as the host numbers it, or None."""
    # The v1 controllers come last and hold few cgroups of the machine's own making, so they are the quickest to look through.
    for folder in reversed(folders(region, machine)):
        for pid in sorted(_within(folder)):
            if namespaced_pids(pid)[1:] == [1]:
                return pid
    return None


def supervisor(leader_pid: int) -> int | None:
    """Return the process outside the machine that holds it: its PID 1's parent."""
    parent = _status(leader_pid, "PPid")
    return int(parent[0]) if parent else None


def namespaced_pids(pid: int) -> list[int]:
    """Return a process's ids from the host's namespace inwards; empty when it has ended."""
    return [int(word) for word in _status(pid, "NSpid")]


def end(region: str, machine: str | None = None) -> list[int]:
    """Kill every process of a region or machine, wait until none is left, remove its cgroups; return the killed."""
    killed: set[int] = set()
    give_up = time.monotonic() + END_SECONDS
    while not _removed(folders(region, machine)):
        present = pids(region, machine)
        killed.update(present)
        _kill(region, machine, present)
        if time.monotonic() > give_up:
            raise TimeoutError(
                f"processes {present} of {names.cgroup(region, machine)} outlived SIGKILL by {END_SECONDS} s"
            )
        time.sleep(0.005)
    for folder in folders(region):
        _remove_if_empty(folder)
        _remove_if_empty(folder.parent)
    return sorted(killed)


def memory_bytes(region: str, machine: str | None = None) -> int:
    """Return the bytes of memory in use, less the page cache (which the kernel takes back at will); files in tmpfs count as memory."""
    for folder in folders(region, machine):
        for usage, cache, shared in (
            ("memory.usage_in_bytes", "total_cache", "total_shmem"),
            ("memory.current", "file", "shmem"),
        ):
            if (folder / usage).exists():
                rows = dict(line.split() for line in (folder / "memory.stat").read_text(encoding="utf-8").splitlines())
                return int((folder / usage).read_text(encoding="utf-8")) - int(rows[cache]) + int(rows[shared])
    return 0


def cpu_seconds(region: str, machine: str | None = None) -> float:
    """Return the processor time a region or machine has used."""
    for folder in folders(region, machine):
        if (folder / "cpuacct.usage").exists():
            return int((folder / "cpuacct.usage").read_text(encoding="utf-8")) / 1e9
        if (folder / "cpu.stat").exists() and (folder / "memory.current").exists():
            rows = dict(line.split() for line in (folder / "cpu.stat").read_text(encoding="utf-8").splitlines())
            return int(rows["usage_usec"]) / 1e6
    return 0.0


def _within(top: Path) -> set[int]:
    found: set[int] = set()
    for folder, _, _ in os.walk(top):
        try:
            found.update(int(line) for line in Path(folder, "cgroup.procs").read_text(encoding="utf-8").split())
        except OSError:  # it is gone, or a threaded v2 cgroup, whose processes its parent lists
            continue
    return found - {0}


def _status(pid: int, field: str) -> list[str]:
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    return next((line.split()[1:] for line in lines if line.startswith(f"{field}:")), [])


def _delegate(folder: Path) -> None:
    """On v2 a child has a controller only where its parent passes it on."""
    switch = folder / "cgroup.subtree_control"
    if not switch.exists():
        return
    offered = set((folder / "cgroup.controllers").read_text(encoding="utf-8").split()) - set(
        switch.read_text(encoding="utf-8").split()
    )
    for controller in offered & set(V2_CONTROLLERS):
        switch.write_text(f"+{controller}", encoding="utf-8")


def _inherit_processors(folder: Path) -> None:
    """A v1 cpuset takes no process until it has processors and memory nodes; a new one has none."""
    for name in ("cpuset.cpus", "cpuset.mems"):
        file = folder / name
        if file.exists() and not file.read_text(encoding="utf-8").strip():
            file.write_text((folder.parent / name).read_text(encoding="utf-8"), encoding="utf-8")


def _kill(region: str, machine: str | None, present: list[int]) -> None:
    for folder in folders(region, machine):
        if (folder / "cgroup.kill").exists():
            (folder / "cgroup.kill").write_text("1", encoding="utf-8")
    for pid in present:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def _removed(tops: list[Path]) -> bool:
    """A cgroup with a process in it cannot be removed, so success proves that nothing runs there nor can join later."""
    for top in tops:
        for folder, _, _ in os.walk(top, topdown=False):
            _remove_if_empty(Path(folder))
    return not any(top.exists() for top in tops)


def _remove_if_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        return
