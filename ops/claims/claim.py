"""A claim about a running region: it returns its evidence, or raises with what it saw instead."""

from collections.abc import Callable
from dataclasses import dataclass

from ops.ready import Region


class BrokenClaimError(AssertionError):
    """A region does not hold what it promises."""


@dataclass(frozen=True)
class Claim:
    """A sentence, and the function that finds its evidence."""

    sentence: str
    find: Callable[[Region], str]


def must(holds: bool, seen: object) -> None:  # noqa: FBT001 - reads as a sentence: must(a == b, seen)
    """Raise :class:`BrokenClaimError` with ``seen`` unless it ``holds``."""
    if not holds:
        raise BrokenClaimError(str(seen))
