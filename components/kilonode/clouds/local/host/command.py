"""Running the host's own programs."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence


class CommandError(RuntimeError):
    """A program of the host failed; carries its words."""


def run(argv: Sequence[str], *, ok: tuple[int, ...] = (0,)) -> str:
    """Run a program to its end and return what it printed; raises CommandError with its error text otherwise."""
    try:
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", check=False)
    except FileNotFoundError as missing:
        raise CommandError(
            f"{argv[0]} is not installed; `make setup` installs the packages this host needs (Debian 12)"
        ) from missing
    if done.returncode not in ok:
        raise CommandError(f"{' '.join(argv)}: exit {done.returncode}: {(done.stderr or done.stdout).strip()}")
    return done.stdout
