"""What stands before a command and only changes how it runs."""

import re
from collections.abc import Mapping

KEYWORDS = frozenset({"if", "then", "elif", "else", "while", "until", "do", "!", "time"})
SHELLS = frozenset({"sh", "bash", "dash", "ash", "zsh", "su", "runuser"})
WRAPPERS: Mapping[str, tuple[frozenset[str], int]] = {
    name: (frozenset(valued.split()), operands)
    for name, valued, operands in (
        ("env", "-u -C", 0),
        ("sudo", "-u -g --user --group", 0),
        ("exec", "-a", 0),
        ("nohup", "", 0),
        ("setsid", "", 0),
        ("command", "", 0),
        ("builtin", "", 0),
        ("nice", "-n", 0),
        ("ionice", "-c -n", 0),
        ("chrt", "", 1),
        ("stdbuf", "-i -o -e", 0),
        ("systemd-run", "-p -u -E --unit --property --slice --uid --setenv", 0),
        ("systemd-cat", "-t -p", 0),
        ("systemd-inhibit", "", 0),
        ("dumb-init", "", 0),
        ("tini", "", 0),
        ("hyperkube", "", 0),
        ("runuser", "-u -g", 0),
        ("strace", "-o -e -p", 0),
        ("nsenter", "-t", 0),
        ("unshare", "", 0),
        ("numactl", "-N -m -C -i", 0),
        ("timeout", "-k -s", 1),
        ("flock", "-w -E", 1),
        ("chroot", "", 1),
        ("taskset", "", 1),
        ("gosu", "", 1),
        ("su-exec", "", 1),
        ("cloud-init-per", "", 2),
    )
}
"""Programs that start the command behind them: which options have a value of their own, and how many words come first."""

ASSIGNED = re.compile(r"(?P<name>[A-Za-z_]\w*)=")


def unwrapped(command: list[str]) -> tuple[list[str], list[str]]:
    """A command without what stands before it, and the variables among that."""
    given: list[str] = []
    valued: frozenset[str] | None = None
    place = operands = 0
    if command[:1] == ["case"]:
        place = next((at for at, word in enumerate(command) if word.endswith(")")), len(command))
    while place < len(command):
        word = command[place]
        if valued is not None and word.startswith("-"):
            place += 1 + (word in valued)
        elif operands:
            place, operands = place + 1, operands - 1
        elif ASSIGNED.match(word):
            given.append(word)
            place += 1
        elif word in KEYWORDS or _labels(word):
            place += 1
        elif (found := WRAPPERS.get(called(word))) and not (called(word) in SHELLS and "-c" in command):
            if called(word) == "command" and {"-v", "-V"} & {*command[place + 1 : place + 2]}:
                return [], given
            valued, operands = found
            place += 1
        else:
            break
    return command[place:], given


def _labels(word: str) -> bool:
    """Whether a word is a pattern of ``case`` or names a function: what follows is a command."""
    return word.endswith(("()", "(){")) or (word.endswith(")") and "(" not in word)


def called(word: str) -> str:
    """A program's name, wherever it lies."""
    return word.rpartition("/")[2]
