"""A claim about a running region: it returns its evidence, or raises with what it saw instead."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from ops.ready import Region

PATIENCE = 300.0  # seconds for what comes in its own time
PAUSE = 0.3


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


def until(ready: Callable[[], bool], what: str, why: Callable[[], str] = str) -> None:
    """Wait for a condition.

    Raises:
        BrokenClaimError: when it has not come true in :data:`PATIENCE`; ``why`` says more.
    """
    end = time.monotonic() + PATIENCE
    while True:
        try:
            if ready():
                return
        except BrokenClaimError:
            if time.monotonic() > end:
                raise
        if time.monotonic() > end:
            raise BrokenClaimError(f"{what}: not there after {PATIENCE:.0f} s {why()}")
        time.sleep(PAUSE)
