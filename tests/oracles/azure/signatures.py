"""What others leave at the start of a disk, byte for byte where no program of the host makes it."""

import struct
import subprocess
import uuid
import zlib
from collections.abc import Callable
from pathlib import Path

SECTOR = 512


def mbr(device: Path) -> None:
    """A DOS partition table with one Linux partition."""
    entry = struct.pack("<BBBBBBBBII", 0, 0, 2, 0, 0x83, 0xFF, 0xFF, 0xFF, 2048, 8192)
    _write(device, 440, struct.pack("<I", 0x600DCAFE) + b"\0\0" + entry.ljust(64, b"\0") + b"\x55\xaa")


def gpt(device: Path) -> None:
    """A GUID partition table without a partition, as a disk has that was only prepared."""
    entries = bytes(128 * 128)
    fields = (
        b"EFI PART",
        0x10000,
        92,
        0,
        0,
        1,
        100000,
        34,
        99966,
        uuid.UUID(int=7).bytes_le,
        2,
        128,
        128,
        zlib.crc32(entries),
    )
    header = struct.pack("<8sIIIIQQQQ16sQIII", *fields)
    header = header[:16] + struct.pack("<I", zlib.crc32(header)) + header[20:]
    protective = struct.pack("<BBBBBBBBII", 0, 0, 2, 0, 0xEE, 0xFF, 0xFF, 0xFF, 1, 100000)
    _write(device, 446, protective.ljust(64, b"\0") + b"\x55\xaa")
    _write(device, SECTOR, header.ljust(SECTOR, b"\0") + entries)


def lvm(device: Path) -> None:
    """The label of a physical volume."""
    body = struct.pack("<I8s", 32, b"LVM2 001") + b"a" * 32
    whole = b"LABELONE" + struct.pack("<Q", 1) + struct.pack("<I", _lvm_sum(body.ljust(SECTOR - 20, b"\0")))
    _write(device, SECTOR, (whole + body).ljust(SECTOR, b"\0"))


def luks(device: Path) -> None:
    """The header of an encrypted volume."""
    _write(device, 0, b"LUKS\xba\xbe\x00\x01".ljust(592, b"\0"))


def made_by(*words: str) -> Callable[[Path], None]:
    """What a program of the host makes."""
    return lambda device: subprocess.run([*words, device], check=True, capture_output=True)


def _lvm_sum(data: bytes) -> int:
    crc = 0xF597A6CF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0xEDB88320 if crc & 1 else 0)
    return crc


def _write(device: Path, offset: int, content: bytes) -> None:
    with device.open("r+b") as out:
        out.seek(offset)
        out.write(content)
