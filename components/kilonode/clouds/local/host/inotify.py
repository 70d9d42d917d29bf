"""The host's limit on inotify instances, which bounds how many machines one user can boot.

systemd holds three or four in each machine, and every machine's root is the host's root to the kernel: 34 machines that
boot together use all of the default 128 (fs/notify/inotify), and those that get none die silently. The limit is raised
while a region has its network and put back with the last one.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from kilonode.clouds.local.host.files import write_whole
from kilonode.clouds.local.host.paths import make_folders

LIMIT = Path("/proc/sys/fs/inotify/max_user_instances")
RECORD = Path("/run/kilonode/max_user_instances")
"""What the limit was; in /run, since the setting too ends with the host's uptime."""

RAISED = 8192
"""A bridge takes 1,024 machines (BR_MAX_PORTS, net/bridge), each with systemd's four and a few of a node's programs."""


def raise_limit() -> None:
    """Raise the limit if it is lower; keeps what it was. Without the right to, machines boot up to the host's own."""
    found = int(LIMIT.read_text(encoding="utf-8"))
    if found >= RAISED:
        return
    with suppress(OSError):
        make_folders(RECORD.parent, 0o700)
        write_whole(RECORD, str(found), 0o600)
        LIMIT.write_text(str(RAISED), encoding="utf-8")


def restore_limit() -> None:
    """Put the limit back, unless somebody else changed it since."""
    if not RECORD.exists():
        return
    if int(LIMIT.read_text(encoding="utf-8")) == RAISED:
        LIMIT.write_text(RECORD.read_text(encoding="utf-8"), encoding="utf-8")
    RECORD.unlink()
    with suppress(OSError):
        RECORD.parent.rmdir()
