"""Refusing one value, in the words the whole library uses."""

from __future__ import annotations

from kilonode.refusal import Refusal as _Refusal
from kilonode.refusal import RefusedError


def refused(field: str, *, given: object, allowed: str, why: str, fix: str) -> RefusedError:
    """Return the error to raise for one bad value."""
    return RefusedError([_Refusal(field, str(given), allowed, why, fix)])
