"""The top layer of an image: files and programs, at the paths they land on."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from kilonode.boot.machine import File
from kilonode.clouds.local.host.command import CommandError
from kilonode.clouds.local.host.refusal import refused

MERGED = frozenset({"bin", "sbin", "lib", "lib32", "lib64", "libx32"})
"""Links into /usr in Debian since 12: a folder of that name in an upper layer would hide the whole of it."""

EXECUTABLE, PLAIN = 0o755, 0o644


def read_tree(tree: Path) -> tuple[File, ...]:
    """Return the files of a folder at the paths they land on, executable if their source is."""
    files = sorted(file for file in tree.rglob("*") if file.is_file())
    return tuple(File(f"/{file.relative_to(tree)}", file.read_text(encoding="utf-8"), _mode(file)) for file in files)


def target(field: str, path: str) -> str:
    """Check a path inside the machine; raises RefusedError for one that would hide parts of its root."""
    pure = PurePosixPath(path)
    if not pure.is_absolute() or ".." in pure.parts or len(pure.parts) == 1 or pure.parts[1] in MERGED:
        raise refused(
            field,
            given=path,
            allowed="an absolute path, not below /" + ", /".join(sorted(MERGED)),
            why="those are links into /usr, which a layer would hide",
            fix=f"use /usr{path}",
        )
    return str(pure)


def build(
    root: Path, *, files: Iterable[File], binaries: Mapping[str, Path], sums: Mapping[Path, str], mode: int = EXECUTABLE
) -> None:
    """Fill the folder `root`. Everything belongs to root; `binaries` are copied with `mode`.

    Raises:
        CommandError: when a copy has not the SHA-256 its source had before: the layer is kept under what that said.
    """
    _folder(root)
    for file in files:
        landed = _landing(root, file.path)
        landed.write_text(file.content, encoding="utf-8")
        landed.chmod(file.mode)
    for path, source in binaries.items():
        landed = _landing(root, path)
        shutil.copyfile(source, landed)
        with landed.open("rb") as copied:
            found = hashlib.file_digest(copied, "sha256").hexdigest()
        if found != sums[source]:
            raise CommandError(f"{source} changed while it was copied into an image; run the same command again")
        landed.chmod(mode)


def _landing(root: Path, path: str) -> Path:
    landed = root / path.removeprefix("/")
    for parent in reversed(landed.relative_to(root).parents[:-1]):
        _folder(root / parent)
    return landed


def _folder(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)  # whatever the umask: an upper layer's folder modes replace those below


def _mode(file: Path) -> int:
    return EXECUTABLE if file.stat().st_mode & 0o100 else PLAIN
