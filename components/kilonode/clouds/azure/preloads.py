"""Container images of Azure nodes: archives that are in the machine image already; nothing of them is on this machine."""

from pathlib import PurePosixPath

from kilonode.nodes import images
from kilonode.nodes.images import FOLDER, PreloadedImage, PreloadedImageSpec
from kilonode.nodes.spec import MachinePoolSpec

AS_BUILT = ""
"""In place of a digest: the build checked the archive by its SHA-256, and the image's digest is made with the archive."""

SYSTEM = tuple(zip(images.SYSTEM, images.SYSTEM_ARCHIVES, strict=True))
"""The system's own images, and the files they are in."""


def preloaded(pool: MachinePoolSpec) -> tuple[PreloadedImage, ...]:
    """The system's images, and those of the pool by the digests its spec gives."""
    system = (PreloadedImage(reference, AS_BUILT, f"{FOLDER}/{file}") for reference, file in SYSTEM)
    asked = (PreloadedImage(image.name, image.digest, f"{FOLDER}/{file_of(image)}") for image in pool.images)
    return (*system, *asked)


def file_of(image: PreloadedImageSpec) -> str:
    """The name of its archive in the source folder and in the machine image."""
    return PurePosixPath(image.archive).name
