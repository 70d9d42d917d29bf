"""The approver's tuned numbers, which its unit gives it: the library has them as rows, with reasons."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What the approver holds requests to."""

    registration: int
    """Seconds from joining within which a machine registers its Node."""

    silence: int
    """Seconds without a sign of life of a Node after which a machine may come in its place."""

    user: int
    """Requests of one user that are considered."""

    pool: int
    """Requests that are considered of those made with one credential that is for many machines."""

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> "Limits":
        """Read them from the variables the unit sets."""
        names = ("REGISTRATION_SECONDS", "SILENCE_SECONDS", "OPEN_PER_USER", "OPEN_PER_POOL")
        return cls(*(int(environment[name]) for name in names))
