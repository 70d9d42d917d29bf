"""Facts about how large a region is."""

from dataclasses import dataclass

from kilonode.rules.unknown import Fact, Unknown


@dataclass(frozen=True)
class Bounds(Unknown):
    """A number of nodes that is not known, and the numbers that it lies between."""

    least: int
    most: Fact[int]
