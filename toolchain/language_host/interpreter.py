"""Which Python runs a program, and in which environment."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

# Where uv and poetry keep a project's environment unless told otherwise.
UV_FOLDER: Final = ".venv"


class NoInterpreterError(Exception):
    """There is no Python to run the program with."""


@dataclass(frozen=True)
class Interpreter:
    """A Python executable and the environment variables that make it its own."""

    executable: str
    environment: dict[str, str]


def find(options: Mapping[str, object], root: str) -> Interpreter:
    """The interpreter that a project's runtime options ask for.

    `virtualenv` names an environment, relative to `root`, the folder of Pulumi.yaml; `toolchain: uv` means .venv.
    Without either it is PULUMI_PYTHON_CMD, else python3 or python on PATH. Raises NoInterpreterError.
    """
    named = str(options.get("virtualenv") or "")
    if not named and options.get("toolchain") == "uv":
        named = UV_FOLDER
    if named:
        return _of_virtualenv(Path(root, named), named)
    for command in (os.environ.get("PULUMI_PYTHON_CMD"), "python3", "python"):
        executable = shutil.which(command) if command else None
        if executable:
            return Interpreter(executable, dict(os.environ))
    raise NoInterpreterError(
        "no python3 on PATH. Fix: activate a Python environment, or set runtime.options.virtualenv"
    )


def _of_virtualenv(folder: Path, named: str) -> Interpreter:
    executable = folder / "bin" / "python"
    if not executable.exists():
        raise NoInterpreterError(
            f"runtime.options.virtualenv is {named!r}, but {executable} does not exist. "
            f"Fix: `python3 -m venv {folder}` and install the project's requirements there"
        )
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONHOME"}
    environment["VIRTUAL_ENV"] = str(folder)
    environment["PATH"] = os.pathsep.join([str(folder / "bin"), environment.get("PATH", os.defpath)])
    return Interpreter(str(executable), environment)
