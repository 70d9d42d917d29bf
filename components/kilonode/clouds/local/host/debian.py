"""The base layer of an image: Debian, from the host's own package sources."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from kilonode.clouds.local.host.command import CommandError, run

SOURCES = (Path("/etc/apt/sources.list.d/debian.sources"), Path("/etc/apt/sources.list"))
"""Where Debian 12 keeps its own sources (sources.list(5)); cloud images use the first, the installer the second."""

CUSTOMISE = """
root=$1
find "$root/etc/systemd/system" -path '*.wants/*' -type l -delete
rm -rf "$root"/usr/share/doc/* "$root"/usr/share/man/* "$root"/usr/share/info/* "$root"/usr/share/locale/*
rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/var/log/*
rm -f "$root/etc/resolv.conf" "$root/etc/hostname"
: >"$root/etc/machine-id"
chroot "$root" python3 -m compileall -q /usr/lib/python3
"""
# Units start because the image's own trees ask for them, never because a package was installed: so every role can share
# one base. Python compiles what it imports at each boot unless the compiled files are there.

_PROGRESS = "I: "


def host_sources() -> list[Path]:
    """Return the host's own Debian sources; none leaves the choice to mmdebstrap."""
    return [file for file in SOURCES if file.is_file() and "deb" in file.read_text(encoding="utf-8")]


def build(root: Path, *, suite: str, packages: Sequence[str], lock: int, report: Callable[[str], None]) -> None:
    """Make a Debian root in the folder `root`, which must not exist; the child holds `lock` until it ends."""
    # A process namespace of its own, ended when its parent is: nothing goes on writing to `root` after a SIGKILL.
    alone = [
        "setpriv",
        "--pdeathsig",
        "KILL",
        "unshare",
        "--fork",
        "--kill-child=KILL",
        "--pid",
        "--mount-proc",
    ]
    command = ["mmdebstrap", "--mode=root", "--variant=minbase", f"--include={','.join(packages)}"]
    # A mirror that is away for minutes costs these minutes, and no image; no machine has that setting.
    command += ['--aptopt=Acquire::Retries "10"', '--customize-hook=rm "$1/etc/apt/apt.conf.d/99mmdebstrap"']
    command += [f"--customize-hook=sh -euc '{_quoted(CUSTOMISE)}' kilonode \"$1\""]
    command += [suite, str(root), *(str(file) for file in host_sources())]
    said: list[str] = []
    with subprocess.Popen(
        [*alone, "--", *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        pass_fds=(lock,),
        encoding="utf-8",
    ) as child:
        assert child.stderr is not None  # noqa: S101
        for line in child.stderr:
            said.append(line.rstrip())
            if line.startswith(_PROGRESS):
                report(f"Debian {suite}: {line.removeprefix(_PROGRESS).strip()}")
    if child.returncode:
        raise CommandError("\n".join(["mmdebstrap failed:", *said[-20:]]))


def require_tools() -> None:
    """Raise CommandError, naming the program, if the host lacks what building takes."""
    run(["mmdebstrap", "--version"])


def _quoted(script: str) -> str:
    return script.replace("'", "'\\''")
