"""User data as cloud-init takes it apart: base64, gzip, MIME parts, cloud-config and scripts; and as Ignition does."""

import base64
import binascii
import email
import re
import shlex
from collections.abc import Iterable, Mapping
from typing import Any

from kilonode.rules.read import ignition
from kilonode.rules.read.decoded import Decoded, Script
from kilonode.rules.read.documents import document, rows
from kilonode.rules.read.heredocs import heredocs
from kilonode.rules.read.scripts import taken_apart
from kilonode.rules.unknown import UndecidedError

_MIME_WITHIN = 4_096
"""How far in cloud-init looks for the header that makes a text a MIME message."""

DEPTH_MAX = 8
"""Archives in archives; nobody writes two."""

_ELSEWHERE = {
    "a template of jinja in user data": re.compile(r"##\s*template:\s*jinja", re.IGNORECASE),
    "what user data includes": re.compile(r"#include(?:-once)?\b"),
}
"""What the machine makes something else of, or fetches."""

_HEADS = {
    "text/cloud-config": "#cloud-config",
    "text/cloud-config-archive": "#cloud-config-archive",
    "text/cloud-boothook": "#cloud-boothook",
    "text/jinja2": "## template: jinja",
    "text/x-include-url": "#include",
    "text/x-include-once-url": "#include-once",
}
"""The first line that a part may leave out where its type says it (cloud-init, user_data and handlers)."""

_HASH = re.compile(r"[0-9a-f]{40}")
"""What a state has in the place of the text after an import (terraform-provider-aws, user_data)."""

_HEADER = re.compile(r"[\w-]+:")


def decode(given: str, *, encoded: bool, scripts: Iterable[Script] = ()) -> Decoded:
    """Take ``given`` apart, and the scripts that the machine runs after it; what cannot be read stays a text that holds nothing.

    Raises:
        UndecidedError: when nobody can tell from it what the machine will do.
    """
    raw = _base64(given) if encoded else _once(given)
    decoded = Decoded(len(raw))
    text = decoded.unpacked(raw)
    if _HASH.fullmatch(given) or not _is_text(text.lstrip()):
        raise UndecidedError("user data that is no text")
    if config := ignition.config(text.strip()):
        decoded.texts.append(text)
        _ignition(config, decoded)
    else:
        _part(text, decoded)
    for each in scripts:
        text = decoded.unpacked(each.raw)
        decoded.texts += [] if each.protected else [text]
        _script(text, decoded)
    return decoded


def _once(text: str) -> bytes:
    """Bytes of a text that the provider puts into base64 unless it is in it (terraform-provider-aws, Base64EncodeOnce)."""
    try:
        return base64.b64decode("".join(text.splitlines()), validate=True)
    except ValueError:
        return text.encode(errors="replace")


def _base64(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=False)
    except (binascii.Error, ValueError):
        return text.encode(errors="replace")


def _is_text(head: str) -> bool:
    """Whether it is one, if with a wrong byte: bytes that are no characters make no other form."""
    return "\ufffd" not in head or head.startswith("#") or _is_mime(head)


def _is_mime(head: str) -> bool:
    early = head[:_MIME_WITHIN].lower()
    return early.startswith("content-type:") or (bool(_HEADER.match(early)) and "mime-version:" in early)


def _refuse(head: str) -> None:
    """What the machine makes something else of is undecided."""
    if what := next((what for what, pattern in _ELSEWHERE.items() if pattern.match(head)), None):
        raise UndecidedError(what)


def _part(text: str, decoded: Decoded, depth: int = 0, kind: str = "") -> None:
    head = text.lstrip()
    first = _HEADS.get(kind, "")
    if not head.startswith(first):
        head = f"{first}\n{head}"
    _refuse(head)
    if depth > DEPTH_MAX:
        raise UndecidedError("user data in parts of parts")
    if _is_mime(head):
        for each in email.message_from_string(head).walk():
            if not each.is_multipart():
                payload = each.get_payload(decode=True)
                inside = decoded.unpacked(payload if isinstance(payload, bytes) else b"")
                _part(inside, decoded, depth + 1, each.get_content_type())
        return
    decoded.texts.append(text)
    if head.startswith("#cloud-config-archive"):
        for each in rows(document(head)):
            content, told = (each.get("content", ""), each.get("type")) if isinstance(each, Mapping) else (each, None)
            inside = decoded.unpacked(str(content).encode(errors="replace"))
            usual = "" if inside.lstrip().startswith("#") else "text/cloud-config"
            _part(inside, decoded, depth + 1, str(told or usual))
    elif head.startswith("#cloud-config"):
        _cloud_config(document(head), decoded)
    elif head.startswith(("#!", "#cloud-boothook")):
        _script(head, decoded)


def _ignition(config: Mapping[str, Any], decoded: Decoded) -> None:
    for each in ignition.configs(config, decoded.unpacked):
        decoded.configs.append(each)
        files, commands = ignition.made(each, decoded.files, decoded.unpacked)
        decoded.texts += [text for path, text in files.items() if decoded.files.get(path) != text]
        decoded.files = files
        decoded.commands += commands


_TRUE = ("true", "1", "on", "yes")
"""What cloud-init takes for a truth."""


def _cloud_config(config: Any, decoded: Decoded) -> None:
    if not isinstance(config, Mapping):
        return
    decoded.configs.append(config)
    for entry in rows(config.get("write_files")):
        if isinstance(entry, Mapping) and isinstance(entry.get("path"), str):
            text, path = _content(entry, decoded), entry["path"]
            before = decoded.files.get(path, "") if str(entry.get("append")).lower() in _TRUE else ""
            decoded.files[path] = before + text
            decoded.texts.append(text)
    for stage in ("bootcmd", "runcmd"):
        for command in rows(config.get(stage)):
            if isinstance(command, list):
                _words(list(map(str, command)), decoded)
            else:
                _script(str(command), decoded)


def _words(command: list[str], decoded: Decoded) -> None:
    """A command that is a list of words, each as it is (cloud-init, util.shellify)."""
    rest = []
    for word in command:
        files, text = heredocs(word, decoded.files)
        decoded.files.update(files)
        rest.append(text)
    if rest:
        decoded.commands.append(shlex.join(rest))


def _content(entry: Mapping[str, Any], decoded: Decoded) -> str:
    content, encoding = entry.get("content", ""), str(entry.get("encoding", "")).lower()
    raw = content if isinstance(content, bytes) else str(content).encode(errors="replace")
    if encoding in {"b64", "base64", "gz+b64", "gz+base64", "gzip+b64", "gzip+base64"}:
        raw = _base64(raw.decode(errors="replace"))
    return decoded.unpacked(raw)


def _script(text: str, decoded: Decoded) -> None:
    files, lines = taken_apart(text, decoded.files)
    decoded.files.update(files)
    decoded.commands += lines
