"""Disks that outlive the machines they are bound into, and folders that several machines share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pulumi
from pulumi import dynamic

from kilonode.clouds.local.checks import changed, checked
from kilonode.clouds.local.host import paths


class _FolderProvider(dynamic.ResourceProvider):
    """What a disk and a shared folder have in common: both are a folder below the region's."""

    serialize_as_secret_always = False

    def folder(self, props: dict[str, Any]) -> Path:
        """Return the folder that the inputs stand for."""
        raise NotImplementedError

    def check(self, _olds: dict[str, Any], news: dict[str, Any]) -> dynamic.CheckResult:
        """Refuse names that cannot be folders."""
        return checked(news, self.folder)

    def diff(self, _id: str, olds: dict[str, Any], news: dict[str, Any]) -> dynamic.DiffResult:
        """Another name is another folder, made before the old one is removed."""
        moved = changed(olds, news, ("region", "name"))
        return dynamic.DiffResult(changes=bool(moved), replaces=moved)

    def create(self, props: dict[str, Any]) -> dynamic.CreateResult:
        """Make the folder; one left by a run that died before recording it is kept, with what it holds."""
        folder = paths.make_private(self.folder(props))
        return dynamic.CreateResult(f"{props['region']}/{props['name']}", {**props, "folder": str(folder)})

    def read(self, id_: str, props: dict[str, Any]) -> dynamic.ReadResult:
        """Report a missing folder as gone."""
        return dynamic.ReadResult(id_, props) if self.folder(props).is_dir() else dynamic.ReadResult(None, {})

    def update(self, _id: str, _olds: dict[str, Any], news: dict[str, Any]) -> dynamic.UpdateResult:
        """Nothing about a folder changes in place."""
        return dynamic.UpdateResult({**news, "folder": str(self.folder(news))})

    def delete(self, _id: str, props: dict[str, Any]) -> None:
        """Remove the folder and all it holds."""
        paths.remove(self.folder(props))


class DiskProvider(_FolderProvider):
    """Makes and removes disks. Its module path is recorded in states: do not move it."""

    def folder(self, props: dict[str, Any]) -> Path:
        """Return the disk's folder."""
        return paths.disk(props["region"], props["name"])


class SharedFolderProvider(_FolderProvider):
    """Makes and removes shared folders. Its module path is recorded in states: do not move it."""

    def folder(self, props: dict[str, Any]) -> Path:
        """Return the shared folder."""
        return paths.shared(props["region"], props["name"])


class Disk(dynamic.Resource, module="local", name="Disk"):
    """A folder that is a machine's disk: bound into it, it is a mount point there. Deleting it deletes the data."""

    folder: pulumi.Output[str]

    def __init__(self, name: str, *, region: str, disk: str, opts: pulumi.ResourceOptions | None = None) -> None:
        props: dict[str, Any] = {"region": region, "name": disk, "folder": None}
        super().__init__(DiskProvider(), name, props, opts)


class SharedFolder(dynamic.Resource, module="local", name="SharedFolder"):
    """A folder that several machines bind and write to: the local stand-in for a cloud's small durable store."""

    folder: pulumi.Output[str]

    def __init__(self, name: str, *, region: str, folder: str, opts: pulumi.ResourceOptions | None = None) -> None:
        props: dict[str, Any] = {"region": region, "name": folder, "folder": None}
        super().__init__(SharedFolderProvider(), name, props, opts)
