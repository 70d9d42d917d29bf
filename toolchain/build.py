"""Building one tool into the cache, whole or not at all."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from time import sleep
from typing import Final

from toolchain import cache
from toolchain.fault import ToolchainError
from toolchain.go import Go
from toolchain.progress import Progress, tail
from toolchain.recipes import ModuleFile, OwnFolder, OwnProgram, Tool

SHOWN_LINES: Final = 30
PROGRAM_MODE: Final = 0o755
PAUSES: Final = (5, 15, 45, 120)
"""Seconds before modules that could not be fetched are asked for again."""


def build(tool: Tool, go: Go, progress: Progress) -> Path:
    """Build the tool and put it in its place in the cache; the caller holds the tool's lock.

    Works in a sibling folder that takes the final name in one step, so an interrupted build leaves no tool behind.
    Returns the tool's folder. Raises ToolchainError with the end of the log.
    """
    final = cache.entry(tool)
    work = final.with_name(f".{final.name}.building")
    log = final.with_name(f"{final.name}.log")
    # A leftover of an interrupted build: nobody else is in it, since we hold the lock.
    shutil.rmtree(work, ignore_errors=True)
    (work / "bin").mkdir(parents=True)
    progress.say(f"building, log {log}")
    _compile(tool, go, work, log, progress)
    for item in tool.files:
        _install(item, tool, go, work, progress)
    shutil.rmtree(final, ignore_errors=True)
    os.sync()  # a power cut after the rename must not leave empty programs in a finished folder
    work.rename(final)
    if not cache.is_built(tool):
        raise ToolchainError(f"{tool.name}: the build ended well but {final} lacks a program of its recipe")
    return final


def _compile(tool: Tool, go: Go, work: Path, log: Path, progress: Progress) -> None:
    built = [program for program in tool.programs if program.package]
    packages = [program.package for program in built if program.package]
    flags = cache.build_flags(tool)
    stamps = " ".join([cache.LINK_FLAGS, *(f"-X {name}={value}" for name, value in tool.stamps)])
    target = f"{work / 'bin'}{os.sep}"
    code = _asked_again(lambda: _go(["list", "-deps", *flags, *packages], tool, go, log, progress), progress)
    if code == 0:
        code = _go(["build", "-v", *flags, "-ldflags", stamps, "-o", target, *packages], tool, go, log, progress)
    if code != 0:
        raise ToolchainError(
            f"{tool.name} {tool.version_text}: go build failed with exit code {code} after "
            f"{progress.elapsed} s. The end of {log}:\n{tail(log, SHOWN_LINES)}\n"
            "Fix: Go needs its module proxy (GOPROXY) and a few GB of disk. "
            "Run the same command again: it goes on from here."
        )
    for program in built:
        (work / "bin" / _name_given_by_go(program.package or "")).rename(work / "bin" / program.name)


def _asked_again(ask: Callable[[], int], progress: Progress) -> int:
    """The exit code of a Go command that fetches modules: Go asks a proxy once, also one that is busy for a moment."""
    for pause in PAUSES:
        if (code := ask()) == 0:
            return code
        progress.say(f"modules could not be fetched, asking again in {pause} s")
        sleep(pause)
    return ask()


def _go(words: list[str], tool: Tool, go: Go, log: Path, progress: Progress) -> int:
    """Run Go in the tool's module folder, what it says in the log; its exit code."""
    with log.open("w", encoding="utf-8") as output:
        process = subprocess.Popen(
            [str(go.command), *words],
            cwd=cache.module_folder(tool),
            env=go.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=output,
        )
        try:
            _watch(process, log, progress)
        except BaseException:
            process.terminate()
            process.wait()
            raise
    return process.returncode


def _watch(process: subprocess.Popen[bytes], log: Path, progress: Progress) -> None:
    while True:
        try:
            process.wait(timeout=progress.interval)
        except subprocess.TimeoutExpired:
            lines = log.read_text(errors="replace", encoding="utf-8").splitlines()
            downloads = sum(line.startswith("go: downloading") for line in lines)
            progress.update(f"compiling, {downloads} modules fetched, {len(lines) - downloads} packages begun")
        else:
            return


def _name_given_by_go(package: str) -> str:
    """The file name `go build` gives: the last element that is not a major version."""
    return re.sub(r"/v\d+$", "", package).rsplit("/", 1)[-1]


def _install(item: ModuleFile | OwnFolder | OwnProgram, tool: Tool, go: Go, work: Path, progress: Progress) -> None:
    if isinstance(item, ModuleFile):
        folder = _module_source(item.module, tool, go, progress)
        texts = ((folder / source).read_text(encoding="utf-8").rstrip("\n") for source in item.sources)
        text = "\n---\n".join(texts) + "\n"
        target = work / item.target
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        if item.executable:
            target.chmod(PROGRAM_MODE)
    elif isinstance(item, OwnFolder):
        target = work / item.target
        target.mkdir(parents=True)
        for source in sorted((cache.HERE / item.name).glob("*.py")):
            shutil.copyfile(source, target / source.name)
    else:
        source = cache.HERE / item.source
        target = work / "bin" / source.name
        shutil.copyfile(source, target)
        target.chmod(PROGRAM_MODE)


def _module_source(module: str, tool: Tool, go: Go, progress: Progress) -> Path:
    """The folder of a module's source in Go's module cache, checked against the tool's go.sum."""
    words = [str(go.command), "mod", "download", "-json", module]
    said: list[subprocess.CompletedProcess[str]] = []

    def ask() -> int:
        folder, environment = cache.module_folder(tool), go.environment()
        said.append(
            subprocess.run(words, cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False)
        )
        return said[-1].returncode

    if _asked_again(ask, progress) != 0:
        raise ToolchainError(
            f"{tool.name}: cannot get the source of {module}: {said[-1].stdout}{said[-1].stderr}".strip()
        )
    return Path(json.loads(said[-1].stdout)["Dir"])
