"""User data as cloud-init takes it apart: base64, gzip, MIME parts, cloud-config and scripts."""

import base64
import binascii
import email
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from kilonode.rules.read.text import heredocs

GZIP = b"\x1f\x8b"
SIZE_MAX = 4 * 1024**2
"""Bytes of decoded text worth reading; cloud limits are far below, but what gzip makes of them is not."""


@dataclass
class Decoded:
    """What was found; ``size`` is in bytes before base64."""

    size: int
    texts: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    commands: list[str] = field(default_factory=list)


def decode(given: str, *, encoded: bool) -> Decoded:
    """Take ``given`` apart; what cannot be read stays a text that holds nothing."""
    raw = _base64(given) if encoded else given.encode()
    decoded = Decoded(len(raw))
    _part(_unpacked(raw), decoded)
    return decoded


def _base64(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=False)
    except (binascii.Error, ValueError):
        return text.encode()


def _unpacked(raw: bytes) -> str:
    if raw.startswith(GZIP):
        try:
            raw = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(raw, SIZE_MAX)
        except zlib.error:
            return ""
    return raw.decode(errors="replace")


def _part(text: str, decoded: Decoded) -> None:
    head = text.lstrip()
    if head.lower().startswith(("content-type:", "mime-version:")):
        for each in email.message_from_string(head).walk():
            if not each.is_multipart():
                payload = each.get_payload(decode=True)
                _part(_unpacked(payload if isinstance(payload, bytes) else b""), decoded)
        return
    decoded.texts.append(text)
    if head.startswith("#cloud-config-archive"):
        for each in _yaml(head) or []:
            content = each.get("content", "") if isinstance(each, Mapping) else each
            _part(str(content), decoded)
    elif head.startswith("#cloud-config"):
        _cloud_config(_yaml(head), decoded)
    elif head.startswith(("#!", "#cloud-boothook")):
        _script(head, decoded)


def _yaml(text: str) -> Any:
    try:
        return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - both are safe
    except yaml.YAMLError:
        return None


def _cloud_config(document: Any, decoded: Decoded) -> None:
    if not isinstance(document, Mapping):
        return
    for entry in document.get("write_files") or ():
        if isinstance(entry, Mapping) and isinstance(entry.get("path"), str):
            text = _content(entry)
            decoded.files[entry["path"]] = text
            decoded.texts.append(text)
    for stage in ("bootcmd", "runcmd"):
        for command in document.get(stage) or ():
            _script(" ".join(map(str, command)) if isinstance(command, list) else str(command), decoded)


def _content(entry: Mapping[str, Any]) -> str:
    content, encoding = entry.get("content", ""), str(entry.get("encoding", "")).lower()
    raw = content if isinstance(content, bytes) else str(content).encode()
    if encoding in {"b64", "base64", "gz+b64", "gz+base64", "gzip+b64", "gzip+base64"}:
        raw = _base64(raw.decode(errors="replace"))
    return _unpacked(raw)


def _script(text: str, decoded: Decoded) -> None:
    files, rest = heredocs(text)
    decoded.files.update(files)
    decoded.commands += [line for line in rest.replace("\\\n", " ").splitlines() if line.strip()]
