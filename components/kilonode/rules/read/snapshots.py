"""When a machine saves snapshots of etcd: what timers and cron start, and whatever that names."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain

from kilonode.rules.facts.machines import UserData
from kilonode.rules.read.schedules import UNREAD
from kilonode.rules.unknown import UndecidedError

_COMMENT = re.compile(r"(?:^|\s)#.*$", re.MULTILINE)
_SAVES = re.compile(r"\bsnapshot\s{1,64}save\b")
_ETCD = re.compile(r"\betcd(?:ctl|utl)?\b")
_CALLED = re.compile(r"etcd-(?:backup|snapshot)")
_TOOL = re.compile(rf"(?<![\w./-])(?:/[\w./-]{{0,200}}bin/)?{_CALLED.pattern}(?![\w.-]*(?:[*$]|\.db\b))")
"""A program or a unit that is called so; a folder for what it writes saves nothing, and neither do files."""

_TIMER = re.compile(r"\betcd-(?:backup|snapshot)[\w@-]*\.timer\b|/units/[\w-]*snapshot")
"""Timers that the image may have, and user data only names."""

_AGAIN = re.compile(r"^[ \t]*(?:On(?:Calendar|Unit(?:Active|Inactive)Sec)\s*=|kind:\s*CronJob)", re.MULTILINE)
_DOCUMENT = re.compile(r"^---", re.MULTILINE)
_CRON = re.compile(r"/(?:etc|spool)/(?:ana)?cron|\bcrontab\b|--on-(?:calendar|unit-(?:in)?active)\b")
_TIMES = re.compile(
    r"^[ \t]*(?:On(?:Calendar|Unit(?:Active|Inactive)Sec)[ \t]*=|schedule:)[ \t]*(\S.*)$"
    r"|--on-(?:calendar|unit-(?:in)?active)[= ](\"[^\"]*\"|'[^']*'|\S+)",
    re.MULTILINE,
)
_PERIOD = re.compile(r"/cron\.(hourly|daily|weekly|monthly|yearly)/")
_BEGINS = re.compile(r"\s*[\d*@]")
_FIELDS = 5
_LOOP = re.compile(r"\b(?:while|until|for|watch)\b")
_WORDS = re.compile(r"[\w./@%:-]+")


def saves(text: str) -> bool:
    """Whether one of its command lines saves a snapshot; read once from the left, however long a line is."""
    for line in text.replace("\\\n", " ").splitlines():
        if (found := _SAVES.search(line)) and _ETCD.search(line, 0, found.start()):
            return True
    return False


@dataclass(frozen=True)
class _Clock:
    """What starts something again and again: when, the text of what it starts, and what else that names."""

    times: tuple[str, ...]
    text: str
    names: str = ""


@dataclass(frozen=True)
class _File:
    """A file: whether it saves a snapshot, whether it has something that is called so, and which files it names."""

    path: str
    saves: bool
    called: bool
    names: frozenset[str]


def times(data: UserData) -> Iterator[str]:
    """When something starts again and again that saves one, each time as it is written; none where nothing does.

    Raises:
        UndecidedError: after those, when something else saves one, and nobody can tell how often it starts.
    """
    # A comment saves nothing.
    files = {path: _COMMENT.sub("", text) for path, text in data.files.items()}
    commands = [_COMMENT.sub("", line) for line in data.commands]
    found: list[str] = []
    reached: set[str] = set()
    called = False
    for clock, started in _started(files, commands):
        # Of a timer whose service is the image's the name tells.
        named = not started and _TOOL.search(clock.names)
        if named or _saves(clock.text) or any(each.saves for each in started):
            found += clock.times or (UNREAD,)
        called = called or bool(_CALLED.search(clock.text)) or any(each.called for each in started)
        reached.update(each.path for each in started)
    if _timed(files, commands):
        found.append(UNREAD)
    yield from found
    if called and not found:
        raise UndecidedError("what a timer does with what is called a backup of etcd")
    # Beside what saves one, a name alone tells of no other.
    surely = saves if found else _saves
    for path, text in files.items():
        begun = path in reached or _CRON.search(path) or _AGAIN.search(text)
        if not begun and surely(text):
            raise UndecidedError(f"what starts {path}, which saves a snapshot,")
    if found:
        return
    if any(map(_TOOL.search, commands)) or (any(map(saves, commands)) and any(map(_LOOP.search, commands))):
        raise UndecidedError("how often a command saves a snapshot")


def _timed(files: Mapping[str, str], commands: Sequence[str]) -> bool:
    """Whether a timer is named that is in the image; of one that is here, or of its template, its own text tells."""
    here = {path.rpartition("/")[2] for path, text in files.items() if "[Timer]" in text}
    names = chain.from_iterable(map(_TIMER.findall, (*commands, *files)))
    return any(here.isdisjoint({name, re.sub("@[^.]*", "@", name)}) for name in names)


def _saves(text: str) -> bool:
    return saves(text) or bool(_TOOL.search(text))


def _started(files: Mapping[str, str], commands: Sequence[str]) -> Iterator[tuple[_Clock, list[_File]]]:
    """Each of what starts something again and again, with all files that it names, one by another."""
    by_name: dict[str, set[str]] = {}
    for path in files:
        # Of a table of cron each line is for itself.
        for name in () if _table(path) else (path, path.rpartition("/")[2]):
            by_name.setdefault(name, set()).add(path)

    def named(text: str) -> frozenset[str]:
        return frozenset(path for name in _WORDS.findall(text) for path in by_name.get(name, ()))

    @cache
    def file(path: str) -> _File:
        text = files[path]
        return _File(path, _saves(text), bool(_CALLED.search(text)), named(text))

    @cache
    def reached(first: frozenset[str]) -> list[_File]:
        seen, left = set(first), list(first)
        while left:
            more = file(left.pop()).names - seen
            seen |= more
            left += more
        return [file(path) for path in seen]

    for clock in _clocks(files, commands):
        yield clock, reached(named(f"{clock.names}\n{clock.text}"))


def _table(path: str) -> bool:
    return bool(_CRON.search(path)) and not _PERIOD.search(path)


def _clocks(files: Mapping[str, str], commands: Sequence[str]) -> Iterator[_Clock]:
    for line in commands:
        if _CRON.search(line):
            entries = (_entry(part) for part in re.split("[\"']", line) if _BEGINS.match(part))
            yield _Clock((*_told(line), *chain.from_iterable(entries)), line)
    for path, text in files.items():
        if period := _PERIOD.search(path):
            yield _Clock((period[1],), text)
        elif _table(path):
            yield from (_Clock(_entry(line), line) for line in text.replace("\\\n", " ").splitlines() if line.strip())
        elif _AGAIN.search(text):
            # Of several CronJobs those tell when that save one, where any does so by itself.
            own = "\n".join(each for each in _DOCUMENT.split(text) if _AGAIN.search(each) and _saves(each))
            # A timer starts the service of its own name.
            name = path.partition(".timer")[0].rpartition("/")[2]
            yield _Clock(_told(own or text), text, f"{name}.service")


def _told(text: str) -> tuple[str, ...]:
    """When, by settings of a timer, a CronJob's schedule or words of systemd-run."""
    return tuple("".join(each).strip().strip("\"'") for each in _TIMES.findall(text))


def _entry(line: str) -> tuple[str, ...]:
    """When, by a line of cron; none where it has no command."""
    first, *others = line.split(None, _FIELDS) or [""]
    if first.startswith("@"):
        return (first,)
    return (" ".join((first, *others[:-1])),) if len(others) == _FIELDS else ()
