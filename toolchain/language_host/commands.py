"""The command lines by which Python programs, plugins and policy packs are run."""

from __future__ import annotations

import json
import shutil
import tomllib
from pathlib import Path
from typing import Final

from pulumi.runtime.proto import language_pb2

EXECUTOR: Final = "pulumi-language-python-exec"


def executor() -> str:
    """The SDK's script that sets the SDK up and runs the user's program: beside our launcher, else on PATH."""
    beside = Path(__file__).resolve().parents[2] / "bin" / EXECUTOR
    found = str(beside) if beside.exists() else shutil.which(EXECUTOR)
    if not found:
        raise FileNotFoundError(f"{EXECUTOR} is neither at {beside} nor on PATH")
    return found


def program(request: language_pb2.RunRequest, engine: str) -> list[str]:
    """The words, after the interpreter, that run a Pulumi program."""
    options = {
        "--monitor": request.monitor_address,
        "--engine": engine,
        "--project": request.project,
        "--root_directory": request.info.root_directory,
        "--stack": request.stack,
        "--organization": request.organization,
        "--pwd": request.pwd,
        "--dry_run": "true" if request.dryRun else "false",
        "--parallel": str(request.parallel),
    }
    words = [word for name, value in options.items() if value for word in (name, value)]
    return [
        "-u",
        executor(),
        *words,
        str(Path(request.info.program_directory, request.info.entry_point)),
        *request.args,
    ]


def program_environment(request: language_pb2.RunRequest) -> dict[str, str]:
    """The variables in which the SDK looks for the stack's configuration."""
    return {
        "PULUMI_CONFIG": json.dumps(dict(request.config)),
        "PULUMI_CONFIG_SECRET_KEYS": json.dumps(list(request.configSecretKeys)),
    }


def plugin(request: language_pb2.RunPluginRequest) -> list[str]:
    """The words, after the interpreter, that run a policy pack, a plugin folder with a __main__, or a plugin package.

    The last is a folder that is an installable distribution: then the installed module of its name runs.
    """
    folder = Path(request.info.program_directory, request.info.entry_point)
    if request.kind == "analyzer":
        return ["-u", "-m", "pulumi.policy", *request.args, str(folder)]
    if (folder / "__main__.py").exists() or not folder.is_dir():
        return ["-u", str(folder), *request.args]
    return ["-u", "-m", "pulumi.run.plugin", distribution_name(folder), *request.args]


def distribution_name(folder: Path) -> str:
    """The name in the folder's pyproject.toml, else the folder's own."""
    description = folder / "pyproject.toml"
    if description.exists():
        named = tomllib.loads(description.read_text(encoding="utf-8")).get("project", {}).get("name")
        if isinstance(named, str):
            return named
    return folder.resolve().name
