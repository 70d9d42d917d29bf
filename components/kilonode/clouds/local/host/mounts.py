"""The mount table of the host."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from kilonode.clouds.local.host.command import run


@dataclass(frozen=True)
class Mount:
    """One line of the mount table."""

    path: Path
    kind: str
    options: frozenset[str]


def mounts() -> list[Mount]:
    """Return the mount table, oldest first (proc_pid_mountinfo(5): optional fields end at a lone '-')."""
    table = []
    for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines():
        before, after = line.split(" - ", 1)
        kind, _source, options = after.split(" ", 2)
        path = re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), before.split()[4])
        table.append(Mount(Path(path), kind, frozenset(options.split(","))))
    return table


def below(folder: Path) -> list[Path]:
    """Return mount points at or below a folder, innermost first."""
    return [mount.path for mount in reversed(mounts()) if mount.path.is_relative_to(folder)]


def unmount_below(folder: Path) -> list[Path]:
    """Detach every mount at or below a folder and return them."""
    found = below(folder)
    for path in found:
        run(["umount", "--lazy", str(path)])
    return found
