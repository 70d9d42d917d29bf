"""The container images of local nodes, as archives in the host's cache: the system's own, and those a pool asks for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kilonode.clouds.local.host import digests, oci, paths
from kilonode.clouds.local.host.elf import is_static
from kilonode.clouds.local.host.lock import locked
from kilonode.clouds.local.host.refusal import refused
from kilonode.clouds.local.programs import program
from kilonode.nodes.images import COREDNS, FOLDER, PAUSE, PreloadedImage
from kilonode.nodes.spec import MachinePoolSpec

TOOLBOX = "kilonode.internal/toolbox:1"
"""A shell and what goes with it, for pods on a host that reaches no registry."""


@dataclass(frozen=True)
class SystemImage:
    """An image that is one program of this host's PATH, under one or more names; ``source`` is who provides it."""

    reference: str
    program: str
    paths: tuple[str, ...]
    source: str = "`make tools`"


SYSTEM = (
    SystemImage(PAUSE, "pause", ("/pause",)),
    SystemImage(COREDNS, "coredns", ("/coredns",)),
    SystemImage(TOOLBOX, "busybox", ("/bin/busybox", "/bin/sh"), "Debian's busybox-static (`make setup`)"),
)


def preloaded(pool: MachinePoolSpec) -> tuple[PreloadedImage, ...]:
    """The images of a pool's nodes with the digests their archives have.

    Raises:
        RefusedError: when an archive is missing, or holds another image than the pool asks for.
        FileNotFoundError: naming the program that PATH lacks.
    """
    own = tuple(
        PreloadedImage(system.reference, oci.digest_of(archive), f"{FOLDER}/{archive.name}")
        for system, archive in ((system, system_archive(system)) for system in SYSTEM)
    )
    return (*own, *asked(pool))


def asked(pool: MachinePoolSpec) -> tuple[PreloadedImage, ...]:
    """The images a pool's spec asks for, with the digests their archives have; needs no program.

    Raises:
        RefusedError: when an archive is missing, or holds another image than the pool asks for.
    """
    images = []
    for index, image in enumerate(pool.images):
        archive = Path(image.archive)
        found = oci.digest_of(archive)
        if found != image.digest:
            raise refused(
                f"nodePools {pool.name}: images[{index}]",
                given=f"{image.reference}, and an archive with {found}",
                allowed="an archive of that very digest",
                why="nodes refuse at boot what is not the image they were promised",
                fix="export the image again, or write the digest of the archive",
            )
        images.append(PreloadedImage(image.name, found, f"{FOLDER}/{index:03}-{archive.name}"))
    return tuple(images)


def sources(pool: MachinePoolSpec, images: tuple[PreloadedImage, ...]) -> tuple[tuple[str, Path], ...]:
    """Where each archive lands in the machine image, and where it is on this host."""
    files = (*(system_archive(system) for system in SYSTEM), *(Path(image.archive) for image in pool.images))
    return tuple((image.archive, file) for image, file in zip(images, files, strict=True))


def system_archive(system: SystemImage) -> Path:
    """The archive of a system image, written when its program is another one.

    Raises:
        RefusedError: when the program would find nothing to run with in an image of its own.
    """
    source = program(system.program)
    if not is_static(source):
        raise refused(
            f"the program {system.program}",
            given=source,
            allowed="a statically linked program",
            why=f"it is all that is in the image {system.reference}, so no dynamic linker would be there to start it",
            fix=f"install {system.source}, or put a static {system.program} first on PATH",
        )
    key = digests.key(system.reference, *system.paths, digests.of_files([source])[source])
    archive = paths.cache() / "archives" / f"{system.program}-{key}.tar"
    paths.make_folders(archive.parent, 0o755)
    with locked(archive.with_suffix(".lock")):
        if not archive.is_file():
            oci.write_archive(
                archive, system.reference, dict.fromkeys(system.paths, source), entrypoint=[system.paths[0]]
            )
    return archive
