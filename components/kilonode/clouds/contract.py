"""The few types every cloud answers to."""

from dataclasses import dataclass
from typing import Protocol

import pulumi

from kilonode.machines.plan import FixedMachine
from kilonode.nodes.images import PreloadedImage
from kilonode.nodes.plan import MachinePoolPlan


@dataclass(frozen=True)
class Needs:
    """What a fixed machine needs from its cloud."""

    user_data: str
    """cloud-init user data: plain, and without a secret."""

    secrets: pulumi.Output[dict[str, str]]
    """Files for :data:`kilonode.boot.secrets.FOLDER`; only this machine may read them."""

    disk: str | None = None
    """Where a disk of the machine's own is mounted; it outlives the machine."""

    cluster: str | None = None
    """An etcd cluster whose marks the machine reads and writes under :data:`kilonode.boot.secrets.CLUSTER`."""


@dataclass(frozen=True)
class PoolNeeds:
    """What a pool of node machines needs from its cloud."""

    user_data: str
    """cloud-init user data, the same for every node: plain, and without a secret."""

    secrets: pulumi.Output[dict[str, str]]
    """Files for :data:`kilonode.boot.secrets.FOLDER`, each path behind its node's name; a node reads only its own."""

    disk: str
    """Where each node's local disk is mounted; it is empty at first and ends with the machine."""

    images: tuple[PreloadedImage, ...]
    """Container images of the machine image."""


class Cloud(Protocol):
    """Where machines come from. Every method makes its resources as children of ``opts.parent``."""

    def network(self, opts: pulumi.ResourceOptions) -> pulumi.Resource:
        """The region's network; machines are made after it."""

    def fixed_machine(self, machine: FixedMachine, needs: Needs, opts: pulumi.ResourceOptions) -> pulumi.Resource:
        """A machine with its planned name and address, its secrets and its disk."""

    def preloaded(self, pool: MachinePoolPlan) -> tuple[PreloadedImage, ...]:
        """The container images in the machine image of ``pool``: the system's own, then those its spec asks for."""

    def node_pool(self, pool: MachinePoolPlan, needs: PoolNeeds, opts: pulumi.ResourceOptions) -> pulumi.Resource:
        """Machines that differ only by name, address and zone."""

    def operator(self, secrets: pulumi.Output[dict[str, str]], opts: pulumi.ResourceOptions) -> pulumi.Output[str]:
        """Keep the operator's credentials; returns where they are."""
