"""The engine's record of a stack after a kill or a power cut: the engine writes its files in place."""

import json
from pathlib import Path


def mend(record: Path) -> list[str]:
    """Give the engine a record it can read, if a killed engine left one cut short.

    The engine keeps the record before the last as ``.bak``, and beside each file its attributes, a cache it can do
    without. What happened between the copy and the kill is found by the refresh that follows.

    Returns:
        What was mended, a line each; nothing where all can be read, or where no copy can.
    """
    copy, done = record.with_name(f"{record.name}.bak"), []
    for attributes in record.parent.glob(f"{record.name}*.attrs"):
        if not _whole(attributes):
            attributes.unlink()
            done.append(f"{attributes.name} was cut short; removed")
    if record.exists() and not _whole(record):
        if not copy.exists():
            record.unlink()
            done.append(f"{record.name} was cut short at its first writing; removed")
        elif _whole(copy):
            record.write_bytes(copy.read_bytes())
            done.append(f"{record.name} was cut short; taken from the copy before it")
    return done


def _whole(file: Path) -> bool:
    try:
        json.loads(file.read_bytes())
    except ValueError:
        return False
    return True
