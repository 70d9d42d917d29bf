"""How many machines a control plane has, by how large its region may become: etcd's members and API servers alike."""

from collections.abc import Iterator

from kilonode.rules.rule import Fault, Parameter
from kilonode.rules.unknown import Fact, Unknown, known

ENOUGH, FOR_MANY = 3, 5
"""One may fail, or one more during a repair (2021 post: five of each for thousands of nodes)."""

MANY = Parameter(500, "nodes from which on a region is large", "less")
SIZED_FOR = Parameter(
    0, "nodes to size for, where the stack's pools may become fewer, or are elsewhere", "more", least=0
)


def sized_for(own: Fact[int], nodes: int) -> int:
    """How many nodes a region is judged by: what it may become by itself, or ``nodes`` where those are more, or it says nothing."""
    return nodes if nodes and isinstance(own, Unknown) else max(nodes, known(own))


def enough(field: str, count: int, own: Fact[int], many: int, nodes: int) -> Iterator[Fault]:
    """The fault of too few machines in a region that may become its ``own``, or ``nodes``."""
    if count < ENOUGH:
        yield Fault(field, count, f"{ENOUGH} or more")
    elif count < FOR_MANY and (total := sized_for(own, nodes)) > many:
        yield Fault(field, count, f"{FOR_MANY} or more above {many} nodes; {total} are possible here")
