"""Custom data and user data: base64 of at most 65,535 bytes, and without a private key.

Source: the models' own text on OSProfile.customData (the maximum length of the binary array is 65535 bytes; do not pass
any secrets in it) and on userData (base64-encoded, read by anything on the machine through the metadata service).
"""

import base64
import binascii
import contextlib
import gzip
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, Final

from . import paths
from .kinds import Kind
from .refusal import Refusal
from .values import unknown

LONGEST: Final = 65_535
PRIVATE: Final = b"PRIVATE KEY-----"
PLACES: Final = {
    "compute:VirtualMachine": ("osProfile.customData", "userData"),
    "compute:VirtualMachineScaleSet": (
        "virtualMachineProfile.osProfile.customData",
        "virtualMachineProfile.userData",
    ),
}


def judge(kind: Kind, resource: str, inputs: Mapping[str, Any]) -> list[Refusal]:
    """What is wrong with the boot data of a machine or scale set; its content is never shown."""
    return [
        Refusal(resource, path, f"{len(value)} characters", allowed)
        for path in PLACES.get(kind.token, ())
        for value in paths.find(inputs, path)
        if isinstance(value, str) and not unknown(value)
        for allowed in _faults(value)
    ]


def _faults(value: str) -> Iterator[str]:
    try:
        raw = base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        yield "base64"
        return
    if len(raw) > LONGEST:
        yield f"at most {LONGEST:,} bytes decoded; these are {len(raw):,}"
    if any(PRIVATE in layer for layer in _layers(raw)):
        yield "no private key: whoever may read the machine's metadata may read it"


def _layers(raw: bytes) -> Iterator[bytes]:
    """The data, unpacked if it is gzip, and within it what is base64, as cloud-init writes files."""
    with contextlib.suppress(OSError, EOFError, zlib.error):
        raw = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
    yield raw
    for line in raw.split(b"\n"):
        word = line.rpartition(b" ")[2].strip(b"\"' ")
        if len(word) > len(PRIVATE):
            with contextlib.suppress(binascii.Error, ValueError):
                yield from _layers(base64.b64decode(word, validate=True))
