"""Words of a shell and variables of an environment file."""

import re
import shlex

LINE_MAX = 16_384
"""Characters of a line that is taken for words of a shell; longer ones are split at spaces."""

_QUOTED = r"""'[^']*'|"(?:\\.|[^"\\])*"|\\."""
_VALUE = r"""(?<!\S)(?:-|\w+=)[^\s'"\\]*"""
_OPERATOR = r"(?P<operator>;;|;|&&|\|\||\||(?<![<>&])&(?![&>]))|(?<=[A-Za-z])(?P<written>>)"
_APART = re.compile(f"{_QUOTED}|{_VALUE}|{_OPERATOR}", re.DOTALL)
"""Operators, and what is written to a file, that nobody has quoted; in a flag or a variable they belong to its value, as units have them."""

_APART_IN_A_SHELL = re.compile(f"{_QUOTED}|{_OPERATOR}", re.DOTALL)
"""Likewise, wherever they stand."""

_VARIABLE = re.compile(r"^\s*(?:export\s+)?(?P<name>[A-Za-z_]\w*)=(?P<value>.*)$")


def words(line: str, *, scripted: bool = False) -> list[str]:
    """The words of a command line, operators as words of their own; as they stand where quotes do not match.

    ``scripted`` is whether it is surely a shell's, and no unit's.
    """
    if line.lstrip().startswith("#"):
        return []
    return _words((_APART_IN_A_SHELL if scripted else _APART).sub(_apart, line))


def _apart(found: re.Match[str]) -> str:
    return f" {found[0]} " if found["operator"] or found["written"] else found[0]


def _words(line: str) -> list[str]:
    if len(line) > LINE_MAX:
        return line.split()
    try:
        return shlex.split(line)
    except ValueError:
        # What is quoted over several lines ends with a quote.
        return [word.rstrip("'\"") or word for word in line.split()]


def variables(text: str) -> dict[str, str]:
    """Variables that an environment file sets."""
    found: dict[str, str] = {}
    for line in text.replace("\\\n", " ").splitlines():
        if match := _VARIABLE.match(line):
            found[match["name"]] = " ".join(_words(match["value"]))
    return found
