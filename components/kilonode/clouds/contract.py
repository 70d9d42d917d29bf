"""The few types every cloud answers to."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import pulumi

from kilonode.boot.machine import BootData
from kilonode.machines.plan import FixedMachine
from kilonode.nodes.images import PreloadedImage
from kilonode.nodes.plan import MachinePoolPlan
from kilonode.pki.kinds import Credential


@dataclass(frozen=True)
class Needs:
    """What a fixed machine needs from its cloud."""

    boot: BootData
    """What the machine is told by every cloud: plain, and without a secret."""

    secrets: pulumi.Output[dict[str, str]]
    """Files for :data:`kilonode.boot.secrets.FOLDER`; only this machine may read them."""

    disk: str | None = None
    """Where a disk of the machine's own is mounted; it outlives the machine."""

    cluster: str | None = None
    """An etcd cluster whose marks the machine reads and writes under :data:`kilonode.boot.secrets.CLUSTER`."""

    after: tuple[pulumi.Resource, ...] = ()
    """What must be done with before the machine is made or replaced."""


@dataclass(frozen=True)
class PoolNeeds:
    """What a pool of node machines needs from its cloud."""

    boot: BootData
    """What every node is told by every cloud: plain, and without a secret."""

    secrets: pulumi.Output[dict[str, str]]
    """The files of :meth:`Cloud.joining` for :data:`kilonode.boot.secrets.FOLDER`."""

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

    def api_endpoint(self, opts: pulumi.ResourceOptions) -> pulumi.Resource:
        """What API servers stand behind, where the load balancer is the cloud's own and no machine of the plan."""

    def preloaded(self, pool: MachinePoolPlan) -> tuple[PreloadedImage, ...]:
        """The container images in the machine image of ``pool``: the system's own, then those its spec asks for."""

    def node_boot(self, pool: MachinePoolPlan, boot: BootData) -> BootData:
        """``boot`` with what this cloud's nodes are told beside it, as long as in earnest; nothing is made yet."""

    def joining(self, pool: MachinePoolPlan) -> Sequence[Credential]:
        """What the nodes of ``pool`` hold before they have joined."""

    def node_pool(self, pool: MachinePoolPlan, needs: PoolNeeds, opts: pulumi.ResourceOptions) -> pulumi.Resource:
        """Machines that differ only by name, address and zone, as many as the pool begins with."""

    def operator(self, secrets: pulumi.Output[dict[str, str]], opts: pulumi.ResourceOptions) -> pulumi.Output[str]:
        """Keep the operator's credentials; returns where they are."""
