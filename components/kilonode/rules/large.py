"""How many machines a control plane has, by how large its region may become: etcd's members and API servers alike."""

from collections.abc import Callable, Iterable, Iterator

from kilonode.rules.facts.region import Bounds
from kilonode.rules.parameter import Parameter
from kilonode.rules.rule import Fault
from kilonode.rules.unknown import Fact, UndecidedError, Unknown, known

ENOUGH, FOR_MANY = 3, 5
"""One may fail, or one more during a repair (2021 post: five of each for thousands of nodes)."""

MANY = Parameter(500, "nodes above which a region is large", "less")
SIZED_FOR = Parameter(
    0, "nodes to size for, where the stack's pools may become fewer, or are elsewhere", "more", least=0
)


def sized_for(own: Fact[int], nodes: int) -> int:
    """How many nodes a region is judged by: what it may become by itself, or ``nodes`` where those are more, or it says nothing."""
    return nodes if nodes and isinstance(own, Unknown) else max(nodes, known(own))


def sized(own: Fact[int], nodes: int, faults: Callable[[int], Iterable[Fault]]) -> Iterator[Fault]:
    """The faults of a region by how many nodes it may become, of which more never make fewer; ``nodes`` as in :func:`sized_for`.

    Between bounds it has those that it has at the least; where it has none and would at the most, nobody can tell.
    """
    if not isinstance(own, Bounds):
        yield from faults(sized_for(own, nodes))
        return
    found = tuple(faults(max(nodes, own.least)))
    if not found and not nodes and any(faults(known(own.most))):
        raise UndecidedError(own.field)
    yield from found


def enough(field: str, count: int, own: Fact[int], many: int, nodes: int) -> Iterator[Fault]:
    """The fault of too few machines in a region that may become its ``own``, or ``nodes``."""
    if count < ENOUGH:
        yield Fault(field, count, f"{ENOUGH} or more")
    elif count < FOR_MANY:

        def too_few(total: int) -> Iterator[Fault]:
            if total > many:
                yield Fault(field, count, f"{FOR_MANY} or more above {many} nodes; {total} are possible here")

        yield from sized(own, nodes, too_few)
