"""The machine's folder of secrets: a link, turned in one step from one whole bundle of files to the next."""

import os
import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path

FOLDER = Path("/etc/kilonode/secrets")
BUNDLES = ".secrets"
"""Beside it: a folder for each bundle, of which one is in force."""


def held(folder: Path = FOLDER) -> dict[str, str]:
    """The files in force by relative path; empty where none have been delivered."""
    if not folder.is_dir():
        return {}
    bundle = folder.resolve()
    files = (file for file in bundle.rglob("*") if file.is_file())
    return {str(file.relative_to(bundle)): file.read_bytes().decode() for file in files}


def deliver(files: Mapping[str, str], folder: Path = FOLDER) -> bool:
    """Make ``folder`` hold exactly ``files``, for root alone; False when it did already."""
    if held(folder) == files:
        return False
    new = folder.with_name(BUNDLES) / secrets.token_hex(8)
    before = os.umask(0o077)
    try:
        for name, text in files.items():
            _write(new / name, text.encode())
        for each in (new, *(path for path in new.rglob("*") if path.is_dir()), new.parent):
            _sync(each)
        link = new.parent / "link"
        link.unlink(missing_ok=True)
        link.symlink_to(new)
        link.replace(folder)
        _sync(folder.parent)
    finally:
        os.umask(before)
    for each in new.parent.iterdir():
        if each != new:
            shutil.rmtree(each)
    return True


def _write(file: Path, content: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("xb") as out:
        out.write(content)
        out.flush()
        os.fsync(out.fileno())
    file.chmod(0o400)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
