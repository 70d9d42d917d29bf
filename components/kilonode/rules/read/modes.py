"""Modes of files as chmod is told them: octal, or clauses such as ``u=rwx,go=``."""

import re

_OCTAL = re.compile(r"[=+]?0*(?P<bits>[0-7]{1,4})", re.ASCII)
_CLAUSE = re.compile(r"(?P<who>[ugoa]*)(?P<actions>(?:[-+=](?:[rwxXst]*|[ugo]))+)")
_ACTION = re.compile(r"([-+=])([rwxXstugo]*)")
_BITS = {"r": 0o4, "w": 0o2, "x": 0o1, "X": 0o1}
_SHIFTS = {"u": 6, "g": 3, "o": 0}
_UMASK = 0o022
"""What is usual; chmod asks it where a clause names nobody."""


def after(mode: str, before: int) -> int | None:
    """The bits of a folder that had those of ``before``; None where ``mode`` is none."""
    if octal := _OCTAL.fullmatch(mode):
        return int(octal["bits"], 8) & 0o777
    clauses = [_CLAUSE.fullmatch(each) for each in mode.split(",")]
    bits = before
    for clause in clauses:
        if clause is None:
            return None
        for sign, given in _ACTION.findall(clause["actions"]):
            bits = _acted(bits, clause["who"], sign, given)
    return bits


def _acted(bits: int, who: str, sign: str, given: str) -> int:
    whose = "ugo" if not who or "a" in who else who
    own = bits >> _SHIFTS[given] & 0o7 if given in _SHIFTS else sum({_BITS.get(each, 0) for each in given})
    changed = sum(own << _SHIFTS[each] for each in set(whose))
    changed &= 0o777 if who else ~_UMASK
    if sign == "-":
        return bits & ~changed
    kept = bits if sign == "+" else bits & ~sum(0o7 << _SHIFTS[each] for each in set(whose))
    return kept | changed
