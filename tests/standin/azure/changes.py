"""Which changes of a property are refused, for properties that may change one way and not another."""

from collections.abc import Callable
from typing import Any

from . import ids

Change = Callable[[Any, Any], bool]


def any_change(_old: Any, _new: Any) -> bool:
    """Every change is refused."""
    return True


def to_true(old: Any, new: Any) -> bool:
    """Only a change from false to true is refused."""
    return old is False and new is True


def from_true(old: Any, new: Any) -> bool:
    """Only a change from true, also to nothing, is refused."""
    return old is True and new is not True


def shrinks(old: Any, new: Any) -> bool:
    """Only a smaller number is refused."""
    return isinstance(old, int) and isinstance(new, int) and new < old


def another_network(old: Any, new: Any) -> bool:
    """Only a subnet of another virtual network is refused."""
    return isinstance(old, str) and isinstance(new, str) and _network(old) != _network(new)


def another(old: Any, new: Any) -> bool:
    """Only another thing is refused, not the same id in other letters."""
    return (ids.key(old) if isinstance(old, str) else old) != (ids.key(new) if isinstance(new, str) else new)


def another_location(old: Any, new: Any) -> bool:
    """Only another place is refused: `West US 2` is westus2."""
    return str(old).replace(" ", "").lower() != str(new).replace(" ", "").lower()


def another_redundancy(old: Any, new: Any) -> bool:
    """Only between the two performance tiers, and from or to zone redundancy, is refused."""
    names = (str(old), str(new))
    return names[0].partition("_")[0] != names[1].partition("_")[0] or any("ZRS" in name for name in names)


def _network(subnet: str) -> str:
    return ids.key(subnet).partition("/subnets/")[0]
