"""Judging the copies of a tool that PATH offers."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

from toolchain.recipes import Program, Tool

PROBE_SECONDS: Final = 30
# No release notice from the network while asking for a version.
QUIET: Final = {"PULUMI_SKIP_UPDATE_CHECK": "true"}


def find(tool: Tool) -> Path | None:
    """The PATH folder that holds a right copy of the whole tool, else None."""
    places = [shutil.which(program.name) for program in tool.programs]
    if not all(places):
        return None
    folders = {Path(place).parent for place in places if place}
    if len(folders) != 1:
        return None
    folder = folders.pop()
    if not all((folder.parent / data).is_file() for data in tool.data):
        return None
    return folder if all(_answers_right(folder, program, tool) for program in tool.programs) else None


def accepts(tool: Tool, version: tuple[int, int, int]) -> bool:
    """Whether a copy of this version may stand in for the row's."""
    if version[:2] == tool.version[:2]:
        return version[2] >= tool.version[2]
    return tool.newer_minor and version[0] == tool.version[0] and version[1] > tool.version[1]


def version_in(text: str) -> tuple[int, int, int] | None:
    """The first version such as v1.37.2 in what a program printed; a pre-release or a vendor's variant is none."""
    match = re.search(r"\bv?(\d+)\.(\d+)\.(\d+)(-?)", text)
    return (int(match[1]), int(match[2]), int(match[3])) if match and not match[4] else None


def _answers_right(folder: Path, program: Program, tool: Tool) -> bool:
    if program.probe is None:
        return True
    try:
        answer = subprocess.run(
            [folder / program.name, *program.probe],
            env=os.environ | QUIET,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=PROBE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    version = version_in(answer.stdout) if answer.returncode == 0 else None
    return version is not None and accepts(tool, version)
