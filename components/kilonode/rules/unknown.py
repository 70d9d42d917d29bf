"""What cannot be known yet, as a value of its own: a rule that reads it is undecided, and never passes by it."""

from collections.abc import Collection, Iterable, Iterator, Mapping
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


def first_unknown(values: Iterable[object]) -> Unknown | None:
    """The first of the values that is unknown; None where all are known."""
    return next((each for each in values if isinstance(each, Unknown)), None)


def any_of(values: Iterable[Fact[bool]]) -> Fact[bool]:
    """Whether one is so; Unknown where none is, and one may be."""
    found = list(values)
    return True in found or first_unknown(found) or False


class Partial(Mapping[str, str]):
    """Settings of which only some are known; ``dict(...)`` of it has those.

    ``field`` is where the others stand, and ``among`` which others there may be: any, where it is None.
    """

    def __init__(self, given: Mapping[str, str], field: str, among: Collection[str] | None = None) -> None:
        self._given, self._field, self._among = dict(given), field, among

    def __getitem__(self, key: str) -> str:
        """The setting.

        Raises:
            KeyError: when it is known to be absent.
            UndecidedError: when it may stand where nobody can look.
        """
        if key not in self._given and (self._among is None or key in self._among):
            raise UndecidedError(self._field)
        return self._given[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)
