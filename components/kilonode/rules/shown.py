"""How what somebody has written is shown to people: without secrets, and on one line."""

import re
from collections.abc import Collection

HIDDEN = "[secret]"
"""What is shown of text that the engine keeps as a secret, or of a password in a URL."""

_FIGURE = re.compile(r"nothing|True|False|-?[0-9][0-9.,]*", re.IGNORECASE)
_PASSWORD = re.compile(r"(?<=://)[^/@\s]+(?=@)")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.\[\]-]*(?:'s|,)?", re.ASCII)
_WORDS = """
a add addresses alone an and apart are as by chart clusters condition config config-dir configuration data data-dir decides each extension
file flags for group has holds ignoreChanges in include includes is it its KiB leave leaves listens machine makes mapping may mode more network
no nodes not nothing number of on one or own owner part parts patch path plugin pools range said settings some stack subnet template than
that the their this to told user what where which YAML
"""
_OWN = frozenset(_WORDS.split())
"""Words of fields, beside which stands what user data says."""

LONGEST = 200
"""Characters of a value or a field that a message has: the name of an image with its digest is whole, and user data is not."""

_SHORT = 4
"""Characters; a shorter secret is found as a whole word alone, or it would be in every text."""


def called(urn: str) -> str:
    """What its program calls a resource; other names of it may be secrets."""
    return urn.rpartition("::")[2]


def hideable(secret: str) -> str:
    """A secret as :func:`holds` looks for it; empty where it is no text but a figure, which is none."""
    text = secret.strip()
    return "" if _FIGURE.fullmatch(text) else text.lower()


def holds(text: str, secrets: Collection[str]) -> bool:
    """Whether any of the secrets stands in a text."""
    own = text.lower()
    words = own.split()
    return any(each in (own if len(each) >= _SHORT else words) for each in secrets)


def one_line(text: str) -> str:
    """The text with what would end a line, or hide one, written out: names and values are anybody's."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


def brief(text: str) -> str:
    """The text cut where it is long: what is read by people alone, as identities and data for programs keep all of it."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text)} characters)"


def shown(value: object, *, sealed: bool) -> str:
    """A value as people see it: a figure is no secret, and a URL is shown without its password."""
    text = "nothing" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    if sealed and not _FIGURE.fullmatch(text):
        return HIDDEN
    return _PASSWORD.sub(HIDDEN, text)


def field(text: str, *, sealed: bool) -> str:
    """What is not known, as people see it.

    Of what holds secrets that is its first word, which is a setting's name or a rule's own, and of the others those that are surely ours.
    """
    if not sealed:
        return _PASSWORD.sub(HIDDEN, text)
    first, *others = text.split(" ")
    said = [first if _NAME.fullmatch(first) else HIDDEN]
    for word in others:
        told = word if word.strip("(),") in _OWN else HIDDEN
        # However many words a secret has, it is hidden once.
        said += [told] if told != HIDDEN or said[-1] != HIDDEN else []
    return " ".join(said)


def tripped(fault: Exception) -> str:
    """What stands for the field where a claim fails; never the fault's text, which may hold what is secret."""
    return f"what this rule reads ({type(fault).__name__})"
