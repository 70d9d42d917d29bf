"""Scripts that lie in files: which of them a machine runs, and what they run and write."""

import re
from collections.abc import Iterable, Iterator, Mapping

from kilonode.rules.read.heredocs import heredocs
from kilonode.rules.read.starts import exported, started
from kilonode.rules.read.units import Command, units
from kilonode.rules.read.wrappers import SHELLS
from kilonode.rules.unknown import UndecidedError

DEPTH_MAX = 8
"""Scripts that run scripts; nobody writes as many."""

_READERS = SHELLS | {".", "source"}
_SCRIPT = re.compile(rf"#!\s*(?:\S*/)?(?:env\s+)?(?:{'|'.join(sorted(SHELLS))})\b")
_BY_ITSELF = re.compile(r"/var/lib/cloud/scripts/per-\w+/[^/]+|/etc/(?:rc\.d/)?rc\.local")
"""What cloud-init and systemd run without being told (cloud-init, cc_scripts_*; systemd-rc-local-generator)."""

_BETWEEN = re.compile(r"[\s;&|()'\"`]+")


def taken_apart(text: str, before: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Files that a script writes from its own text, and its lines without them; ``before`` are those that it may add to."""
    files, rest = heredocs(text, before)
    return files, [line for line in rest.replace("\\\n", " ").splitlines() if line.strip()]


def run(files: Mapping[str, str], lines: Iterable[str]) -> tuple[dict[str, str], list[Command]]:
    """All command lines of a machine, its units' and its scripts' too, and its files with those that scripts write.

    Raises:
        UndecidedError: when scripts run scripts without end.
    """
    every, given = dict(files), list(lines)
    told = exported(given)
    own = [Command(line, told) for line in given]
    asked = {path: Command("", {}) for path in files if _BY_ITSELF.fullmatch(path)}
    read = 0
    for _ in range(DEPTH_MAX):
        commands, scripts = [*units(every), *own], _Files(every)
        for command in commands:
            asked |= {path: command for path in scripts.named(command) if path not in asked}
        if len(asked) == read:
            return every, commands
        for path, by in [*asked.items()][read:]:
            written, more = taken_apart(every[path], every)
            every |= written
            told = {**by.environment, **exported(more)}
            own += [Command(line, told, by.absent) for line in more]
            read += 1
    raise UndecidedError("scripts that run scripts")


class _Files:
    """Files by their names, as command lines have them."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._texts = files
        self._paths: dict[str, list[str]] = {}
        for path in files:
            self._paths.setdefault(_name(path), []).append(path)

    def named(self, command: Command) -> Iterator[str]:
        """Those that a command line runs as scripts: of a shell's language, or read by a shell."""
        given = _BETWEEN.split(" ".join(command.words) if command.environment else command.line)
        if not any(_name(word) in self._paths for word in given):
            return
        for program, after in started(command.words):
            if program in _READERS:
                yield from next((found for word in after if (found := self._meant(word))), [])
            elif program in self._paths:
                paths = (path for word in given if _name(word) == program for path in self._meant(word))
                yield from (path for path in paths if _SCRIPT.match(self._texts[path]))

    def _meant(self, word: str) -> list[str]:
        """The paths that a word may be; where a relative one begins nobody can tell."""
        if word.startswith("/"):
            return [word] if word in self._texts else []
        return self._paths.get(_name(word), []) if _name(word) else []


def _name(path: str) -> str:
    return path.rpartition("/")[2]
