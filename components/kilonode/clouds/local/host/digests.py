"""Content digests of files, remembered, since the binaries of an image are hundreds of megabytes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from kilonode.clouds.local.host import paths
from kilonode.clouds.local.host.files import write_whole
from kilonode.clouds.local.host.refusal import refused

KEY_LENGTH = 16
"""Hexadecimal digits: 64 bits, where a cache holds some dozens of things."""


def of_text(*parts: str) -> str:
    """Return the digest of some texts, each told apart from the next."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def key(*parts: str) -> str:
    """Return the begin of the digest of some texts: what is kept by content is named by it."""
    return of_text(*parts)[:KEY_LENGTH]


def of_files(files: Iterable[Path]) -> dict[Path, str]:
    """Return the SHA-256 of each file; a file whose path, size and time of change are known is not read again."""
    memory = paths.cache() / "digests.json"
    try:
        known: dict[str, str] = json.loads(memory.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        known = {}
    found = {}
    fresh = {}
    for file in files:
        if not file.is_file():
            raise refused(
                "binaries", given=file, allowed="a file", why="it is not there", fix="build it first: `make tools`"
            )
        status = file.stat()
        seen_as = f"{file.resolve()} {status.st_size} {status.st_mtime_ns}"
        if seen_as not in known:
            with file.open("rb") as opened:
                fresh[seen_as] = hashlib.file_digest(opened, "sha256").hexdigest()
        found[file] = known.get(seen_as) or fresh[seen_as]
    if fresh:
        memory.parent.mkdir(parents=True, exist_ok=True)
        kept = {key: digest for key, digest in known.items() if Path(key.rsplit(" ", 2)[0]).exists()}
        write_whole(memory, json.dumps(kept | fresh, indent=0), 0o600)
    return found
