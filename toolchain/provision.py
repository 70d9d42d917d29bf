"""Where each tool comes from, and getting those that are not there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from toolchain import build, cache, go, search_path
from toolchain.fault import ToolchainError
from toolchain.progress import Progress
from toolchain.recipes import TOOLS, Tool


@dataclass(frozen=True)
class Found:
    """A tool's place: `bin` holds its programs, None when it is still to be built."""

    tool: Tool
    source: Literal["PATH", "cache", "to build"]
    bin: Path | None


def tool_named(name: str) -> Tool:
    """The row of that name, else a ToolchainError that names them all."""
    try:
        return TOOLS[name]
    except KeyError:
        raise ToolchainError(f"no tool {name!r}: the tools are {', '.join(TOOLS)}") from None


def find(tool: Tool) -> Found:
    """Look on PATH, then in the cache."""
    cached = cache.entry(tool) / "bin"
    on_path = search_path.find(tool)
    if on_path is not None and on_path != cached:
        return Found(tool, "PATH", on_path)
    return Found(tool, "cache", cached) if cache.is_built(tool) else Found(tool, "to build", None)


def locate(name: str) -> Path:
    """The folder with the tool's programs; raises ToolchainError if it is neither on PATH nor built."""
    found = find(tool_named(name))
    if found.bin is None:
        raise ToolchainError(f"{name} is not built. Fix: run `python -m toolchain ensure {name}`")
    return found.bin


def data_file(name: str, file: str) -> Path:
    """A data file that comes with the tool, such as kwok's stages.yaml."""
    path = locate(name).parent / "share" / file
    if not path.is_file():
        raise ToolchainError(f"{name} has no data file {file!r}: it has {', '.join(tool_named(name).data) or 'none'}")
    return path


def ensure(names: Iterable[str]) -> dict[str, Path]:
    """Build, one after the other, those tools that are neither on PATH nor in the cache; returns their bin folders.

    Safe beside another process doing the same: the second waits for the first and takes its result.
    Raises ToolchainError.
    """
    return {tool.name: _ensure(tool) for tool in [tool_named(name) for name in names]}


def _ensure(tool: Tool) -> Path:
    progress = Progress(f"{tool.name} {tool.version_text}")
    found = find(tool)
    if found.bin is not None:
        progress.say(f"ready, from {found.source}, {found.bin}")
        return found.bin
    with cache.lock(tool, waiting=lambda: progress.say("another run is building it; waiting for that one")):
        if cache.is_built(tool):
            progress.say(f"ready, built by the other run, {cache.entry(tool) / 'bin'}")
            return cache.entry(tool) / "bin"
        folder = build.build(tool, go.find(), progress)
    progress.say(f"built in {progress.elapsed} s, {folder / 'bin'}")
    return folder / "bin"
