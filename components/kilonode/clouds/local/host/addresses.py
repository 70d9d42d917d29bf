"""Reading addresses that people wrote."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from kilonode.clouds.local.host.refusal import refused

_T = TypeVar("_T")


def parsed(field: str, kind: Callable[[str], _T], value: str) -> _T:
    """Return `value` as one of ipaddress's IPv4 types; raises RefusedError naming `field`."""
    try:
        return kind(value)
    except ValueError as wrong:
        raise refused(
            field,
            given=value,
            allowed="IPv4, as 10.64.0.0/14 for a range and 10.64.0.1/14 for an address with its prefix",
            why=str(wrong),
            fix="write it in that form",
        ) from wrong
