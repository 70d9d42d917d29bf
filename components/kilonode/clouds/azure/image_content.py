"""What the machine image holds: packages, programs, archives of container images, and this library's own files."""

from dataclasses import dataclass

from kilonode.boot.image import OS_PACKAGES, PACKAGES, machine_image
from kilonode.boot.machine import File
from kilonode.clouds.azure import cni, machine_files, preloads
from kilonode.clouds.azure.plan import AzurePlan
from kilonode.nodes.containerd import CNI_PROGRAMS
from kilonode.nodes.images import FOLDER
from kilonode.refusal import Refusal, RefusedError

BUILD_PACKAGES = ("curl",)
"""What the build itself needs beside what is in every Debian."""

LOCAL_ONLY = ("kwok",)
"""Tools of simulated nodes, which are refused here."""

NO_DIGEST = ""


@dataclass(frozen=True)
class Download:
    """A file of the source folder, and where it lands; ``digest`` is that of the image an archive must hold."""

    name: str
    path: str
    mode: int
    digest: str = NO_DIGEST


def packages() -> tuple[str, ...]:
    """Debian packages, with what they need: the versions are those of the suite on the day of the build, signed by Debian."""
    return tuple(sorted({*OS_PACKAGES, *PACKAGES, *machine_files.PACKAGES, *BUILD_PACKAGES}))


def programs() -> tuple[Download, ...]:
    """The programs, at the paths they have on every cloud, and Azure's own CNI plugins."""
    landings = machine_image().landings(without=LOCAL_ONLY)
    plugins = {name: f"{CNI_PROGRAMS}/{name}" for name in cni.PROGRAMS}
    return tuple(Download(name, path, 0o755) for name, path in (landings | plugins).items())


def archives(plan: AzurePlan) -> tuple[Download, ...]:
    """The archives of all pools, each file once; those of pools by digest.

    Raises:
        RefusedError: when two files of one name are to hold different images, or one has a program's name.
    """
    found = {file: Download(file, f"{FOLDER}/{file}", 0o644) for _, file in preloads.SYSTEM}
    taken = {each.name for each in programs()} | found.keys()
    for pool in plan.pools:
        for index, image in enumerate(pool.spec.images):
            name = preloads.file_of(image)
            asked = Download(name, f"{FOLDER}/{name}", 0o644, image.digest)
            if name in taken or found.setdefault(name, asked) != asked:
                raise RefusedError([_twice(f"nodePools {pool.spec.name}: images[{index}].archive", image.archive)])
    return tuple(found.values())


def downloads(plan: AzurePlan) -> tuple[Download, ...]:
    """Every file the build takes from the source folder."""
    return (*programs(), *archives(plan))


def files() -> tuple[File, ...]:
    """The library's own files by path; Azure's stand in place of what all clouds have."""
    both = {file.path: file for file in (*machine_image().files, *machine_files.image_files())}
    return tuple(both[path] for path in sorted(both))


def _twice(field: str, given: str) -> Refusal:
    return Refusal(
        field,
        given,
        "a file whose name no other file of the image has",
        "the source folder and the image hold each name once, and another file has this one",
        "rename the archive",
    )
