"""User data as cloud-init takes it apart: base64, gzip, MIME parts, cloud-config and scripts."""

import base64
import binascii
import email
import re
import shlex
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kilonode.rules.read.documents import SIZE_MAX, document, rows
from kilonode.rules.read.heredocs import heredocs
from kilonode.rules.unknown import UndecidedError

GZIP = b"\x1f\x8b"
DEPTH_MAX = 8
"""Archives in archives; nobody writes two."""

TOO_MUCH = f"user data of more than {SIZE_MAX >> 10} KiB"
_ELSEWHERE = {
    "a template of jinja in user data": re.compile(r"##\s*template:\s*jinja", re.IGNORECASE),
    "what user data includes": re.compile(r"#include(?:-once)?\b"),
    "a configuration of Ignition in user data": re.compile(r"\{\s*\"ignition\"\s*:"),
}
"""What the machine makes something else of, or fetches."""


@dataclass
class Decoded:
    """What was found; ``size`` is in bytes before base64."""

    size: int
    texts: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    commands: list[str] = field(default_factory=list)
    configs: list[Mapping[str, Any]] = field(default_factory=list)
    """Cloud-configs as they are, for what is neither a file nor a command."""

    room: int = SIZE_MAX
    """Bytes that may still be unpacked, of all parts together."""

    def unpacked(self, raw: bytes) -> str:
        """Text, out of gzip where it is in it.

        Raises:
            UndecidedError: when it is more than anybody reads.
        """
        if raw.startswith(GZIP):
            try:
                raw = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(raw, self.room + 1)
            except zlib.error:
                return ""
        self.room -= len(raw)
        if self.room < 0:
            raise UndecidedError(TOO_MUCH)
        return raw.decode(errors="replace")


def decode(given: str, *, encoded: bool) -> Decoded:
    """Take ``given`` apart; what cannot be read stays a text that holds nothing.

    Raises:
        UndecidedError: when nobody can tell from it what the machine will do.
    """
    raw = _base64(given) if encoded else given.encode(errors="replace")
    decoded = Decoded(len(raw))
    _part(decoded.unpacked(raw), decoded)
    return decoded


def _base64(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=False)
    except (binascii.Error, ValueError):
        return text.encode(errors="replace")


def _part(text: str, decoded: Decoded, depth: int = 0) -> None:
    head = text.lstrip()
    if what := next((what for what, pattern in _ELSEWHERE.items() if pattern.match(head)), None):
        raise UndecidedError(what)
    if depth > DEPTH_MAX:
        raise UndecidedError("user data in parts of parts")
    if head.lower().startswith(("content-type:", "mime-version:")):
        for each in email.message_from_string(head).walk():
            if not each.is_multipart():
                payload = each.get_payload(decode=True)
                _part(decoded.unpacked(payload if isinstance(payload, bytes) else b""), decoded, depth + 1)
        return
    decoded.texts.append(text)
    if head.startswith("#cloud-config-archive"):
        for each in rows(document(head)):
            content = each.get("content", "") if isinstance(each, Mapping) else each
            _part(decoded.unpacked(str(content).encode(errors="replace")), decoded, depth + 1)
    elif head.startswith("#cloud-config"):
        _cloud_config(document(head), decoded)
    elif head.startswith(("#!", "#cloud-boothook")):
        _script(head, decoded)


def _cloud_config(config: Any, decoded: Decoded) -> None:
    if not isinstance(config, Mapping):
        return
    decoded.configs.append(config)
    for entry in rows(config.get("write_files")):
        if isinstance(entry, Mapping) and isinstance(entry.get("path"), str):
            text = _content(entry, decoded)
            decoded.files[entry["path"]] = text
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
    files, rest = heredocs(text, decoded.files)
    decoded.files.update(files)
    decoded.commands += [line for line in rest.replace("\\\n", " ").splitlines() if line.strip()]
