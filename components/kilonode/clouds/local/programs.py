"""The programs the machine image carries, as found on this host."""

import shutil
from pathlib import Path


def program(name: str) -> Path:
    """A program on PATH.

    Raises:
        FileNotFoundError: with what to do about it.
    """
    found = shutil.which(name)
    if not found:
        raise FileNotFoundError(f"{name} is not on PATH; `make setup` installs and `make tools` builds what is missing")
    return Path(found).resolve()


def kwok_stages() -> str:
    """How simulated nodes and their pods behave; the file comes beside the kwok program."""
    return (program("kwok").parent.parent / "share" / "stages.yaml").read_text(encoding="utf-8")
