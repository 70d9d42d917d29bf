"""The few types every cloud answers to."""

from dataclasses import dataclass
from typing import Protocol

import pulumi

from kilonode.machines.plan import FixedMachine


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


class Cloud(Protocol):
    """Where machines come from. Every method makes its resources as children of ``opts.parent``."""

    def network(self, opts: pulumi.ResourceOptions) -> pulumi.Resource:
        """The region's network; machines are made after it."""

    def fixed_machine(self, machine: FixedMachine, needs: Needs, opts: pulumi.ResourceOptions) -> pulumi.Resource:
        """A machine with its planned name and address, its secrets and its disk."""

    def operator(self, secrets: pulumi.Output[dict[str, str]], opts: pulumi.ResourceOptions) -> pulumi.Output[str]:
        """Keep the operator's credentials; returns where they are."""
