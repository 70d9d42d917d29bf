"""Removing a region by its name alone: no state is asked, so it works after any crash."""

from __future__ import annotations

import shutil
from pathlib import Path

from kilonode.clouds.local.host import cgroup, mounts, names, netns, paths
from kilonode.clouds.local.host.lock import LOCKS
from kilonode.clouds.local.host.machines import propagated


def leftovers(region: str) -> list[str]:
    """Return all that a region has on this host, one line each; empty when nothing is left."""
    found = [f"process {pid} ({_command(pid)})" for pid in cgroup.pids(region)]
    found += [f"mount {path}" for path in mounts.below(paths.region(region))]
    if netns.host_link_exists(region):
        found.append(f"link {names.host_link(region)}")
    if netns.path(region).exists():
        found.append(f"netns {names.netns(region)}")
    found += [f"cgroup {folder}" for folder in cgroup.folders(region) if folder.exists()]
    if paths.region(region).exists():
        found.append(f"folder {paths.region(region)}")
    return found + [f"folder {folder}" for folder in _in_run(region)]


def sweep(region: str) -> list[str]:
    """Remove all that a region has on this host and return what was removed. Other regions are never touched.

    Run it when no deployment of the region runs. The cache of images stays: it belongs to no region.
    """
    before = leftovers(region)
    cgroup.end(region)
    for folder in _propagated(region):
        shutil.rmtree(folder, ignore_errors=True)
    netns.remove(region)
    mounts.unmount_below(paths.region(region))
    paths.remove(paths.region(region))
    for left in _in_run(region):
        if left.is_dir():
            shutil.rmtree(left)
        else:
            left.unlink(missing_ok=True)
    return before


def regions() -> list[str]:
    """Return the regions that have anything on this host's disk, in cgroups or as a namespace."""
    folders = [paths.home() / "regions", *(root / "kilonode" for root in cgroup.hierarchies())]
    found = {each.name for folder in folders if folder.is_dir() for each in folder.iterdir() if each.is_dir()}
    if netns.FOLDER.is_dir():
        spaces = [each.name for each in netns.FOLDER.iterdir() if each.name.startswith(names.NETNS_PREFIX)]
        found |= {name.removeprefix(names.NETNS_PREFIX) for name in spaces}
    return sorted(found)


def _in_run(region: str) -> list[Path]:
    """A lock is named `<region>.<machine>`; no region's name holds a dot: the part before is exact."""
    locks = sorted(LOCKS.iterdir()) if LOCKS.is_dir() else []
    return [*_propagated(region), *(each for each in locks if each.name.split(".")[0] == region)]


def _propagated(region: str) -> list[Path]:
    """nspawn's folders, by the machines whose own folders are still there: those are removed last."""
    machines = paths.region(region) / "machines"
    made = sorted(machines.iterdir()) if machines.is_dir() else []
    return [folder for each in made if (folder := propagated(region, each.name)).exists()]


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip()
    except OSError:
        return "ended"
