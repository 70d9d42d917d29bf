"""How many neighbours a machine's kernel has to remember, by the region's ceiling.

One table per kernel and family holds every address the machine talks to on its own links. Network namespaces share it,
and its thresholds are settings of the first one alone.
"""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field, model_validator

from kilonode.limits import NODES
from kilonode.refusal import refuse
from kilonode.spec import Spec

KERNEL_DEFAULT = (128, 512, 1024)
"""gc_thresh1, 2, 3 as Linux has them (net/ipv4/arp.c, net/ipv6/ndisc.c)."""

Entries = Annotated[int, Field(ge=0, le=2**31 - 1)]


class NeighbourThresholds(Spec):
    """The three thresholds of a neighbour table, in entries; those for IPv4 and IPv6 are the same."""

    gc_thresh1: Entries
    """Below it nothing is collected; 0 lets every unused entry go."""

    gc_thresh2: Entries
    """Above it entries older than five seconds are collected at once."""

    gc_thresh3: Entries
    """The table holds no more: what is new is refused, and the kernel logs ``neighbor table overflow``."""

    @model_validator(mode="after")
    def _ordered(self) -> "NeighbourThresholds":
        if not self.gc_thresh1 <= self.gc_thresh2 < self.gc_thresh3:
            raise refuse(
                given=", ".join(map(str, self.values)),
                allowed="gcThresh1 <= gcThresh2 < gcThresh3",
                why="the collector starts at the first, hurries at the second, and at the third there is no room",
                fix="put them in order",
                rule="arp-thresholds-ordered",
            )
        return self

    @property
    def values(self) -> tuple[int, int, int]:
        """The three in order."""
        return self.gc_thresh1, self.gc_thresh2, self.gc_thresh3


@dataclass(frozen=True)
class NeighbourTable:
    """What a range of ceilings gets; ``nodes`` is the largest ceiling the step serves."""

    nodes: int
    thresholds: NeighbourThresholds
    source: str


TABLES = (
    NeighbourTable(
        250,
        NeighbourThresholds(gc_thresh1=4_096, gc_thresh2=8_192, gc_thresh3=16_384),
        "AKS's default; kubernetes/kops#4533: 60 nodes with 3,000 pods overflow the kernel's",
    ),
    NeighbourTable(
        1_000,
        NeighbourThresholds(gc_thresh1=8_192, gc_thresh2=32_768, gc_thresh3=65_536),
        "OpenShift's tuned profile, v4 and v6; testground/infra#14: 32,768 were too few at 34,000",
    ),
    NeighbourTable(
        NODES.value,
        NeighbourThresholds(gc_thresh1=80_000, gc_thresh2=90_000, gc_thresh3=100_000),
        "2018 post, 2,500 nodes; the most that AKS's API takes",
    ),
)
"""Small regions get less: below gc_thresh1 the address of a machine that is gone is remembered for ever."""


def table_for(ceiling: int) -> NeighbourTable:
    """The smallest step that serves ``ceiling`` nodes."""
    return next(table for table in TABLES if ceiling <= table.nodes)
