"""The addresses of a node pool: each node owns a slice of pods + 1 consecutive addresses."""

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network

from kilonode.limits import RESERVED_AT_START, RESERVED_PER_SUBNET


@dataclass(frozen=True)
class PoolAddresses:
    """The planned addresses of one pool: node ``i`` and its pods follow node ``i - 1`` and its pods."""

    range: IPv4Network
    pods_per_node: int

    @property
    def per_node(self) -> int:
        """Addresses a node takes: its own and one for each pod."""
        return self.pods_per_node + 1

    @property
    def capacity(self) -> int:
        """Nodes that fit the range."""
        return max(0, self.range.num_addresses - RESERVED_PER_SUBNET.value) // self.per_node

    def node(self, index: int) -> IPv4Address:
        """The node's own address."""
        self._check(index)
        return self.range[RESERVED_AT_START.value + index * self.per_node]

    def pods(self, index: int) -> tuple[IPv4Address, IPv4Address]:
        """First and last address for the pods of node ``index``."""
        own = self.node(index)
        return own + 1, own + self.pods_per_node

    def _check(self, index: int) -> None:
        if not 0 <= index < self.capacity:
            raise ValueError(f"node {index} is outside {self.range}, which holds {self.capacity} nodes")


def prefix_for(nodes: int, pods_per_node: int) -> int:
    """The longest prefix whose range holds ``nodes`` with their pods."""
    return prefix_of(needed((nodes, pods_per_node + 1)))


def needed(*pools: tuple[int, int]) -> int:
    """Addresses of a subnet for pools of so many nodes with so many addresses each, the cloud's own among them."""
    return sum(nodes * each for nodes, each in pools) + RESERVED_PER_SUBNET.value


def prefix_of(addresses: int) -> int:
    """The longest prefix whose range has so many addresses."""
    return 32 - (addresses - 1).bit_length()
