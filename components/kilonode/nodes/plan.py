"""The plan of a machine pool: the name, zone and addresses of each node."""

from dataclasses import dataclass
from ipaddress import IPv4Address

from kilonode.nodes.spec import MachinePoolSpec

NUMBER = r"\d{5}"
"""The end of a node's name, as a pattern."""


def node_name(region: str, pool: str, index: int) -> str:
    """The name of node ``index``, from 0."""
    return f"{region}-{pool}-{index:05d}"


@dataclass(frozen=True)
class PlannedNode:
    """Who a node is; its pods have the addresses ``first_pod`` to ``last_pod``, which follow its own."""

    name: str
    zone: str
    address: IPv4Address
    first_pod: IPv4Address
    last_pod: IPv4Address


@dataclass(frozen=True)
class MachinePoolPlan:
    """A pool and its nodes, in order; there are none where the cloud gives nodes their names and addresses."""

    spec: MachinePoolSpec
    nodes: tuple[PlannedNode, ...]


def planned_nodes(region: str, pool: MachinePoolSpec, zones: tuple[str, ...]) -> tuple[PlannedNode, ...]:
    """The nodes of ``pool``, numbered from 0 and dealt to ``zones`` in turn; growth moves none of them."""
    addresses = pool.addresses
    return tuple(
        PlannedNode(
            node_name(region, pool.name, index),
            zones[index % len(zones)],
            addresses.node(index),
            *addresses.pods(index),
        )
        for index in range(pool.nodes)
    )


def plan_pool(region: str, pool: MachinePoolSpec, zones: tuple[str, ...], *, planned: bool = True) -> MachinePoolPlan:
    """Plan ``pool`` of ``region``; ``planned`` says whether its nodes are."""
    return MachinePoolPlan(pool, planned_nodes(region, pool, zones) if planned else ())
