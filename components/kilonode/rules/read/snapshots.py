"""Whether a machine saves snapshots of etcd again and again: what timers and cron start, and whatever that names."""

import re
from collections.abc import Mapping, Sequence

from kilonode.rules.facts.machines import UserData
from kilonode.rules.unknown import UndecidedError

_COMMENT = re.compile(r"(?:^|\s)#.*$", re.MULTILINE)
_SAVES = re.compile(r"\bsnapshot\s{1,64}save\b")
_ETCD = re.compile(r"\betcd(?:ctl|utl)?\b")
_CALLED = re.compile(r"etcd-(?:backup|snapshot)")
_TOOL = re.compile(rf"(?<![\w./-])(?:/[\w./-]{{0,200}}bin/)?{_CALLED.pattern}")
"""A program or a unit that is called so; a folder for what it writes saves nothing."""

_TIMER = re.compile(r"\betcd-(?:backup|snapshot)[\w@-]*\.timer\b|/units/[\w-]*snapshot")
"""Timers that the image may have, and user data only names."""

_AGAIN = re.compile(r"^[ \t]*(?:On(?:Calendar|Unit(?:Active|Inactive)Sec)\s*=|kind:\s*CronJob)", re.MULTILINE)
_CRON = re.compile(r"/(?:etc|spool)/(?:ana)?cron|\bcrontab\b|--on-(?:calendar|unit-(?:in)?active)\b")
_LOOP = re.compile(r"\b(?:while|until|for|watch)\b")
_WORDS = re.compile(r"[\w./@%:-]+")


def saves(text: str) -> bool:
    """Whether one of its command lines saves a snapshot; read once from the left, however long a line is."""
    for line in text.replace("\\\n", " ").splitlines():
        if (found := _SAVES.search(line)) and _ETCD.search(line, 0, found.start()):
            return True
    return False


def saved(data: UserData) -> bool:
    """Whether something starts again and again that saves one.

    Raises:
        UndecidedError: when something saves one, and nobody can tell how often it starts.
    """
    # A comment saves nothing.
    files = {path: _COMMENT.sub("", text) for path, text in data.files.items()}
    commands = [_COMMENT.sub("", line) for line in data.commands]
    again = _again(files, commands)
    if any(saves(text) or _TOOL.search(text) for text in again) or _timed(files, commands):
        return True
    if any(map(_CALLED.search, again)):
        raise UndecidedError("what a timer does with what is called a backup of etcd")
    for path, text in files.items():
        if saves(text) or _TOOL.search(text):
            raise UndecidedError(f"what starts {path}, which saves a snapshot,")
    if any(map(_TOOL.search, commands)) or (any(map(saves, commands)) and any(map(_LOOP.search, commands))):
        raise UndecidedError("how often a command saves a snapshot")
    return False


def _timed(files: Mapping[str, str], commands: Sequence[str]) -> bool:
    """Whether a timer is named that is in the image; of one that is here its own text tells."""
    here = {path.rpartition("/")[2] for path, text in files.items() if "[Timer]" in text}
    names = (_TIMER.search(text) for text in (*commands, *files))
    return any(found and found[0].rpartition("/")[2] not in here for found in names)


def _again(files: Mapping[str, str], commands: Sequence[str]) -> list[str]:
    """Texts that run again and again: those of timers and cron, and the files that one of them names."""
    by_name: dict[str, set[str]] = {}
    for path in files:
        for name in (path, path.rpartition("/")[2]):
            by_name.setdefault(name, set()).add(path)
    seen = {path for path, text in files.items() if _CRON.search(path) or _AGAIN.search(text)}
    ticking = [line for line in commands if _CRON.search(line)]
    # A timer starts the service of its own name.
    left = [*ticking, *(f"{path.replace('.timer', '.service')}\n{files[path]}" for path in seen)]
    while left:
        named = {path for name in _WORDS.findall(left.pop()) for path in by_name.get(name, ())} - seen
        seen |= named
        left += [files[path] for path in named]
    return [*ticking, *(files[path] for path in seen)]
