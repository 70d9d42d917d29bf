"""What cannot be known yet, as a value of its own: a rule that reads it is undecided, and never passes by it."""

from dataclasses import dataclass
from typing import TypeAlias, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Unknown:
    """A value that only a deployment will tell, or that is sealed; ``field`` is the property it would stand in."""

    field: str


class UndecidedError(Exception):
    """A rule has read an unknown value."""

    def __init__(self, field: str) -> None:
        self.field = field
        super().__init__(f"{field} is not known yet")


Fact: TypeAlias = T | Unknown
"""A value of a fact: known, or explicitly not. None means known to be absent."""


def known(value: T | Unknown) -> T:
    """The value itself.

    Raises:
        UndecidedError: when it is unknown.
    """
    if isinstance(value, Unknown):
        raise UndecidedError(value.field)
    return value
