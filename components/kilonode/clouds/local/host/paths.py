"""Where a region lives on the host's disk."""

from __future__ import annotations

import os
from pathlib import Path

from kilonode.clouds.local.host.command import CommandError, run
from kilonode.clouds.local.host.names import checked, machine_name, region_name

FOLDER_LENGTH = 64
ATTEMPTS = 1000
"""Each failed attempt is another run's removal of an empty folder; no deployment makes so many at once."""


def home() -> Path:
    """Root of everything that is not a cache: $KILONODE_HOME, else /var/lib/kilonode."""
    return Path(os.environ.get("KILONODE_HOME") or "/var/lib/kilonode").absolute()


def cache() -> Path:
    """Root of what can be made again: $KILONODE_CACHE, else kilonode in the user's cache folder."""
    if given := os.environ.get("KILONODE_CACHE"):
        return Path(given).absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache").absolute() / "kilonode"


def region(name: str) -> Path:
    """Return the folder of one region."""
    return home() / "regions" / region_name(name)


def machine(region_: str, name: str) -> Path:
    """Return the folder of one machine: its root's upper layer, its console."""
    return region(region_) / "machines" / machine_name(name)


def disk(region_: str, name: str) -> Path:
    """Return the folder that is one disk."""
    return region(region_) / "disks" / checked("disk", name, FOLDER_LENGTH)


def secrets(region_: str, machine_: str) -> Path:
    """Return the folder of one machine's secrets."""
    return region(region_) / "secrets" / machine_name(machine_)


def shared(region_: str, name: str) -> Path:
    """Return a folder several machines of a region bind."""
    return region(region_) / "shared" / checked("folder", name, FOLDER_LENGTH)


def make_private(folder: Path) -> Path:
    """Make a folder and its parents below home, each readable by root only, and return it."""
    return make_folders(folder, 0o700)


def make_folders(folder: Path, mode: int) -> Path:
    """Make a folder and the parents it lacks, and return it."""
    for _ in range(ATTEMPTS):
        try:
            for step in reversed([folder, *folder.parents]):
                if not step.is_dir():
                    step.mkdir(mode=mode, exist_ok=True)
        except (FileNotFoundError, FileExistsError):  # another run removed an empty parent meanwhile
            continue
        return folder
    raise FileExistsError(f"{folder} cannot be made: something that is no folder is in its way")


def clear(folder: Path) -> None:
    """Remove a folder and all below it, whatever a pod has made there: trees too deep for Python, files set immutable."""
    command = ["rm", "-rf", "--one-file-system", "--", str(folder)]
    try:
        run(command)
    except CommandError:
        run(["chattr", "-R", "-f", "-i", "-a", str(folder)])
        run(command)


def remove(folder: Path) -> bool:
    """Remove a folder and all below it, then its parents up to home while they are empty; False if it was not there."""
    if not folder.exists():
        return False
    clear(folder)
    for parent in folder.parents:
        if not parent.is_relative_to(home()):
            break
        try:
            parent.rmdir()
        except FileNotFoundError:
            continue
        except OSError:
            break
    return True
