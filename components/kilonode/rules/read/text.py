"""Reading shell scripts, environment files and kernel settings as text."""

import re
import shlex
from collections.abc import Iterable, Mapping

HEREDOC = re.compile(
    r"^(?P<before>[^\n]*?)<<-?\s*(?P<quote>['\"]?)(?P<end>\w+)(?P=quote)(?P<after>[^\n]*)\n(?P<body>.*?)^\s*(?P=end)\s*$",
    re.MULTILINE | re.DOTALL,
)
_TARGET = re.compile(r"(?:>>?|\btee(?:\s+-a)?)\s*(?P<path>/[^\s;|&<>]+)")
_SETTING = re.compile(r"^\s*-?(?P<key>[a-z0-9_]+(?:[./][\w*-]+)+)\s*:?=\s*(?P<value>.+?)\s*$")
_VARIABLE = re.compile(r"^\s*(?:export\s+)?(?P<name>[A-Za-z_]\w*)=(?P<value>.*)$")
_SYSCTL_FILES = re.compile(r"/sysctl(?:\.d/.+\.conf|\.conf|s\.conf)$")


def heredocs(text: str) -> tuple[dict[str, str], str]:
    """Files that a script writes from its own text, and the script without them."""
    files: dict[str, str] = {}
    for found in HEREDOC.finditer(text):
        target = _TARGET.search(f"{found['before']} {found['after']}")
        if target:
            files[target["path"].strip("'\"")] = found["body"]
    return files, HEREDOC.sub("", text)


def words(line: str) -> list[str]:
    """The words of a command line; as they stand where quotes do not match."""
    if line.lstrip().startswith("#"):
        return []
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
