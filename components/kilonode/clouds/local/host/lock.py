"""Locks between runs, which end with the process that holds them, however it ends."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kilonode.clouds.local.host import names
from kilonode.clouds.local.host.paths import make_folders

LOCKS = Path("/run/kilonode/locks")
"""Not below /run/lock: that folder is everybody's, and a file laid there by another user would be root's to follow."""
HOST_LOCK = LOCKS / ".host"
"""Held while something all regions share is changed."""


@contextmanager
def locked(path: Path) -> Iterator[int]:
    """Hold `path` as an exclusive lock and yield its descriptor; waits for the holder. The file is gone afterwards."""
    descriptor = _acquire(path)
    try:
        yield descriptor
    finally:
        path.unlink(missing_ok=True)
        os.close(descriptor)


def machine_lock(region: str, machine: str) -> Path:
    """Return the lock of one machine; in /run, so that it does not outlive the host's uptime."""
    return LOCKS / names.whole(region, machine)


def _acquire(path: Path) -> int:
    while True:
        make_folders(path.parent, 0o700)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        # The holder before us removed the file: a lock on a removed file locks nobody out.
        try:
            if path.stat().st_ino == os.fstat(descriptor).st_ino:
                return descriptor
        except FileNotFoundError:
            pass
        os.close(descriptor)
