"""Units of systemd: the command lines that start, each with its environment."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from kilonode.boot.machine import UNITS
from kilonode.rules.read.text import variables, words

_UNIT = re.compile(r"(?P<folder>.*/)systemd/system/(?P<name>[^/]+\.service)(?P<part>\.d/.+\.conf)?$")
_FOLDERS = ("/etc/", "/run/", "/usr/local/lib/", "/usr/lib/", "/lib/")
"""Where units are; of files with one name the first folder's is read alone (systemd.unit, Unit File Load Path)."""

_LINE = re.compile(r"^(?P<key>[A-Za-z]+)\s*=\s*(?P<value>.*)$")
_EXPANDED = re.compile(r"\$\{?(?P<name>\w+)\}?")


@dataclass(frozen=True)
class Command:
    """A command line; ``absent`` is an environment file that user data does not have."""

    line: str
    environment: Mapping[str, str]
    absent: str | None = None

    @cached_property
    def words(self) -> list[str]:
        """Its words, with the variables that are known."""
        return words(_EXPANDED.sub(lambda match: self.environment.get(match["name"], match[0]), self.line))


def texts(files: Mapping[str, str]) -> dict[str, str]:
    """Each unit's text with its drop-ins behind it in the order of their names, by its name."""
    read: dict[tuple[str, str], tuple[int, str]] = {}
    for path, text in files.items():
        if unit := _UNIT.match(path):
            rank = _FOLDERS.index(unit["folder"]) if unit["folder"] in _FOLDERS else len(_FOLDERS)
            key = (unit["part"] or "", unit["name"])
            read[key] = min(read.get(key, (rank, text)), (rank, text), key=lambda each: each[0])
    found: dict[str, str] = {}
    for (_, name), (_, text) in sorted(read.items()):
        found[name] = found.get(name, "") + "\n" + text
    return found


def units(files: Mapping[str, str]) -> list[Command]:
    """Command lines of units that start."""
    return [each for name, text in texts(files).items() for each in _starts(name, text, files)]


def _starts(name: str, text: str, files: Mapping[str, str]) -> list[Command]:
    """The command lines of one unit, none where it is certain that it does not start."""
    commands: dict[str, list[str]] = {}
    own: dict[str, str] = {}
    read: dict[str, str] = {}
    absent: str | None = None
    for line in text.replace("\\\n", " ").splitlines():
        if not (entry := _LINE.match(line.strip())):
            continue
        key, value = entry["key"], entry["value"].strip()
        if key == "ConditionPathExists" and _fails(value.replace("%n", name), files):
            return []
        if key == "Environment":
            own = own | dict(word.split("=", 1) for word in words(value) if "=" in word) if value else {}
        elif key == "EnvironmentFile" and not value:
            read, absent = {}, None
        elif key == "EnvironmentFile" and (path := value.lstrip("-")) in files:
            read |= variables(files[path])
        elif key == "EnvironmentFile":
            absent = path
        elif key.startswith("Exec"):
            # Without a value it takes back those before it, as drop-ins do.
            commands[key] = [*commands.get(key, []), value.lstrip("-+!@:")] if value else []
    # Files win over what the unit says itself (systemd.exec, EnvironmentFile=).
    return [Command(command, own | read, absent) for given in commands.values() for command in given]


def _fails(condition: str, files: Mapping[str, str]) -> bool:
    """Whether a path is certainly not as asked for: what user data does not write the image may have, but for this library's own marks."""
    if condition.startswith("!"):
        return condition.lstrip("! ") in files
    return condition.startswith(f"{UNITS}/") and condition not in files
