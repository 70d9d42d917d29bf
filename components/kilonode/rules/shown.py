"""How what somebody has written is shown to people: without secrets, and on one line."""

import re

HIDDEN = "[secret]"
"""What is shown of text that the engine keeps as a secret, or of a password in a URL."""

_FIGURE = re.compile(r"nothing|True|False|-?[0-9][0-9.,]*", re.IGNORECASE)
_PASSWORD = re.compile(r"(?<=://)[^/@\s]+(?=@)")
_QUOTED = re.compile(r"'[^']*'")


def one_line(text: str) -> str:
    """The text with what would end a line, or hide one, written out: names and values are anybody's."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


def shown(value: object, *, sealed: bool) -> str:
    """A value as people see it: a figure is no secret, and a URL is shown without its password."""
    text = "nothing" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    if sealed and not _FIGURE.fullmatch(text):
        return HIDDEN
    return _PASSWORD.sub(HIDDEN, text)


def unquoted(field: str) -> str:
    """A field without the values that are quoted in it."""
    return _QUOTED.sub(f"'{HIDDEN}'", field)


def tripped(fault: Exception) -> str:
    """What stands for the field where a claim fails; never the fault's text, which may hold what is secret."""
    return f"what this rule reads ({type(fault).__name__})"
