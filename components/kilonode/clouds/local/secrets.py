"""Secrets of one machine: files only root can read, apart from boot data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from stat import S_IMODE
from typing import Any

import pulumi
from pulumi import dynamic

from kilonode.clouds.local.checks import changed, checked
from kilonode.clouds.local.host import paths
from kilonode.clouds.local.host.files import write_whole
from kilonode.clouds.local.host.refusal import refused

MODE = 0o400
OPEN = "(others may read this file)"
"""Stands for a file whose mode was changed, so that the next run writes it again."""


class MachineSecretsProvider(dynamic.ResourceProvider):
    """Writes, reads and removes secret files. Its module path is recorded in states: do not move it."""

    serialize_as_secret_always = False

    def check(self, _olds: dict[str, Any], news: dict[str, Any]) -> dynamic.CheckResult:
        """Refuse names and paths that would leave the machine's own folder."""
        return checked(news, _judge)

    def diff(self, _id: str, olds: dict[str, Any], news: dict[str, Any]) -> dynamic.DiffResult:
        """Another machine's secrets are another resource; other content is written in place."""
        moved = changed(olds, news, ("region", "machine"))
        changes = bool(moved or changed(olds, news, ("files",)))
        return dynamic.DiffResult(changes=changes, replaces=moved, delete_before_replace=True)

    def create(self, props: dict[str, Any]) -> dynamic.CreateResult:
        """Write the files."""
        folder = paths.make_private(paths.secrets(props["region"], props["machine"]))
        write_secrets(folder, props["files"])
        return dynamic.CreateResult(f"{props['region']}/{props['machine']}", {**props, "folder": str(folder)})

    def read(self, id_: str, props: dict[str, Any]) -> dynamic.ReadResult:
        """Report what the files hold now: the next run writes again what was lost or altered."""
        folder = paths.secrets(props["region"], props["machine"])
        if not folder.is_dir():
            return dynamic.ReadResult(None, {})
        return dynamic.ReadResult(id_, {**props, "files": read_secrets(folder)})

    def update(self, _id: str, _olds: dict[str, Any], news: dict[str, Any]) -> dynamic.UpdateResult:
        """Write the files anew and remove those no longer wanted; the folder stays the one that machines have bound."""
        return dynamic.UpdateResult(self.create(news).outs)

    def delete(self, _id: str, props: dict[str, Any]) -> None:
        """Remove the files."""
        paths.remove(paths.secrets(props["region"], props["machine"]))


class MachineSecrets(dynamic.Resource, module="local", name="MachineSecrets"):
    """The secret files of one machine, by relative path: folders 0700, files 0400; in state `files` is encrypted."""

    folder: pulumi.Output[str]
    """Where the files are on the host: what a machine binds."""

    def __init__(
        self,
        name: str,
        *,
        region: str,
        machine: str,
        files: pulumi.Input[Mapping[str, pulumi.Input[str]]],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        props: dict[str, Any] = {
            "region": region,
            "machine": machine,
            "files": pulumi.Output.secret(files),
            "folder": None,
        }
        secret = pulumi.ResourceOptions(additional_secret_outputs=["files"])
        super().__init__(MachineSecretsProvider(), name, props, pulumi.ResourceOptions.merge(opts, secret))


def write_secrets(folder: Path, files: dict[str, str]) -> None:
    """Make the folder hold exactly `files`, each replaced in one step."""
    for name, content in files.items():
        file = folder / name
        paths.make_folders(file.parent, 0o700)
        file.parent.chmod(0o700)
        if not file.is_file() or file.read_bytes() != content.encode() or not _private(file):
            write_whole(file, content, MODE)
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()
        elif not path.is_dir() and str(path.relative_to(folder)) not in files:
            path.unlink()


def read_secrets(folder: Path) -> dict[str, str]:
    """Return what the folder holds, by relative path."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {
        str(path.relative_to(folder)): path.read_text(errors="replace", encoding="utf-8") if _private(path) else OPEN
        for path in files
    }


def _private(file: Path) -> bool:
    return S_IMODE(file.stat().st_mode) == MODE


def _judge(props: dict[str, Any]) -> None:
    paths.secrets(props["region"], props["machine"])
    for name in props["files"]:
        pure = PurePosixPath(name)
        if pure.is_absolute() or ".." in pure.parts or str(pure) != name or not pure.parts:
            raise refused(
                "files",
                given=name,
                allowed="a plain relative path",
                why="a machine's secrets stay in its own folder",
                fix="name the file as etcd/peer.key",
            )
