"""What an OCI archive holds (image layout 1.1 in a tar), judged as the containerd of a node here will read it."""

from __future__ import annotations

import hashlib
import json
import platform
import re
import tarfile
from pathlib import PurePosixPath
from typing import Any

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
"""What the kernel calls a machine, and what images do."""
ARCHITECTURE = ARCHITECTURES.get(platform.machine(), platform.machine())
OS = "linux"
VARIANTS = (None, "", "v1", "v8")
"""What an image for every machine of an architecture may have beside it; containerd passes over one for newer machines only."""
DOCUMENT_LENGTH = 4 << 20
"""Bytes of an index, a manifest or a configuration; registries and clients take no more than this."""
INDEXES = ("application/vnd.oci.image.index.v1+json", "application/vnd.docker.distribution.manifest.list.v2+json")
MANIFESTS = ("application/vnd.oci.image.manifest.v1+json", "application/vnd.docker.distribution.manifest.v2+json")
VERSION = "1.0.0"
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
PLAIN = (tarfile.REGTYPE, tarfile.AREGTYPE)
"""Members of any other type, such as sparse files and links, containerd passes over."""


class UnfitError(Exception):
    """An archive from which a node would get no image that it can run; the text says why, beginning with "it"."""


class Layout:
    """The members of an opened archive by their names, whether written ``x`` or ``./x``. No layer is read."""

    def __init__(self, opened: tarfile.TarFile) -> None:
        self._opened = opened
        self._members = {str(PurePosixPath(member.name)): member for member in opened if member.type in PLAIN}

    def only_image(self) -> str:
        """The digest of the one image, or index of one image's platforms.

        Raises:
            UnfitError: when there is not one, or it is not whole for this machine's architecture.
        """
        if not {"oci-layout", "index.json"} <= set(self._members):
            raise UnfitError("it has no oci-layout and index.json")
        try:
            version = _parsed("oci-layout", self._read(self._members["oci-layout"]))["imageLayoutVersion"]
            if version != VERSION:
                raise UnfitError(f"it is an image layout {version!r}, and containerd reads {VERSION!r} only")
            rows = _parsed("index.json", self._read(self._members["index.json"]))["manifests"]
            if len(rows) != 1:
                raise UnfitError(f"it holds {len(rows)} images")
            if not self._taken_runs_here(rows):
                raise UnfitError(f"it holds no image for {OS}/{ARCHITECTURE}")
            return str(rows[0]["digest"])
        except (KeyError, TypeError, AttributeError, RecursionError) as error:
            raise UnfitError(f"one of its documents cannot be read: {error!r}") from error

    def _taken_runs_here(self, rows: list[dict[str, Any]]) -> bool:
        """Whether the row containerd takes leads to an image for this machine; each it would look at must be whole.

        Of rows for this platform or without one it takes the first that says its platform, else the first (images.Manifest).
        """
        seen = [row for row in rows if not row.get("platform") or _ours(row["platform"])]
        seen.sort(key=lambda row: not row.get("platform"))
        return [self._runs_here(row) for row in seen][:1] == [True]

    def _runs_here(self, described: dict[str, Any]) -> bool:
        kind = described["mediaType"]
        if kind not in (*INDEXES, *MANIFESTS):
            raise UnfitError(f"its {described['digest']} is of the type {kind!r}, which is no image's")
        document = self._document("manifest", described)
        if kind in INDEXES:
            return self._taken_runs_here(document["manifests"])
        configuration = self._document("configuration", document["config"])
        for layer in document["layers"]:
            self._member("layer", layer)
        return _ours(configuration)

    def _document(self, what: str, described: dict[str, Any]) -> dict[str, Any]:
        content = self._read(self._member(what, described))
        if f"sha256:{hashlib.sha256(content).hexdigest()}" != described["digest"]:
            raise UnfitError(f"its {what} {described['digest']} is changed")
        return _parsed(f"{what} {described['digest']}", content)

    def _member(self, what: str, described: dict[str, Any]) -> tarfile.TarInfo:
        digest, size = described["digest"], described["size"]
        if not DIGEST.fullmatch(digest):
            raise UnfitError(f"its digest {digest!r} is no SHA-256")
        member = self._members.get(blob(digest))
        if member is None:
            raise UnfitError(f"its {what} {digest} is not in it")
        if member.size != size:
            raise UnfitError(f"its {what} {digest} has {member.size} bytes, and should have {size}")
        return member

    def _read(self, member: tarfile.TarInfo) -> bytes:
        if member.size > DOCUMENT_LENGTH:
            raise UnfitError(f"its {member.name} has {member.size} bytes, and a document at most {DOCUMENT_LENGTH}")
        content = self._opened.extractfile(member)
        return content.read() if content else b""


def blob(digest: str) -> str:
    """The name of the member with that digest."""
    return f"blobs/{digest.replace(':', '/')}"


def _parsed(name: str, content: bytes) -> dict[str, Any]:
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise UnfitError(f"its {name} cannot be read: {error!r}") from error
    if not isinstance(document, dict):
        raise UnfitError(f"its {name} cannot be read: it is no mapping")
    return document


def _ours(named: dict[str, Any]) -> bool:
    return (named.get("os"), named.get("architecture")) == (OS, ARCHITECTURE) and named.get("variant") in VARIANTS
