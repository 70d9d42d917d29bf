"""Whether a program runs where nothing else is: in a container image that holds only the program."""

from __future__ import annotations

import struct
from pathlib import Path

MAGIC = b"\x7fELF"
WIDE, LITTLE = 2, 1
"""64 bits, least significant byte first: what container hosts are."""
INTERPRETER = 3
"""The program header that names a dynamic linker (PT_INTERP, elf(5))."""

_PLACE = struct.Struct("<32xQ14xHH")
"""Of the file's header: where the program headers begin, the size of each, their number."""


def is_static(program: Path) -> bool:
    """Tell whether a file is an ELF program that needs no dynamic linker."""
    content = program.read_bytes()[:4096]
    if len(content) < _PLACE.size or content[:4] != MAGIC or (content[4], content[5]) != (WIDE, LITTLE):
        return False
    begin, size, count = _PLACE.unpack_from(content)
    if begin + size * count > len(content):
        return False
    kinds = [struct.unpack_from("<I", content, begin + size * index)[0] for index in range(count)]
    return INTERPRETER not in kinds
