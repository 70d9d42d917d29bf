"""What a command line starts: the words in the place of a command, behind whatever only changes how it runs."""

import re
from collections.abc import Iterable, Iterator

from kilonode.rules.read import containers
from kilonode.rules.read.lines import LINE_END, commands
from kilonode.rules.read.settings import ENV_FILE
from kilonode.rules.read.text import words
from kilonode.rules.read.wrappers import ASSIGNED, SHELLS, called, unwrapped

RUNTIMES = frozenset({"docker", "podman", "nerdctl", "ctr", "rkt"})
NESTED_MAX = 4
"""Shells in shells; nobody writes three."""

_SUBSTITUTED = re.compile(r"\$\(([^()]+)\)|`([^`]+)`")
_SHELL_TEXT = re.compile(r"-[A-Za-z]*c[A-Za-z]*")
_EXPORTS_ALL = re.compile(r"allexport|-[A-Za-z]*a[A-Za-z]*")
_SOURCED = f"ETCD_{ENV_FILE.replace('-', '_').upper()}"
_TELLS = re.compile(r"ETCD_|\bset\b|\bsource\b|(?:^|\s)\.\s")
_RELEASES = frozenset({"/etc/os-release", "/usr/lib/os-release", "/etc/lsb-release"})
"""Files that tell a distribution, and have no variable of etcd."""

_SUBCOMMAND = re.compile(r"[a-z][a-z-]*")
_ASKS = frozenset({"version", "help", "h"})


def started(line: list[str], depth: int = 0) -> Iterator[tuple[str, list[str]]]:
    """Each program that the words of a line start, by its name, with the words behind it.

    Before those of etcd stand the variables it is given, as ``ETCD_NAME=one``.
    """
    before: list[str] = []
    for command in commands(line):
        rest, given = unwrapped(command)
        for word in command if depth < NESTED_MAX else ():
            for inner in _SUBSTITUTED.finditer(word):
                yield from started(words(inner[1] or inner[2], scripted=True), depth + 1)
        if not rest:
            continue
        program, after = called(rest[0]), rest[1:]
        if program == "export":
            before += _etcds(after)
            continue
        for name, arguments in _run(program, after, depth):
            yield name, [*before, *_etcds(given), *arguments] if name == "etcd" else arguments


def exported(lines: Iterable[str]) -> dict[str, str]:
    """Variables of etcd that a script exports to what it starts, and the file that it has others from.

    Of one that it sets twice nobody can tell the value.
    """
    values: dict[str, str] = {}
    names: set[str] = set()
    every = False
    for line in lines:
        for command in commands(words(line)) if _TELLS.search(line) else ():
            rest, given = unwrapped(command)
            given = _etcds(given)
            if rest[:1] in (["."], ["source"]) and rest[-1] not in _RELEASES:
                values[_SOURCED] = rest[-1]
            elif rest[:1] == ["set"]:
                every |= any(_EXPORTS_ALL.fullmatch(word) for word in rest)
            elif rest[:1] == ["export"]:
                given = [word for word in rest[1:] if word.startswith("ETCD_")]
                names |= {word.partition("=")[0] for word in given}
            for name, equals, value in (word.partition("=") for word in given if rest[:1] in ([], ["export"])):
                if equals:
                    values[name] = value if values.get(name, value) == value else f"${name}"
    return {name: value for name, value in values.items() if every or name in {*names, _SOURCED}}


def serves(arguments: list[str]) -> bool:
    """Whether a program of the cluster stays and serves: it is not asked for its version, nor is it to do something else.

    None of them takes a word that is no flag, but for ``etcd gateway`` and ``containerd config`` and their like.
    """
    own = [each for each in arguments if not ASSIGNED.match(each)]
    given = (each.lstrip("-").partition("=") for each in own if each.startswith("-"))
    asked = any(name in _ASKS and value != "false" for name, _, value in given)
    return not asked and not (own and _SUBCOMMAND.fullmatch(own[0]))


def reads_script(line: list[str]) -> bool:
    """Whether a shell of the line takes its script from what it is given to read."""
    return any(
        program in SHELLS and ("-s" in after or all(each.startswith("-") for each in after))
        for program, after in started(line)
    )


def _run(program: str, after: list[str], depth: int) -> Iterator[tuple[str, list[str]]]:
    """What a program starts: itself, or what it is told to."""
    place = next((at for at, each in enumerate(after[:-1]) if _SHELL_TEXT.fullmatch(each)), None)
    if depth >= NESTED_MAX:
        yield program, after
    elif program in SHELLS and place is not None:
        yield from _script(after[place + 1], depth + 1)
    elif program == "eval":
        yield from _script(" ".join(after), depth + 1)
    elif program in RUNTIMES:
        if container := containers.read(program, after):
            yield from _contained(container, depth)
    else:
        yield program, after


def _script(text: str, depth: int) -> Iterator[tuple[str, list[str]]]:
    lines = text.replace("\\\n", " ").splitlines()
    yield from started([word for line in lines for word in (*words(line, scripted=True), LINE_END)], depth)


def _contained(container: containers.Container, depth: int) -> Iterator[tuple[str, list[str]]]:
    """What a container starts: its entry point, the program that its image is named after, or its command."""
    given = [*(f"--{ENV_FILE}={path}" for path in container.env_files), *_etcds(container.environment)]
    command = container.command
    if container.entrypoint:
        command = [container.entrypoint, *command]
    elif not command or command[0].startswith(("-", "$")):
        command = [containers.program(container.image), *command]
    for name, arguments in started(command, depth + 1):
        yield name, [*given, *arguments] if name == "etcd" else arguments


def _etcds(assigned: list[str]) -> list[str]:
    """What of variables is etcd's; one without a value has that of the variable of its name."""
    return [each if "=" in each else f"{each}=${each}" for each in assigned if each.startswith("ETCD_")]
