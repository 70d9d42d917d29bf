"""Container images of Azure nodes: archives that are in the machine image already; nothing of them is on this machine."""

from pathlib import PurePosixPath

from kilonode.nodes.images import FOLDER, SYSTEM, SYSTEM_ARCHIVES, PreloadedImage
from kilonode.nodes.spec import MachinePoolSpec

AS_BUILT = ""
"""In place of a digest: whoever built the machine image has checked the archive (image.py)."""


def preloaded(pool: MachinePoolSpec) -> tuple[PreloadedImage, ...]:
    """The system's images, and those of the pool by the digests its spec gives."""
    system = (
        PreloadedImage(reference, AS_BUILT, f"{FOLDER}/{file}")
        for reference, file in zip(SYSTEM, SYSTEM_ARCHIVES, strict=True)
    )
    asked = (
        PreloadedImage(image.name, image.digest, f"{FOLDER}/{PurePosixPath(image.archive).name}")
        for image in pool.images
    )
    return (*system, *asked)
