"""How many nodes a region may become, by its pools."""

from collections.abc import Iterable, Sequence

from kilonode.rules.facts.pools import NodePool
from kilonode.rules.facts.region import Bounds
from kilonode.rules.shown import called
from kilonode.rules.unknown import Fact, Unknown


def total(pools: Sequence[NodePool]) -> Fact[int]:
    """The most nodes of a stack; Bounds where other pools may be of nodes or not, Unknown where nodes are in another stack."""
    surely = [each for each in pools if each.of_nodes]
    maybe = [each for each in pools if not each.of_nodes and not each.controls]
    if not surely:
        return Unknown("the number of nodes (no pool in this stack says that it is of nodes)")
    least = _sum(surely)
    if isinstance(least, Unknown) or not maybe:
        return least
    return Bounds(
        f"the number of nodes (is {called(maybe[0].resource)} a pool of nodes?)", least, _sum([*surely, *maybe])
    )


def shared(nodes: Fact[int]) -> Fact[int]:
    """What one of several clusters has of them: nobody can tell which pool is whose."""
    if isinstance(nodes, Unknown) and not isinstance(nodes, Bounds):
        return nodes
    most = nodes.most if isinstance(nodes, Bounds) else nodes
    return Bounds("the number of its nodes (several clusters are in this stack)", 0, most)


def _sum(pools: Iterable[NodePool]) -> Fact[int]:
    found = 0
    for pool in pools:
        if isinstance(pool.largest, Unknown):
            return pool.largest
        found += pool.largest
    return found
