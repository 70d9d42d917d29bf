"""Running a program that must not outlive the engine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from .child import GRACE_SECONDS, Child
from .engine import EngineWatch

POLL_SECONDS: Final = 0.5
# Without an engine nobody waits: let the calls in hand finish.
ORPHAN_GRACE_SECONDS: Final = 30.0


def run(words: list[str]) -> int:
    """Run the program on our own output streams until it ends or the engine does; returns its exit code."""
    watch = EngineWatch()
    child = Child(words, environment=dict(os.environ) | absolute_virtualenv(Path.cwd()))
    while (code := child.wait(0.0)) is None:
        if watch.over(POLL_SECONDS):
            child.end(GRACE_SECONDS if watch.asked else ORPHAN_GRACE_SECONDS)
    return 0 if watch.asked else code


def absolute_virtualenv(folder: Path) -> dict[str, str]:
    """The project's virtual environment as an absolute path, when the engine gave it relative to the project.

    The engine runs providers in the program's folder, which with `main` in Pulumi.yaml is not the project's.
    """
    given = os.environ.get("PULUMI_RUNTIME_VIRTUALENV")
    if not given or Path(given).is_absolute():
        return {}
    roots = [parent for parent in (folder, *folder.parents) if (parent / "Pulumi.yaml").exists()]
    return {"PULUMI_RUNTIME_VIRTUALENV": str((roots or [folder])[0] / given)}
