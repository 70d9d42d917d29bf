"""The public key of whoever may log in to a machine: one line of an authorized_keys file."""

import base64
import binascii
import re
from typing import Annotated

from pydantic import AfterValidator

from kilonode.explain import Allowed
from kilonode.refusal import refuse

LINE_MAX = 8_192
"""sshd reads no more of a line of authorized_keys (sshd(8))."""

_ALLOWED = "one line of an OpenSSH public key, ssh-ed25519 or ssh-rsa of 2,048 bits or more"
_WHY = "it is the only way into a machine; passwords are off"
_FIX = "write the line of the key's .pub file"
_ED25519_BYTES = 32
_RSA_PARTS, _RSA_BITS = 3, 2_048
_PRIVATE = re.compile(
    # Whole, and as pieces: the base64 of an OpenSSH key, of a PEM header, of PKCS #1 or #8, and PuTTY's file.
    r"PRIVATE KEY|b3BlbnNzaC1rZXktdjE|LS0tLS1CRUdJTi|\bMII[A-Za-z0-9+/]|PuTTY-User-Key|Private-Lines"
)


def _ssh_key(value: str) -> str:
    if _PRIVATE.search(value):
        raise refuse(
            given="a private key",
            allowed=_ALLOWED,
            why="it would be known to everybody who reads this file; now it is known",
            fix="throw the key away, make another with `ssh-keygen -t ed25519`, and write the line of its .pub file",
        )
    kind, _, rest = value.partition(" ")
    if kind not in ("ssh-ed25519", "ssh-rsa") or not value.isprintable():
        raise refuse(allowed=_ALLOWED, why=_WHY, fix=_FIX)
    if len(value.encode()) > LINE_MAX:
        raise refuse(
            given=f"{len(value.encode())} bytes",
            allowed=f"one line of at most {LINE_MAX} bytes",
            why="sshd reads no more of a line",
            fix="shorten the comment behind the key",
        )
    try:
        fields = _fields(base64.b64decode(rest.partition(" ")[0], validate=True))
    except (binascii.Error, ValueError, IndexError):
        fields = []
    if not _whole(kind, fields):
        raise refuse(allowed=_ALLOWED, why=f"{_WHY}, and this is not the whole of a key", fix=_FIX)
    if kind == "ssh-rsa" and int.from_bytes(fields[-1]).bit_length() < _RSA_BITS:
        raise refuse(allowed=_ALLOWED, why="Azure takes no shorter RSA key", fix="use `ssh-keygen -t ed25519`")
    return value


def _whole(kind: str, fields: list[bytes]) -> bool:
    """Whether the parts are those of a key of that kind (RFC 8709, RFC 4253)."""
    if not fields or fields[0] != kind.encode():
        return False
    if kind == "ssh-ed25519":
        return [len(each) for each in fields[1:]] == [_ED25519_BYTES]
    # Of an exponent of 1, or an even one, no signature says anything.
    return len(fields) == _RSA_PARTS and int.from_bytes(fields[1]) % 2 == 1 and int.from_bytes(fields[1]) > 1


def _fields(blob: bytes) -> list[bytes]:
    """The length-prefixed parts of a public key (RFC 4253, 6.6).

    Raises:
        ValueError: when the last part is cut off.
    """
    found = []
    while blob:
        length, blob = int.from_bytes(blob[:4]), blob[4:]
        if length > len(blob):
            raise ValueError("cut off")
        found.append(blob[:length])
        blob = blob[length:]
    return found


SshKey = Annotated[str, AfterValidator(_ssh_key), Allowed(_ALLOWED)]
