"""What user data, taken apart, holds."""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kilonode.rules.read.documents import SIZE_MAX
from kilonode.rules.unknown import UndecidedError

GZIP = b"\x1f\x8b"
TOO_MUCH = f"user data of more than {SIZE_MAX >> 10} KiB"


@dataclass(frozen=True)
class Script:
    """A script that a machine is given beside its user data, perhaps in gzip; one that is ``protected`` is nobody's to read."""

    raw: bytes
    protected: bool = False


@dataclass
class Decoded:
    """What was found; ``size`` is in bytes before base64."""

    size: int
    texts: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    commands: list[str] = field(default_factory=list)
    configs: list[Mapping[str, Any]] = field(default_factory=list)
    """Cloud-configs, and Ignition's, as they are, for what is neither a file nor a command."""

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
