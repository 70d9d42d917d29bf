"""Kernel settings, from the files and the commands that set them."""

import re
from collections.abc import Iterable, Iterator, Mapping

from kilonode.rules.read.starts import started
from kilonode.rules.read.text import words

_SETTING = re.compile(r"^\s*-?(?P<key>[a-z0-9_]+(?:[./][\w*-]+)+)\s*:?=\s*(?P<value>.+?)\s*$")
_FILES = re.compile(r"/sysctl(?:\.d/.+\.conf|\.conf|s\.conf)$")
_FOLDERS = ("/etc/", "/run/", "/usr/local/lib/", "/usr/lib/", "/lib/")
"""Of files of one name that of the first of these folders holds (systemd, sysctl.d)."""

_ECHO = re.compile(
    r"\b(?:echo|printf)\s+(?:-\w+\s+)?(?P<quote>['\"]?)(?P<text>[^'\"|>]{1,200}?)(?P=quote)"
    r"\s*(?:>>?|\|\s*(?:sudo\s+)?tee(?:\s+-a)?)\s*['\"]?(?P<path>/[^\s'\";|&]+)"
)
_LIVE = "/proc/sys/"


def sysctls(files: Mapping[str, str], commands: Iterable[str]) -> dict[str, str]:
    """Kernel settings by their names, from sysctl's files and commands; of two the later one holds."""
    found: dict[str, str] = {}
    for text in _in_order(files):
        found |= _settings(text.splitlines())
    for line in commands:
        if "sysctl" in line:
            for program, arguments in started(words(line)):
                if program == "sysctl":
                    found |= _settings(each for each in arguments if "=" in each and not each.startswith("--"))
        found |= _settings(_echoed(line))
    return found


def _in_order(files: Mapping[str, str]) -> list[str]:
    """By their names, whatever their folders."""
    named: dict[str, str] = {}
    for path in sorted(filter(_FILES.search, files), key=_rank, reverse=True):
        name = path.rpartition("/")[2]
        # Distributions link it there.
        named["99-sysctl.conf" if name == "sysctl.conf" else name] = files[path]
    return [named[name] for name in sorted(named)]


def _rank(path: str) -> int:
    return next((rank for rank, folder in enumerate(_FOLDERS) if path.startswith(folder)), len(_FOLDERS))


def _echoed(line: str) -> Iterator[str]:
    for written in _ECHO.finditer(line) if "/sys" in line else ():
        text, path = written["text"].replace("\\n", "\n").strip(), written["path"]
        if path.startswith(_LIVE):
            yield f"{path.removeprefix(_LIVE)}={text}"
        elif _FILES.search(path):
            yield from text.splitlines()


def _settings(lines: Iterable[str]) -> dict[str, str]:
    matches = (_SETTING.match(line) for line in lines if not line.lstrip().startswith(("#", ";")))
    return {match["key"].replace("/", "."): " ".join(match["value"].split()) for match in matches if match}
