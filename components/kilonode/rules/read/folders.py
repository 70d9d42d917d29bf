"""What is done to a folder: by commands, by systemd for a unit's state, and by its tmpfiles."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from getopt import GetoptError, gnu_getopt
from pathlib import PurePosixPath

from kilonode.rules.read.modes import after
from kilonode.rules.read.starts import started
from kilonode.rules.read.text import words
from kilonode.rules.read.units import texts

OPTIONS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "chmod": ("cfvRHLP", ("changes", "silent", "quiet", "verbose", "recursive", "reference=", "preserve-root")),
    "chown": ("cfvhRHLP", ("changes", "silent", "quiet", "verbose", "recursive", "from=", "reference=", "no-dereference")),
    "install": ("bcCdDg:m:o:psS:t:TvZ", ("directory", "mode=", "owner=", "group=", "target-directory=", "verbose")),
    "mkdir": ("m:pvZ", ("mode=", "parents", "verbose", "context=")),
}  # fmt: skip
"""Short and long options (coreutils)."""

_TAKES_AWAY = re.compile(r"-[rwxXst]+")
_TMPFILES = re.compile(r"/tmpfiles\.d/.+\.conf$")  # noqa: S108 - systemd's, and nothing temporary
STATE = "/var/lib"
MADE = "0755"
"""What systemd makes folders with where nothing is said (systemd.exec, StateDirectoryMode=; tmpfiles.d)."""


@dataclass(frozen=True)
class Change:
    """A mode or an owner that a folder gets; ``bits`` are those of the mode, and ``usual`` is one that nobody has written.

    ``unknown`` is what nobody can tell of it.
    """

    mode: str | None = None
    bits: int | None = None
    owner: str | None = None
    usual: bool = False
    unknown: str | None = None


def changes(folder: str, files: Mapping[str, str], commands: Iterable[str]) -> Iterator[Change]:
    """All that is done to a folder itself, or to all that is under one above it."""
    yield from _of_units(folder, files)
    yield from _of_tmpfiles(folder, files)
    for line in commands:
        if any(program in line for program in OPTIONS):
            for program, arguments in started(words(line)):
                if program in OPTIONS:
                    yield from _of_command(folder, program, arguments)


def _of_command(folder: str, program: str, arguments: list[str]) -> Iterator[Change]:
    rest = [each for each in arguments if not (program == "chmod" and _TAKES_AWAY.fullmatch(each))]
    try:
        options, operands = gnu_getopt(rest, OPTIONS[program][0], list(OPTIONS[program][1]))
    except GetoptError:
        if any(_is(folder, each, under=False) for each in rest):
            yield Change(unknown=f"what {program} does to data-dir")
        return
    own = {name.lstrip("-")[:1]: value for name, value in options}
    like = any(name == "--reference" for name, _ in options)
    first = program in {"chmod", "chown"} and not like
    said, paths = (operands[0] if first and operands else ""), operands[1:] if first else operands
    deep = "R" in own or "r" in own
    if (program == "install" and "d" not in own) or not any(_is(folder, each, under=deep) for each in paths):
        return
    if like:
        yield Change(unknown=f"what {program} does to data-dir")
    elif program == "chmod":
        yield _mode(said, 0o700)
    elif program == "chown":
        yield _owner(said)
    else:
        yield (
            _mode(own["m"], 0o777 if program == "mkdir" else 0)
            if "m" in own
            else Change(MADE, int(MADE, 8), usual=True)
        )
        if "o" in own:
            yield _owner(own["o"])


def _is(folder: str, path: str, *, under: bool) -> bool:
    """Whether a path, perhaps with wildcards, is the folder, or one above it where all under it is meant."""
    if not path.startswith("/"):
        return False
    own = PurePosixPath(folder)
    return own.match(path) or (under and any(each.match(path) for each in own.parents))


def _mode(text: str, before: int) -> Change:
    bits = after(text, before)
    return Change(unknown="a mode of data-dir") if bits is None else Change(mode=text, bits=bits)


def _owner(text: str) -> Change:
    """The owner's name, none where only a group is given. Whose number it is nobody can tell, but for root's."""
    name = re.split("[:.]", text)[0]
    if "$" in text or (name.isdecimal() and int(name)):
        return Change(unknown="an owner of data-dir")
    return Change(owner="root" if name.isdecimal() else name or None)


def _of_units(folder: str, files: Mapping[str, str]) -> Iterator[Change]:
    """systemd makes a unit's state folders before it starts, and sets their mode each time."""
    for text in texts(files).values():
        names = [name for given in _values(text, "StateDirectory") for name in given.partition("#")[0].split()]
        if any(_is(folder, f"{STATE}/{name.partition(':')[0]}", under=False) for name in names):
            mode = [MADE, *_values(text, "StateDirectoryMode")][-1]
            yield _mode(mode, 0)


def _values(unit: str, key: str) -> list[str]:
    return re.findall(rf"^[ \t]*{key}[ \t]*=[ \t]*(\S.*?)[ \t]*$", unit, re.MULTILINE)


def _of_tmpfiles(folder: str, files: Mapping[str, str]) -> Iterator[Change]:
    for path, text in files.items():
        for line in text.splitlines() if _TMPFILES.search(path) else ():
            kind, where, mode, owner = [*words(line), "", "", "", ""][:4]
            makes = kind[:1] in set("dDvqQ")
            if not (makes or kind[:1] in set("zZe")) or not _is(folder, where, under=kind[:1] == "Z"):
                continue
            given = mode.lstrip("~:") if mode not in {"", "-"} else MADE if makes else ""
            if given:
                yield _mode(given, 0)
            if owner not in {"", "-"}:
                yield _owner(owner.lstrip(":"))
            elif makes:
                yield Change(owner="root")
