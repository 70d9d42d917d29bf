"""Kernel settings a person gives a pool's nodes: above the library's floors, or keys it says nothing of."""

import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from kilonode.boot.neighbours import NeighbourThresholds
from kilonode.boot.sysctl import Sysctl
from kilonode.refusal import Refusal, RefusedError, refuse

OWN_MAX = 32
"""Rows of one pool; they are part of boot data."""

_KEY = re.compile(r"[a-z0-9_]+(\.[A-Za-z0-9_-]+)+", re.ASCII)
_VALUE = re.compile(r"-?\d{1,19}( -?\d{1,19}){0,7}", re.ASCII)
NEIGHBOUR_TABLES = tuple(f"net.{family}.neigh.default.gc_thresh" for family in ("ipv4", "ipv6"))
_OWNERS = "it is the pool's own decision"


def _own(value: dict[str, Any]) -> dict[str, str]:
    for key, numbers in value.items():
        if not _KEY.fullmatch(key):
            raise refuse(
                field=key,
                given=key,
                allowed="a name with dots, such as net.core.somaxconn",
                why="the kernel has no other settings",
                fix="write it as `sysctl -a` does",
            )
        if not _VALUE.fullmatch(str(numbers)):
            raise refuse(
                field=key,
                given=numbers,
                allowed="a whole number, or up to eight with one space between them, as text",
                why="floors compare numbers, and the kernel takes anything else in ways of its own",
                fix="write '4096 131072 16777216' or 32768",
            )
    return {key: str(numbers) for key, numbers in value.items()}


OwnSysctls = Annotated[
    dict[str, Annotated[int, Field(strict=True)] | Annotated[str, Field(strict=True)]], AfterValidator(_own)
]


def with_own(rows: Iterable[Sysctl], own: Mapping[str, str | int], at: str) -> tuple[Sysctl, ...]:
    """``rows`` with those of ``own`` in their places and behind them; ``at`` is where ``own`` stands in its file.

    Raises:
        RefusedError: when a floor would be lowered, an exact value changed, or a neighbour threshold not be below the next.
    """
    rows = tuple(rows)
    wrong = [found for row in rows if row.key in own and (found := _refused(row, str(own[row.key]), at))]
    if wrong:
        raise RefusedError(wrong)
    merged = [
        Sysctl(row.key, str(own[row.key]), _OWNERS, "stack file", row.scope, row.rule) if row.key in own else row
        for row in rows
    ]
    known = {row.key for row in rows}
    merged += [_new(key, str(numbers)) for key, numbers in own.items() if key not in known]
    _ordered(merged, at)
    return tuple(merged)


def _new(key: str, numbers: str) -> Sysctl:
    scope = "network namespace" if key.startswith("net.") else "kernel"
    return Sysctl(key, numbers, _OWNERS, "stack file", scope, "exact")  # type: ignore[arg-type]


def _refused(row: Sysctl, numbers: str, at: str) -> Refusal | None:
    given, least = ([int(number) for number in text.split()] for text in (numbers, str(row.value)))
    if row.rule == "exact" and given != least:
        return Refusal(f"{at}.{row.key}", numbers, str(row.value), f"{row.why} ({row.source})", "remove it")
    if len(given) != len(least) or any(one < floor for one, floor in zip(given, least, strict=True)):
        return Refusal(
            f"{at}.{row.key}",
            numbers,
            f"{row.value} or more" if len(least) == 1 else f"{len(least)} numbers, each at least that of {row.value}",
            f"{row.why} ({row.source})",
            "raise it, or remove it",
        )
    return None


def _ordered(rows: Iterable[Sysctl], at: str) -> None:
    """The rule ``arp-thresholds-ordered`` asks the same model."""
    values = {row.key: row.value for row in rows}
    for table in NEIGHBOUR_TABLES:
        own = {f"gc_thresh{step}": int(values[f"{table}{step}"]) for step in (1, 2, 3)}
        NeighbourThresholds.read(own, f"{at}.{table}1, 2, 3")
