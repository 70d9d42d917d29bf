"""Units of systemd: the command lines that start, each with its environment."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from kilonode.rules.read.text import variables, words

_UNIT = re.compile(r"/systemd/system/(?P<name>[^/]+\.service)(?P<part>\.d/.+\.conf)?$")
_LINE = re.compile(r"^(?P<key>[A-Za-z]+)\s*=\s*(?P<value>.*)$")
_EXPANDED = re.compile(r"\$\{?(?P<name>\w+)\}?")


@dataclass(frozen=True)
class Command:
    """A command line; ``absent`` is an environment file that user data does not have."""

    line: str
    environment: Mapping[str, str]
    absent: str | None = None

    @property
    def words(self) -> list[str]:
        """Its words, with the variables that are known."""
        return words(_EXPANDED.sub(lambda match: self.environment.get(match["name"], match[0]), self.line))


def texts(files: Mapping[str, str]) -> dict[str, str]:
    """Each unit's text with its drop-ins behind it, by its name."""
    found: dict[str, str] = {}
    for path, text in sorted(files.items(), key=lambda item: ".d/" in item[0]):
        if unit := _UNIT.search(path):
            found[unit["name"]] = found.get(unit["name"], "") + "\n" + text
    return found


def units(files: Mapping[str, str]) -> list[Command]:
    """Command lines of units that start."""
    return [each for name, text in texts(files).items() for each in _starts(name, text, files)]


def _starts(name: str, text: str, files: Mapping[str, str]) -> list[Command]:
    """The command lines of one unit, none where its condition does not hold."""
    commands: list[str] = []
    environment: dict[str, str] = {}
    absent: str | None = None
    for line in text.replace("\\\n", " ").splitlines():
        if not (entry := _LINE.match(line.strip())):
            continue
        key, value = entry["key"], entry["value"].strip()
        if key == "ConditionPathExists" and value.replace("%n", name) not in files:
            return []
        if key == "Environment":
            environment |= dict(word.split("=", 1) for word in words(value) if "=" in word)
        elif key == "EnvironmentFile" and (path := value.lstrip("-")) in files:
            environment |= variables(files[path])
        elif key == "EnvironmentFile" and path:
            absent = path
        elif key.startswith("Exec"):
            commands.append(value.lstrip("-+!@:"))
    return [Command(command, environment, absent) for command in commands]
