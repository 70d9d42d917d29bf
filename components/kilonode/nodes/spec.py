"""Node pools as a person writes them; nodes of one pool differ only by name."""

from typing import Annotated, Literal

from pydantic import Field

from kilonode.limits import NODES
from kilonode.names import PoolName
from kilonode.network.pool import PoolAddresses
from kilonode.network.spec import Range
from kilonode.spec import Spec

SIMULATORS_MAX = 16
PODS_MAX = 250  # kubelet's own documentation tests no more per node


class SimulatedPoolSpec(Spec):
    """Nodes played by kwok on one machine of the local cloud: real API traffic, no kubelet."""

    name: PoolName
    """Part of its nodes' names."""

    kind: Literal["simulated"]
    """Who plays the nodes."""

    nodes: Annotated[int, Field(ge=0, le=NODES.value)] = 100
    """How many nodes there are; all pools together stay under the region's ceiling."""

    pods_per_node: Annotated[int, Field(ge=1, le=PODS_MAX)] = 30
    """Pods a node takes; jobs on big clusters run one pod per node (2021 post), and kubelet is tested to 250."""

    simulator: Annotated[int, Field(ge=0, le=SIMULATORS_MAX - 1)] = 0
    """Fixed place of the machine that plays this pool: a number that no other simulated pool has."""

    range: Range
    """Addresses of the pool's nodes and pods: nodes × (podsPerNode + 1) and five reserved must fit."""

    @property
    def addresses(self) -> PoolAddresses:
        """The planned addresses of this pool."""
        return PoolAddresses(self.range, self.pods_per_node)


NodePoolSpec = SimulatedPoolSpec
