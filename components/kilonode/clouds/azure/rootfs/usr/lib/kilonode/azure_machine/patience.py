"""Asking again, with pauses that grow and are scattered: thousands of machines of a region may start at once."""

import random
import sys
import time
from collections.abc import Callable
from typing import TypeVar

FIRST = 1.0  # seconds; Azure's guidance for managed identities: wait at least one before asking again
LONGEST = 30.0
REPAIR = 60.0  # seconds between looks at what will not be right before somebody has repaired it
SAY_AGAIN = 600.0  # seconds after which a reason that has not changed is said once more

Result = TypeVar("Result")


class NotYetError(Exception):
    """What was asked may be there later; ``pause`` is the least number of seconds until then."""

    def __init__(self, reason: str, pause: float = 0) -> None:
        super().__init__(reason)
        self.pause = pause


def say(text: str) -> None:
    """One line for the journal."""
    print(text, file=sys.stderr, flush=True)


def insist(attempt: Callable[[], Result], seconds: float = float("inf")) -> Result:
    """Return what ``attempt`` does, asked again while it raises NotYetError or OSError.

    Raises:
        NotYetError: its last reason, when there is no time for another try within ``seconds``.
    """
    begin, pause = time.monotonic(), FIRST
    said, said_at = "", 0.0
    while True:
        try:
            return attempt()
        except (NotYetError, OSError) as error:
            reason, asked = str(error) or repr(error), getattr(error, "pause", 0)
        wait = max(asked, pause) * random.uniform(1, 1.5)  # noqa: S311 - scattered, not secret
        now = time.monotonic()
        if now + wait - begin > seconds:
            raise NotYetError(reason)
        if reason != said or now - said_at > SAY_AGAIN:
            say(f"waiting: {reason}")
            said, said_at = reason, now
        time.sleep(wait)
        pause = min(2 * pause, LONGEST)


def pause_of(value: str | None) -> float:
    """Seconds that a Retry-After header asks for; its other form, a date, is not used by these services."""
    return float(value) if value and value.isdigit() else 0
