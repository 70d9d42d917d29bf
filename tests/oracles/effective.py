"""What the programs of a node make of their files: the values in force, by path, and what was said while reading."""

import re
import subprocess
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

import toolchain
from kilonode.nodes.containerd import Line
from tests.oracles.machine import PATIENCE

Leaves = dict[str, Any]
CONTAINERD: dict[Line, tuple[str, str]] = {
    "1.7": ("containerd-1.7", "containerd-1.7"),
    "2": ("containerd", "containerd"),
}
"""Tool and program of each line."""

_MOVED = {
    "grpc.address": "plugins.io.containerd.server.v1.grpc.address",
    "metrics.address": "plugins.io.containerd.server.v1.metrics.address",
}
"""containerd 2.4 reads version 3 of its file as version 4, where the servers are plugins too."""


@dataclass(frozen=True)
class Broken:
    """``old`` becomes ``new``: the program refuses with ``says``, or these paths lose their value."""

    old: str
    new: str
    says: str = ""
    loses: tuple[str, ...] = ()

    def of(self, text: str) -> str:
        """The broken copy of ``text``."""
        assert text.count(self.old) == 1, f"{self.old!r} stands {text.count(self.old)} times"
        return text.replace(self.old, self.new)


def named(row: object) -> str:
    """How a row is called in a test's name."""
    return f"{row.old.strip()} -> {row.new.strip()}" if isinstance(row, Broken) else str(row)


class RefusedFileError(Exception):
    """The program has ended with a failure; the text is what it said."""


@dataclass(frozen=True)
class Read:
    """What a program has read."""

    leaves: Leaves
    said: str


def leaves(value: object, path: str = "") -> Leaves:
    """Every plain value of a document by its path; a list's rows are numbered."""
    rows: Any = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else None
    if rows is None:
        return {path: value}
    return {
        at: leaf for key, inner in rows for at, leaf in leaves(inner, f"{path}.{key}" if path else str(key)).items()
    }


def missing(wanted: Leaves, read: Read) -> set[str]:
    """Paths whose wanted value is not in force. What Go leaves out of a document is the type's zero."""
    return {path for path, value in wanted.items() if read.leaves.get(path, type(value)()) != value}


def containerd(line: Line, text: str, folder: Path) -> Read:
    """containerd's own dump of the configuration it would run with."""
    tool, program = CONTAINERD[line]
    file = _file(folder, "config.toml", text)
    done = _run([toolchain.locate(tool) / program, "--config", file, "config", "dump"])
    if done.returncode:
        raise RefusedFileError(done.stdout + done.stderr)
    return Read(leaves(tomllib.loads(done.stdout)), done.stderr)


def as_dumped(line: Line, document: dict[str, Any]) -> Leaves:
    """Our document's values where ``line`` dumps them."""
    found = leaves(document)
    if line == "1.7":
        return found
    return {_MOVED.get(path, path): value for path, value in found.items()} | {"version": 4}


def kubelet(text: str, folder: Path, *flags: str) -> Read:
    """What kubelet says that it runs with, on its way to the bootstrap credential it is not given."""
    nowhere = folder / "nowhere"
    done = _run(
        [toolchain.locate("kubernetes") / "kubelet", f"--config={_file(folder, 'kubelet.yaml', text)}",
         f"--kubeconfig={nowhere}/kubeconfig", f"--bootstrap-kubeconfig={nowhere}/bootstrap",
         f"--cert-dir={nowhere}/pki", f"--root-dir={nowhere}", *flags]
    )  # fmt: skip
    if "unable to load bootstrap kubeconfig" not in done.stderr:
        raise RefusedFileError(done.stderr)
    assert not nowhere.exists()
    shown = re.search(r'"Effective KubeletConfiguration" config=<\n((?:\t.*\n)+)', done.stderr)
    assert shown, done.stderr
    return Read(leaves(yaml.safe_load(shown[1].replace("\t", ""))), done.stderr)


def kube_proxy(text: str, folder: Path) -> Read:
    """The configuration kube-proxy writes back after it has read and checked it."""
    back = folder / "back.yaml"
    done = _run(
        [toolchain.locate("kubernetes") / "kube-proxy", f"--config={_file(folder, 'kube-proxy.yaml', text)}",
         f"--write-config-to={back}"]
    )  # fmt: skip
    if done.returncode:
        raise RefusedFileError(done.stderr)
    return Read(leaves(yaml.safe_load(back.read_text())), done.stderr)


def _file(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(text)
    return file


def _run(words: Sequence[str | Path]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        list(map(str, words)), capture_output=True, text=True, check=False, timeout=PATIENCE, stdin=subprocess.DEVNULL
    )
