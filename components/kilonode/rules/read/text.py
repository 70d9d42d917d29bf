"""Reading shell scripts, environment files and kernel settings as text."""

import re
import shlex
from bisect import bisect
from collections.abc import Iterable, Mapping

_OPENED = re.compile(r"<<-?\s*(?P<quote>['\"]?)(?P<end>\w+)(?P=quote)")
LINE_MAX = 16_384
"""Characters of a line that is taken for words of a shell; longer ones are split at spaces."""

_TARGET = re.compile(r"(?:>>?|\btee(?:\s+-a)?)\s*(?P<path>/[^\s;|&<>]+)")
_SETTING = re.compile(r"^\s*-?(?P<key>[a-z0-9_]+(?:[./][\w*-]+)+)\s*:?=\s*(?P<value>.+?)\s*$")
_VARIABLE = re.compile(r"^\s*(?:export\s+)?(?P<name>[A-Za-z_]\w*)=(?P<value>.*)$")
_SYSCTL_FILES = re.compile(r"/sysctl(?:\.d/.+\.conf|\.conf|s\.conf)$")


def heredocs(text: str) -> tuple[dict[str, str], str]:
    """Files that a script writes from its own text, and the script without them."""
    lines = text.splitlines(keepends=True)
    ends: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        ends.setdefault(line.strip(), []).append(number)
    files: dict[str, str] = {}
    rest: list[str] = []
    number = 0
    while number < len(lines):
        line = lines[number]
        opened = _OPENED.search(line)
        closing = ends.get(opened["end"], []) if opened else []
        place = bisect(closing, number)
        if not opened or place == len(closing):
            rest.append(line)
            number += 1
            continue
        if target := _TARGET.search(f"{line[: opened.start()]} {line[opened.end() :]}"):
            files[target["path"].strip("'\"")] = "".join(lines[number + 1 : closing[place]])
        number = closing[place] + 1
    return files, "".join(rest)


def words(line: str) -> list[str]:
    """The words of a command line; as they stand where quotes do not match."""
    if line.lstrip().startswith("#"):
        return []
    if len(line) > LINE_MAX:
        return line.split()
    try:
        return shlex.split(line)
    except ValueError:
        return line.split()


def variables(text: str) -> dict[str, str]:
    """Variables that an environment file sets."""
    found: dict[str, str] = {}
    for line in text.replace("\\\n", " ").splitlines():
        if match := _VARIABLE.match(line):
            found[match["name"]] = " ".join(words(match["value"]))
    return found


def sysctls(files: Mapping[str, str], commands: Iterable[str]) -> dict[str, str]:
    """Kernel settings by their names, from sysctl's files and commands; of two the later one holds."""
    found: dict[str, str] = {}
    for path in sorted(files):
        if _SYSCTL_FILES.search(path):
            found |= _settings(files[path].splitlines())
    for line in commands:
        parts = words(line)
        if any(part.rpartition("/")[2] == "sysctl" for part in parts):
            found |= _settings(part for part in parts if "=" in part and not part.startswith("--"))
    return found


def _settings(lines: Iterable[str]) -> dict[str, str]:
    matches = (_SETTING.match(line) for line in lines if not line.lstrip().startswith(("#", ";")))
    return {match["key"].replace("/", "."): " ".join(match["value"].split()) for match in matches if match}
