"""Container images that are on a node before its first pod: the system's own, and those a pool asks for."""

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from pydantic import field_validator

from kilonode.nodes.hosts import DOCKER, DOCKER_FORMER, HOST_ALLOWED, is_host, is_registry
from kilonode.refusal import refuse
from kilonode.spec import Spec

FOLDER = "/usr/share/kilonode/images"
"""Where archives lie in the machine image."""

HOST = "kilonode.internal"
"""No registry answers here (ICANN keeps .internal for private use), so an image of this host is preloaded or missing."""

PAUSE = f"{HOST}/pause:1.0.0"
"""The sandbox image of every pod. A node that has lost it starts no pod, so containerd names this very reference."""

COREDNS = f"{HOST}/coredns:1.15.0"
"""Cluster DNS."""

SYSTEM = (PAUSE, COREDNS)
SYSTEM_ARCHIVES = ("pause.tar", "coredns.tar")
"""Their files, where the machine image is built from a folder of archives."""

IMAGES_MAX = 32
"""Rows of one pool: their names and digests are part of boot data."""

REPOSITORY_LENGTH = 255
"""Characters of a reference before its tag; programs that read references take no more (distribution/reference)."""

ARCHIVE_LENGTH = 200
"""Characters of an archive's path: its file's name, with what makes it one of its own, is a name in the machine image too, of 255 bytes at most."""

_PATH = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_REFERENCE = re.compile(
    rf"(?P<repository>(?P<host>[^/]+)(?P<path>(?:/{_PATH})+))(?::(?P<tag>\w[\w.-]{{0,127}}))?(?:@(?P<digest>sha256:[0-9a-f]{{64}}))?",
    re.ASCII,
)
_ARCHIVE = re.compile(r"(?:/[\w.+-]+)+", re.ASCII)
_ALLOWED = "host/name:tag@sha256:… with 64 hexadecimal digits, such as registry.example.com/train:v3@sha256:0123…"


class PreloadedImageSpec(Spec):
    """An image of a pool's machine image; its nodes ask no registry for it."""

    reference: str
    """The name and tag that pods use, and the digest that says which image it is."""

    archive: str
    """Absolute path of an OCI archive that holds the image, on the machine this runs on."""

    @field_validator("reference")
    @classmethod
    def _pinned(cls, value: str) -> str:
        found = _REFERENCE.fullmatch(value)
        if found and not is_host(found["host"]):
            why = "on any other nodes could not load the image, and no kubelet of the pool would start"
            raise refuse(allowed=f"a name that begins with {HOST_ALLOWED}", why=why, fix="write it as a pod would")
        if not found or not is_registry(found["host"]):
            why = "a name without its host, or with other characters, means different images to different programs"
            raise refuse(allowed=_ALLOWED, why=why, fix="write the full name, as a pod would")
        if len(found["repository"]) > REPOSITORY_LENGTH:
            raise refuse(
                given=f"{len(found['repository'])} characters before the tag",
                allowed=f"at most {REPOSITORY_LENGTH}",
                why="no program that reads images' names takes more",
                fix="give the image a shorter name",
            )
        if found["host"].partition(":")[0] == HOST:
            raise refuse(
                allowed=f"an image of any host but {HOST}",
                why="these are the system's own images, which every node has",
                fix="remove the row, or give the image another name",
            )
        full = found["path"] if found["path"].count("/") > 1 else f"/library{found['path']}"
        if found["host"] == DOCKER_FORMER or (found["host"] == DOCKER and full != found["path"]):
            raise refuse(
                allowed=f"an image of Docker Hub by its full name, {DOCKER}/library/… or {DOCKER}/<organization>/…",
                why="nodes look for the full name, whatever a pod writes, and would ask the registry for it",
                fix=f"write {DOCKER}{full}{value.removeprefix(found['repository'])}",
            )
        if found["tag"] in (None, "latest"):
            raise refuse(
                allowed=_ALLOWED,
                why="Kubernetes reads a missing tag as latest and asks the registry for latest at every start, preloaded or not",
                fix="give the image a tag that says its version, in the pods too",
            )
        if not found["digest"]:
            raise refuse(
                allowed=_ALLOWED,
                why="a tag can be moved to another image between two builds, a digest cannot",
                fix=f"append the archive's digest, {value}@sha256:…",
            )
        return value

    @field_validator("archive")
    @classmethod
    def _absolute(cls, value: str) -> str:
        if not _ARCHIVE.fullmatch(value) or {".", ".."} & set(value.split("/")):
            raise refuse(
                allowed="an absolute path of letters, digits and . _ + - without . or .. as a step",
                why="the program that reads it works in a folder of its own, and the file's name is used on the nodes too",
                fix="write the whole path, from / on",
            )
        if len(value) > ARCHIVE_LENGTH:
            raise refuse(
                given=f"{len(value)} characters",
                allowed=f"at most {ARCHIVE_LENGTH}",
                why="the file's name, with a number before it, is one on the nodes too, where 255 bytes are the most",
                fix="move or rename the file",
            )
        return value

    @property
    def name(self) -> str:
        """The reference without its digest: what pods ask for."""
        return self.reference.partition("@")[0]

    @property
    def digest(self) -> str:
        """The digest of the archive's only image."""
        return self.reference.partition("@")[2]


@dataclass(frozen=True)
class PreloadedImage:
    """An image of the machine image; ``reference`` is the name pods use, ``archive`` the path on the node."""

    reference: str
    digest: str
    archive: str


def images_document(images: Iterable[PreloadedImage]) -> str:
    """The JSON list a node reads what to load from, in the order given.

    Raises:
        ValueError: when two of ``images`` have one reference.
    """
    rows = [asdict(image) for image in images]
    names = [row["reference"] for row in rows]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"preloaded twice: {', '.join(sorted(twice))}")
    return json.dumps(rows, indent=1) + "\n"
