"""What a command line starts: the words in the place of a command, behind whatever only changes how it runs."""

from collections.abc import Iterator, Mapping

from kilonode.rules.read.text import words

OPERATORS = frozenset({"&&", "||", ";", "|", "&", ";;", "(", ")", "{", "}"})
KEYWORDS = frozenset({"if", "then", "elif", "else", "while", "until", "do", "!", "time"})
SHELLS = frozenset({"sh", "bash", "dash", "ash", "zsh"})
RUNTIMES = frozenset({"docker", "podman", "nerdctl", "ctr", "rkt"})
WRAPPERS: Mapping[str, frozenset[str]] = {
    name: frozenset(valued.split())
    for name, valued in {
        "env": "-u -C",
        "sudo": "-u -g",
        "exec": "-a",
        "nohup": "",
        "setsid": "",
        "command": "",
        "nice": "-n",
        "ionice": "-c -n",
        "chrt": "-p",
        "stdbuf": "-i -o -e",
        "systemd-run": "-p -u",
        "systemd-cat": "-t -p",
        "dumb-init": "",
        "tini": "",
    }.items()
}
"""Programs that start the command behind them, and which of their options have a value of its own."""

NESTED_MAX = 4
"""Shells in shells; nobody writes three."""


def started(line: list[str], depth: int = 0) -> Iterator[tuple[str, list[str]]]:
    """Each program that the words of a line start, by its name, with the words behind it."""
    for command in _commands(line):
        rest = _unwrapped(command)
        if not rest:
            continue
        program, after = _name(rest[0]), rest[1:]
        if program in SHELLS and "-c" in after[:-1] and depth < NESTED_MAX:
            yield from started(words(after[after.index("-c") + 1]), depth + 1)
        elif program in RUNTIMES:
            yield from _in_a_container(after[after.index("run") + 1 :] if "run" in after else [])
        else:
            yield program, after


def _commands(line: list[str]) -> Iterator[list[str]]:
    """The commands of a line, at the operators between them."""
    command: list[str] = []
    for word in line:
        if word in OPERATORS:
            yield command
            command = []
            continue
        command.append(word.rstrip(";"))
        if word.endswith(";"):
            yield command
            command = []
    yield command


def _unwrapped(command: list[str]) -> list[str]:
    rest = list(command)
    valued: frozenset[str] | None = None
    while rest:
        word = rest[0]
        if valued is not None and word.startswith("-"):
            rest = rest[2:] if word in valued else rest[1:]
        elif word in KEYWORDS or ("=" in word and word.partition("=")[0].isidentifier()):
            rest = rest[1:]
        elif (found := WRAPPERS.get(_name(word))) is not None:
            valued, rest = found, rest[1:]
        else:
            break
    return rest


def _in_a_container(after: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Of a container the words that may be its image or its command, each with what follows; whoever knows programs picks."""
    for position, word in enumerate(after):
        rest = after[position + 1 :]
        if not word.startswith("-") and (not rest or rest[0].startswith("--")):
            yield _name(word).partition("@")[0].partition(":")[0], rest


def _name(word: str) -> str:
    return word.rpartition("/")[2]
