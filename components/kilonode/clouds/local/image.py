"""The machine image as a Pulumi resource."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pulumi
from pulumi import dynamic

from kilonode.boot.machine import File
from kilonode.clouds.local.checks import changed, checked
from kilonode.clouds.local.host.command import CommandError
from kilonode.clouds.local.host.images import BuiltImage, ImageSpec, build, describe, present

__all__ = ["BuiltImage", "Image", "ImageProvider", "ImageSpec", "build", "describe"]


class ImageProvider(dynamic.ResourceProvider):
    """Makes images. Its module path is recorded in states: do not move it."""

    serialize_as_secret_always = False

    def check(self, _olds: dict[str, Any], news: dict[str, Any]) -> dynamic.CheckResult:
        """Refuse files that would hide parts of the root, and binaries that are not there."""
        return checked(news, lambda props: describe(_spec(props)))

    def diff(self, _id: str, olds: dict[str, Any], news: dict[str, Any]) -> dynamic.DiffResult:
        """What an image is made from may move on the host; only another id, or an emptied cache, is a change."""
        whole = present(BuiltImage(str(olds.get("image")), tuple(Path(layer) for layer in olds.get("layers") or ())))
        return dynamic.DiffResult(changes=bool(changed(olds, news, ("image",))) or not whole)

    def create(self, props: dict[str, Any]) -> dynamic.CreateResult:
        """Build what is missing."""
        return dynamic.CreateResult("image", self._built(props))

    def read(self, id_: str, props: dict[str, Any]) -> dynamic.ReadResult:
        """Report an image as gone when a layer left the cache."""
        there = present(BuiltImage(props["image"], tuple(Path(layer) for layer in props["layers"])))
        return dynamic.ReadResult(id_, props) if there else dynamic.ReadResult(None, {})

    def update(self, _id: str, _olds: dict[str, Any], news: dict[str, Any]) -> dynamic.UpdateResult:
        """Build the new image; machines of the old one keep theirs until they are replaced."""
        return dynamic.UpdateResult(self._built(news))

    def delete(self, _id: str, _props: dict[str, Any]) -> None:
        """Leave the cache: it is keyed by content, belongs to no region, and saves the next run minutes."""

    def _built(self, props: dict[str, Any]) -> dict[str, Any]:
        image = build(_spec(props), lambda _line: None)
        if image.id != props["image"]:
            raise CommandError("files of the image changed since it was planned; run the same command again")
        return {**props, "image": image.id, "layers": [str(layer) for layer in image.layers]}


class Image(dynamic.Resource, module="local", name="Image"):
    """An image in the host's cache. `describe` gives its id and layers without it, plainly, which machines take."""

    image: pulumi.Output[str]
    layers: pulumi.Output[list[str]]

    def __init__(
        self,
        name: str,
        *,
        packages: Sequence[str] = (),
        suite: str = "bookworm",
        files: Sequence[File] = (),
        binaries: Mapping[str, Path] | None = None,
        archives: Mapping[str, Path] | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        props: dict[str, Any] = {
            "packages": list(packages),
            "suite": suite,
            "files": {file.path: {"content": file.content, "mode": file.mode} for file in files},
            "binaries": {target: str(source) for target, source in (binaries or {}).items()},
            "archives": {target: str(source) for target, source in (archives or {}).items()},
        }
        image = describe(_spec(props))
        props |= {"image": image.id, "layers": [str(layer) for layer in image.layers]}
        super().__init__(ImageProvider(), name, props, opts)


def _spec(props: dict[str, Any]) -> ImageSpec:
    return ImageSpec(
        packages=tuple(props["packages"]),
        suite=props["suite"],
        files=tuple(File(path, file["content"], int(file["mode"])) for path, file in props["files"].items()),
        binaries=tuple((target, Path(source)) for target, source in props["binaries"].items()),
        archives=tuple((target, Path(source)) for target, source in props.get("archives", {}).items()),
    )
