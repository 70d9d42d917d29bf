"""User data into facts: files, commands, kernel settings and the settings of the programs a machine starts."""

from collections.abc import Iterable

from kilonode.boot.image import machine_image
from kilonode.boot.machine import UNITS
from kilonode.nodes.boot import FACTS
from kilonode.rules.facts.machines import UserData
from kilonode.rules.read.decode import decode
from kilonode.rules.read.decoded import Decoded, Script
from kilonode.rules.read.passwords import passwords
from kilonode.rules.read.programs import programs
from kilonode.rules.read.scripts import run
from kilonode.rules.read.sysctls import sysctls
from kilonode.rules.unknown import Fact, UndecidedError, Unknown

_FACTS = "NODE_FLAGS=\n"
"""What a machine finds out about itself when it starts: its addresses and ids, which no rule asks for."""


def read(given: str, *, encoded: bool, scripts: Iterable[Script] = ()) -> Fact[UserData]:
    """Facts from the user data of a machine, and from scripts it runs after it; ``encoded`` is whether the cloud takes it in base64."""
    try:
        return _read(decode(given, encoded=encoded, scripts=scripts))
    except UndecidedError as unread:
        return Unknown(unread.field)


def _read(decoded: Decoded) -> UserData:
    files = decoded.files
    if _ours(decoded):
        # What all machines share is in their image: units that boot data names, and settings their flags point at.
        files = {file.path: file.content for file in machine_image().files} | {FACTS: _FACTS} | files
    files, started = run(files, decoded.commands)
    commands = [each.line for each in started]
    found = programs(files, started)
    return UserData(
        size=decoded.size,
        texts=tuple(decoded.texts),
        files=files,
        programs={name: own.told() for name, own in found.items()},
        etcds=found["etcd"].serving if "etcd" in found else (),
        sysctls=sysctls(files, commands),
        commands=tuple(commands),
        passwords=passwords(decoded.configs, files, commands),
    )


def _ours(decoded: Decoded) -> bool:
    """Whether the machine boots an image of this library: its boot data names the image's units to start."""
    return any(path.startswith(f"{UNITS}/") for path in decoded.files)
