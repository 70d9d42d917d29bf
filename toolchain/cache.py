"""Where built tools are kept, under which name, and who may write there."""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from toolchain.recipes import OwnFolder, OwnProgram, Tool

HERE: Final = Path(__file__).parent
# What every build is made with; part of the digest.
BUILD_FLAGS: Final = ("-mod=readonly", "-trimpath")
LINK_FLAGS: Final = "-s -w"
DIGEST_LENGTH: Final = 8


def root() -> Path:
    """The folder that holds all tools: in KILONODE_CACHE, else XDG_CACHE_HOME/kilonode, else ~/.cache/kilonode."""
    own = os.environ.get("KILONODE_CACHE")
    if own:
        return Path(own).absolute() / "tools"
    shared = os.environ.get("XDG_CACHE_HOME")
    return (Path(shared) if shared else Path.home() / ".cache") / "kilonode" / "tools"


def module_folder(tool: Tool) -> Path:
    """The checked-in folder with the tool's go.mod and go.sum."""
    return HERE / "modules" / tool.name


def build_flags(tool: Tool) -> tuple[str, ...]:
    """The flags of `go build` for this tool, its tags among them."""
    return (*BUILD_FLAGS, "-tags", ",".join(tool.tags)) if tool.tags else BUILD_FLAGS


def module_files(tool: Tool) -> list[Path]:
    """What locks the tool's modules, and the Go sources of a program of our own, which has no modules to lock."""
    folder = module_folder(tool)
    sums = folder / "go.sum"
    return [folder / "go.mod", *([sums] if sums.exists() else []), *sorted(folder.glob("*.go"))]


def own_sources(tool: Tool) -> list[Path]:
    """The files of this package that are installed with the tool."""
    sources: list[Path] = []
    for item in tool.files:
        if isinstance(item, OwnFolder):
            sources += sorted((HERE / item.name).glob("*.py"))
        elif isinstance(item, OwnProgram):
            sources.append(HERE / item.source)
    return sources


def digest(tool: Tool) -> str:
    """Eight hex digits that change whenever the row, a locked module, a flag, the platform or our own source does."""
    total = hashlib.sha256()
    total.update(repr((tool, build_flags(tool), LINK_FLAGS, platform.system(), platform.machine())).encode())
    for path in [*module_files(tool), *own_sources(tool)]:
        content = path.read_bytes()
        total.update(f"{path.name} {len(content)} ".encode() + content)
    return total.hexdigest()[:DIGEST_LENGTH]


def entry(tool: Tool) -> Path:
    """The folder of this tool as this recipe builds it; it may not exist yet."""
    return root() / f"{tool.name}-{tool.version_text}-{digest(tool)}"


def is_built(tool: Tool) -> bool:
    """Whether the entry is there with all its programs and data files."""
    folder = entry(tool)
    programs = (folder / "bin" / program.name for program in tool.programs)
    return all(os.access(p, os.X_OK) for p in programs) and all((folder / d).is_file() for d in tool.data)


@contextmanager
def lock(tool: Tool, waiting: Callable[[], None]) -> Iterator[None]:
    """Hold the tool's entry for writing; calls `waiting` once if another process holds it. Freed even by a crash."""
    folder = entry(tool)
    path = folder.with_name(f"{folder.name}.lock")
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting()
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
