"""A configuration of Ignition (Flatcar, Fedora CoreOS): the same files, units and commands that cloud-init is told of."""

import base64
import json
import shlex
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import unquote_to_bytes

from kilonode.rules.read.documents import rows
from kilonode.rules.read.resource import at
from kilonode.rules.unknown import UndecidedError

FORM = "3."
"""Versions whose fields these are (coreos/ignition, docs/configuration-v3_4.md)."""

DEPTH_MAX = 8
"""Configurations in configurations; nobody writes two."""

_UNITS = "/etc/systemd/system"
_SETTINGS = "/etc/"
"""Where no programs are, only what tells them and systemd what to do; elsewhere is what an image may have as well (FHS, /etc)."""

Unpacked = Callable[[bytes], str]


def config(text: str) -> Mapping[str, Any] | None:
    """The configuration that a text is; None where it is none."""
    try:
        found = json.loads(text) if text.startswith("{") else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, Mapping) and "ignition" in found else None


def configs(given: Mapping[str, Any], unpacked: Unpacked, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """It with those that it merges, the stronger later, or what replaces it.

    Raises:
        UndecidedError: when one is fetched, or is of a form that is not known.
    """
    if not str(at(given, "ignition.version")).startswith(FORM):
        raise UndecidedError("a configuration of Ignition of another version than 3")
    if depth > DEPTH_MAX:
        raise UndecidedError("configurations of Ignition in configurations")
    replaces, merges = at(given, "ignition.config.replace"), rows(at(given, "ignition.config.merge"))
    replaced = bool(at(replaces, "source"))
    if not replaced:
        yield given
    for each in [replaces] if replaced else merges:
        if (text := _contents(each, unpacked)) is None:
            raise UndecidedError("a configuration that Ignition fetches")
        if (inner := config(text.lstrip())) is not None:
            yield from configs(inner, unpacked, depth + 1)


def made(given: Mapping[str, Any], before: Mapping[str, str], unpacked: Unpacked) -> tuple[dict[str, str], list[str]]:
    """All files with those of a configuration, and its folders as commands that make them; ``before`` are files that it may add to.

    Raises:
        UndecidedError: when settings are fetched.
    """
    files = dict(before)
    for row in rows(at(given, "storage.files")):
        _file(row, files, unpacked)
    units = [each for each in rows(at(given, "systemd.units")) if isinstance(at(each, "name"), str)]
    for unit in units:
        _unit(unit, files)
    for unit in units:
        if unit.get("enabled") is False:
            _disable(unit["name"], files)
    return files, [shlex.join(_folder(row)) for row in rows(at(given, "storage.directories")) if at(row, "path")]


def _contents(row: Any, unpacked: Unpacked) -> str | None:
    """What a URL holds; None where it is fetched from elsewhere."""
    source = str(at(row, "source") or "data:,")
    if not source.startswith("data:"):
        return None
    head, _, data = source.partition(",")
    raw = unquote_to_bytes(data)
    try:
        return unpacked(base64.b64decode(raw) if head.endswith(";base64") else raw)
    except ValueError:  # Ignition stops at it
        return ""


def _file(row: Any, files: dict[str, str], unpacked: Unpacked) -> None:
    """One that is fetched is as if the image had it; of settings that are fetched nobody can tell what they start."""
    path, whole = at(row, "path"), at(row, "contents")
    if not isinstance(path, str):
        return
    parts = [_contents(each, unpacked) for each in (whole, *rows(at(row, "append")))]
    if None not in parts:
        begun = "" if at(whole, "source") else files.get(path, "")
        files[path] = begun + "".join(each for each in parts if each)
    elif path.startswith(_SETTINGS):
        raise UndecidedError(f"{path}, which Ignition fetches,")
    else:
        files.pop(path, None)


def _unit(row: Mapping[str, Any], files: dict[str, str]) -> None:
    """A unit with its drop-ins; one that is masked is nothing, whatever else is said of it."""
    path = f"{_UNITS}/{row['name']}"
    masked = row.get("mask") is True
    if masked or row.get("contents"):
        files[path] = "" if masked else str(row["contents"])
    for each in rows(row.get("dropins")):
        files[f"{path}.d/{at(each, 'name')}"] = "" if masked else str(at(each, "contents") or "")


def _disable(name: str, files: dict[str, str]) -> None:
    """A unit that is disabled is not there, unless another file may start it: by its name, or as a timer of the same name."""
    path, stem = f"{_UNITS}/{name}", name.rpartition(".")[0]
    own = [each for each in files if each == path or each.startswith(f"{path}.d/")]
    others = (line for each, text in files.items() if each not in own for line in (each, *text.splitlines()))
    if not any(stem in line and (f"{stem}." in line or "systemctl" in line) for line in others):
        for each in own:
            del files[each]


def _folder(row: Mapping[str, Any]) -> list[str]:
    """The command that makes the folder likewise; Ignition's numbers are decimal."""
    mode, user = row.get("mode"), row.get("user")
    owner = at(user, "name") or at(user, "id")
    return [
        *("install", "-d"),
        *(("-m", f"{mode:04o}") if isinstance(mode, int) else ()),
        *(() if owner is None else ("-o", str(owner))),
        str(row["path"]),
    ]
