"""Container images as one file each: how a node gets an image without a registry.

Formats: OCI image specification 1.1 (image layout, manifest, configuration, layer); tar as POSIX.1-2001 has it.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import stat
import tarfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from kilonode.clouds.local.host.layout import ARCHITECTURE, OS, VERSION, Layout, UnfitError, blob
from kilonode.clouds.local.host.refusal import refused

MEDIA = "application/vnd.oci.image"
REFERENCE = ("io.containerd.image.name", "org.opencontainers.image.ref.name")
"""Where an archive keeps its image's name: containerd reads the first, the specification has the second."""
FOLDER, PROGRAM, PLAIN = 0o755, 0o755, 0o644
CHANGED = "changed while its image was being written; write the image again when it stands still"
BLOCK = 512
CHUNK = 1 << 20


@dataclass(frozen=True)
class _Entry:
    """A file in a tar, or a folder if it has no content."""

    name: str
    size: int = 0
    mode: int = FOLDER
    content: Callable[[], Iterable[bytes]] | None = None


def write_archive(
    target: Path, reference: str, files: Mapping[str, Path], *, entrypoint: Sequence[str], user: str = ""
) -> str:
    """Put an image of one layer at `target`, whole or not at all, and return its manifest's digest, `sha256:…`.

    `files` are absolute paths in the image to their sources, kept executable where the source is; `user` is
    `uid` or `uid:gid`, else root. The same files give the same bytes, whoever writes them and when.
    No file is held in memory. Raises RefusedError for a path or a source that cannot be, OSError for the disk's faults.
    """
    rootfs = _rootfs(files)
    layer = _described(f"{MEDIA}.layer.v1.tar", _tar(rootfs))
    configuration = _document(
        {
            "architecture": ARCHITECTURE,
            "os": OS,
            "config": {"Entrypoint": list(entrypoint), **({"User": user} if user else {})},
            "rootfs": {"type": "layers", "diff_ids": [layer["digest"]]},
        }
    )
    manifest_type = f"{MEDIA}.manifest.v1+json"
    described = _described(f"{MEDIA}.config.v1+json", [configuration])
    manifest = _document(
        {"schemaVersion": 2, "mediaType": manifest_type, "config": described, "layers": [layer]},
    )
    named = _described(manifest_type, [manifest])
    index = {
        "schemaVersion": 2,
        "mediaType": f"{MEDIA}.index.v1+json",
        "manifests": [{**named, "annotations": dict.fromkeys(REFERENCE, reference)}],
    }
    entries = [
        _plain("oci-layout", _document({"imageLayoutVersion": VERSION})),
        _plain("index.json", _document(index)),
        _Entry("blobs"),
        _Entry("blobs/sha256"),
        _plain(blob(named["digest"]), manifest),
        _plain(blob(described["digest"]), configuration),
        _Entry(blob(layer["digest"]), layer["size"], PLAIN, partial(_again, rootfs, layer)),
    ]
    _write_whole(target, _tar(entries))
    return str(named["digest"])


def digest_of(archive: Path) -> str:
    """Return the digest of the one image, or index of one image's platforms, that an OCI archive holds.

    What this machine's architecture needs of it is there; containerd compares the digests of layers when it loads them.
    Raises RefusedError for anything but such an archive.
    """
    try:
        if not stat.S_ISREG(archive.stat().st_mode):  # to open a FIFO or a terminal would wait for ever
            raise _unfit(archive, "it is no regular file")
        with tarfile.open(archive, "r:") as opened:
            return Layout(opened).only_image()
    except (OSError, tarfile.TarError, UnfitError) as error:
        raise _unfit(archive, str(error)) from error


def _unfit(archive: Path, why: str) -> Exception:
    return refused(
        "archive",
        given=archive,
        allowed=f"an uncompressed OCI image archive with one image, whole for {OS}/{ARCHITECTURE}",
        why=why,
        fix="write it with `docker save` of Docker 25 or later, `podman save --format oci-archive`, or "
        "`skopeo copy docker://IMAGE oci-archive:FILE`",
    )


def _rootfs(files: Mapping[str, Path]) -> list[_Entry]:
    sources = {_inside(path): source for path, source in files.items()}
    folders = {str(parent) for path in sources for parent in PurePosixPath(path).parents[:-1]}
    entries = [_Entry(folder) for folder in folders]
    for path, source in sources.items():
        if not source.is_file() or path in folders:
            why = "another file's path goes through it" if path in folders else "it is not there"
            raise refused("files", given=f"/{path}: {source}", allowed="a file", why=why, fix="name a file that is")
        status = source.stat()
        mode = PROGRAM if status.st_mode & 0o111 else PLAIN
        entries.append(_Entry(path, status.st_size, mode, partial(_chunks, source, status.st_size)))
    return sorted(entries, key=lambda entry: entry.name)


def _inside(path: str) -> str:
    pure = PurePosixPath(path)
    if not pure.is_absolute() or ".." in pure.parts or len(pure.parts) == 1:
        raise refused(
            "files", given=path, allowed="an absolute path", why="it lands in the image's root", fix="write /NAME"
        )
    return str(pure.relative_to("/"))


def _tar(entries: Iterable[_Entry]) -> Iterator[bytes]:
    for entry in entries:
        header = tarfile.TarInfo(entry.name)
        header.mode, header.size = entry.mode, entry.size
        header.type = tarfile.DIRTYPE if entry.content is None else tarfile.REGTYPE
        yield header.tobuf(tarfile.PAX_FORMAT)
        if entry.content is not None:
            yield from entry.content()
            yield bytes(-entry.size % BLOCK)
    yield bytes(2 * BLOCK)


def _chunks(source: Path, size: int) -> Iterator[bytes]:
    with source.open("rb") as opened:
        while chunk := opened.read(CHUNK):
            size -= len(chunk)
            yield chunk
    if size:
        raise OSError(f"{source} {CHANGED}")


def _again(rootfs: Sequence[_Entry], layer: Mapping[str, Any]) -> Iterator[bytes]:
    """The layer a second time, since its name, its digest, comes before it."""
    total = hashlib.sha256()
    for chunk in _tar(rootfs):
        total.update(chunk)
        yield chunk
    if f"sha256:{total.hexdigest()}" != layer["digest"]:
        raise OSError(f"a file {CHANGED}")


def _described(media_type: str, chunks: Iterable[bytes]) -> dict[str, Any]:
    total, size = hashlib.sha256(), 0
    for chunk in chunks:
        total.update(chunk)
        size += len(chunk)
    return {"mediaType": media_type, "digest": f"sha256:{total.hexdigest()}", "size": size}


def _document(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def _plain(name: str, content: bytes) -> _Entry:
    return _Entry(name, len(content), PLAIN, lambda: [content])


def _write_whole(target: Path, chunks: Iterable[bytes]) -> None:
    draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        with draft.open("xb") as out:
            os.fchmod(out.fileno(), PLAIN)
            out.writelines(chunks)
            out.flush()
            os.fsync(out.fileno())
        draft.replace(target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
