"""Reaching into a machine from the host, without its network: for drills, gates and verification."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

from kilonode.clouds.local.host import cgroup

_PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def run_in(
    region: str, machine: str, argv: Sequence[str], *, stdin: str = "", timeout: float | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command as root inside a machine; its exit code and texts are the caller's to judge.

    Raises ProcessLookupError if the machine does not run, subprocess.TimeoutExpired after `timeout` seconds.
    """
    leader = cgroup.leader(region, machine)
    if leader is None:
        raise ProcessLookupError(f"machine {machine} of region {region} is not running")
    enter = [
        "nsenter",
        f"--target={leader}",
        "--mount",
        "--uts",
        "--ipc",
        "--net",
        "--pid",
        "--cgroup",
        "--root",
        "--wd",
    ]
    clean = ["env", "--ignore-environment", _PATH, "HOME=/root", "LC_ALL=C.UTF-8"]
    return subprocess.run(
        [*enter, "--", *clean, *argv],
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=timeout,
        check=False,
    )
