"""Machine images: a Debian layer, a layer of files on it, and for nodes one of container images; kept by content."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kilonode.boot.image import OS_PACKAGES
from kilonode.boot.machine import File
from kilonode.clouds.local.host import debian, digests, layer, paths
from kilonode.clouds.local.host.lock import locked

LOCAL_TREE = Path(__file__).parent.parent / "rootfs"
"""The few files in which a local machine's image differs from a cloud's; laid last."""


@dataclass(frozen=True)
class ImageSpec:
    """What an image is made from.

    `packages` are Debian's, beyond the OS's own; `files` all belong to root, a later one of the same path wins;
    `binaries` are pairs of target path and source file.
    """

    packages: tuple[str, ...] = ()
    suite: str = "bookworm"
    files: tuple[File, ...] = ()
    binaries: tuple[tuple[str, Path], ...] = ()
    archives: tuple[tuple[str, Path], ...] = ()
    """Container images for nodes, pairs as in `binaries`: a layer of their own, so that fixed machines do without."""


@dataclass(frozen=True)
class BuiltImage:
    """An image: its id and its layers from topmost to base, as overlayfs takes them."""

    id: str
    layers: tuple[Path, ...]


def describe(spec: ImageSpec) -> BuiltImage:
    """Return the image a spec stands for, without making it; digests of binaries come from memory when unchanged."""
    base, top = _base_key(spec), _top_key(spec)
    common = BuiltImage(f"{base}-{top}", (_folder(f"top-{top}"), _folder(f"base-{base}")))
    if not spec.archives:
        return common
    over = digests.key(*_rows(spec.archives))
    return BuiltImage(f"{common.id}-{over}", (_folder(f"archives-{over}"), *common.layers))


def present(image: BuiltImage) -> bool:
    """Tell whether every layer of an image is there."""
    return all(each.is_dir() for each in image.layers)


def build(spec: ImageSpec, report: Callable[[str], None]) -> BuiltImage:
    """Make what is missing of an image and return it; a line at a time goes to `report`.

    A second run waits for the first, and an interrupt leaves nothing half-made. Raises CommandError.
    """
    # What the files are now is what the layers are kept under: read again, they must be the same.
    image = describe(spec)
    if present(image):
        return image
    top, base = image.layers[-2:]
    with _making(base) as (draft, lock):
        if draft is not None:
            report(f"Debian {spec.suite}: {len(_packages(spec))} packages and what they need (about a minute)")
            debian.require_tools()
            debian.build(draft, suite=spec.suite, packages=_packages(spec), lock=lock, report=report)
    with _making(top) as (draft, _):
        if draft is not None:
            report(f"image {image.id}: {len(spec.binaries)} binaries and {len(_files(spec))} files")
            layer.build(draft, files=_files(spec).values(), binaries=dict(spec.binaries), sums=_sums(spec.binaries))
    for over in image.layers[:-2]:
        with _making(over) as (draft, _):
            if draft is not None:
                report(f"image {image.id}: {len(spec.archives)} container images")
                sums = _sums(spec.archives)
                layer.build(draft, files=(), binaries=dict(spec.archives), sums=sums, mode=layer.PLAIN)
    return image


@contextmanager
def _making(finished: Path) -> Iterator[tuple[Path | None, int]]:
    """Yield a draft folder, which on success becomes `finished` in one step, and the lock; None if it is there."""
    draft = finished.with_name(f".{finished.name}.draft")
    with locked(finished.with_name(f".{finished.name}.lock")) as lock:
        if finished.is_dir():
            yield None, lock
            return
        shutil.rmtree(draft, ignore_errors=True)
        try:
            yield draft, lock
            os.sync()  # a power cut after the rename must not leave empty files in a finished image
            draft.rename(finished)
        finally:
            shutil.rmtree(draft, ignore_errors=True)


def _folder(key: str) -> Path:
    return paths.cache() / "images" / key


def _packages(spec: ImageSpec) -> tuple[str, ...]:
    return tuple(sorted({*OS_PACKAGES, *spec.packages}))


def _files(spec: ImageSpec) -> dict[str, File]:
    return {layer.target("files", file.path): file for file in (*spec.files, *layer.read_tree(LOCAL_TREE))}


def _base_key(spec: ImageSpec) -> str:
    return digests.key(spec.suite, debian.CUSTOMISE, *_packages(spec))


def _top_key(spec: ImageSpec) -> str:
    rows = [f"{path} {file.mode:o} {file.content}" for path, file in sorted(_files(spec).items())]
    return digests.key(*rows, *_rows(spec.binaries))


def _sums(pairs: tuple[tuple[str, Path], ...]) -> dict[Path, str]:
    return digests.of_files(source for _, source in pairs)


def _rows(pairs: tuple[tuple[str, Path], ...]) -> list[str]:
    sources = {layer.target("binaries", path): source for path, source in pairs}
    sums = _sums(pairs)
    return [f"{path} {sums[source]}" for path, source in sorted(sources.items())]
