"""The image of Azure machines as a person writes it: one that exists, or one to be built."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from kilonode.explain import Allowed
from kilonode.limits import AZURE_SCALE_SET, AZURE_SCALE_SET_PLAIN_IMAGE, Limit
from kilonode.refusal import refuse
from kilonode.spec import Spec

_NAME = r"[A-Za-z0-9](?:[\w.-]{0,78}[A-Za-z0-9_])?"
_GALLERY = r"[A-Za-z0-9](?:[\w.]{0,78}[A-Za-z0-9])?"
_NUMBER = r"(?:0|[1-9]\d{0,8})"
_VERSION = re.compile(rf"{_NUMBER}(?:\.{_NUMBER}){{2}}", re.ASCII)
_ID = re.compile(
    r"/subscriptions/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/resourceGroups/[\w().-]{0,89}[\w()-]"
    rf"/providers/Microsoft\.Compute/(?:images/{_NAME}"
    rf"|galleries/{_GALLERY}/images/{_NAME}(?P<version>/versions/(?P<number>[^/]+))?(?P<rest>/.*)?)",
    re.ASCII,
)
_ID_ALLOWED = (
    "the id of a version of a gallery image, /subscriptions/…/galleries/…/images/…/versions/1.2.3, or of a plain image"
)
_VERSION_ALLOWED = "three whole numbers with dots between them, such as 1.0.0"
_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)
_SHA256_ALLOWED = "64 lower-case hexadecimal digits"
_SOURCE = re.compile(r"https://[a-z0-9.-]+(:\d+)?(/[\w.~-]+)+", re.ASCII)
_SOURCE_ALLOWED = "an https URL of a folder, without user, query or a slash at its end"


def _id(value: str) -> str:
    found = _ID.fullmatch(value)
    if found is None or found["rest"] or (found["number"] and not _VERSION.fullmatch(found["number"])):
        raise refuse(
            allowed=_ID_ALLOWED,
            why="machines are made from it as it stands",
            fix="copy the id from `az sig image-version show`",
        )
    if "/galleries/" in value and not found["version"]:
        raise refuse(
            allowed=_ID_ALLOWED,
            why="without a version each machine boots the latest at its time, and no two nodes need be alike",
            fix="append /versions/ and the version",
        )
    return value


def _version(value: str) -> str:
    if not _VERSION.fullmatch(value):
        raise refuse(allowed=_VERSION_ALLOWED, why="a gallery orders its images by them", fix="use 1.0.0")
    return value


def _sha256(value: str) -> str:
    if not _SHA256.fullmatch(value):
        raise refuse(
            allowed=_SHA256_ALLOWED,
            why="the file it is of holds the checksum of every download: only so is it known what the image holds",
            fix="write what `sha256sum SHA256SUMS` says",
        )
    return value


def _source(value: str) -> str:
    if not _SOURCE.fullmatch(value):
        raise refuse(
            given="a URL with a user or a query" if "@" in value or "?" in value else None,
            allowed=_SOURCE_ALLOWED,
            why="file names are appended to it, and what is secret has no place in a stack file",
            fix="for instance https://files.example.com/kilonode/1.0.0",
        )
    return value


class GivenImageSpec(Spec):
    """An image that exists."""

    kind: Literal["given"]
    """Where the image comes from."""

    id: Annotated[str, AfterValidator(_id), Allowed(_ID_ALLOWED)]
    """Its resource id; the image holds what an image template of this library puts there."""

    @property
    def form(self) -> Literal["gallery", "plain"]:
        """What the image is; it decides how many machines one scale set may have, so it is a fact of birth."""
        return "gallery" if "/galleries/" in self.id else "plain"


class MarketplaceImageSpec(Spec):
    """An image of the marketplace."""

    publisher: str = "debian"
    """Who publishes it."""

    offer: str = "debian-12"
    """Which of the publisher's products."""

    sku: str = "12-gen2"
    """Which variant; machines boot as generation 2."""

    version: str = "latest"
    """Which release of it; the built image is one and the same for all machines."""


class TemplateImageSpec(Spec):
    """An image to be built in a gallery of the region, by an image template."""

    kind: Literal["template"]
    """Where the image comes from."""

    version: Annotated[str, AfterValidator(_version), Allowed(_VERSION_ALLOWED)]
    """The version it gets; another one builds another image, and machines move to it."""

    source: Annotated[str, AfterValidator(_source), Allowed(_SOURCE_ALLOWED)]
    """The folder with the programs, the archives of preloaded images and their SHA256SUMS."""

    checksums: Annotated[str, AfterValidator(_sha256), Allowed(_SHA256_ALLOWED)]
    """SHA-256 of the folder's SHA256SUMS: nothing that it does not list enters the image."""

    base: MarketplaceImageSpec = MarketplaceImageSpec()
    """What it is built on: Debian 12."""

    @property
    def form(self) -> Literal["gallery", "plain"]:
        """What the image is."""
        return "gallery"


AzureImageSpec = Annotated[GivenImageSpec | TemplateImageSpec, Field(discriminator="kind")]


def scale_set_limit(image: GivenImageSpec | TemplateImageSpec) -> Limit:
    """The most machines of one scale set that is several placement groups."""
    return AZURE_SCALE_SET if image.form == "gallery" else AZURE_SCALE_SET_PLAIN_IMAGE
