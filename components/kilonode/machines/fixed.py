"""A fixed machine as a component: its credentials, and what its cloud makes of it."""

from collections.abc import Sequence

import pulumi

from kilonode.boot.machine import BootData
from kilonode.clouds.contract import Cloud, Needs
from kilonode.machines.plan import FixedMachine
from kilonode.pki.kinds import Credential
from kilonode.pki.region import RegionPki


class FixedMachineResource(pulumi.ComponentResource):
    """One fixed machine, made or replaced ``after`` others. Outputs: ``address``."""

    address: pulumi.Output[str]

    def __init__(
        self,
        machine: FixedMachine,
        *,
        boot: BootData,
        rows: Sequence[Credential],
        pki: RegionPki,
        cloud: Cloud,
        disk: str | None = None,
        cluster: str | None = None,
        after: Sequence[pulumi.Resource] = (),
        opts: pulumi.ResourceOptions,
    ) -> None:
        super().__init__("kilonode:index:FixedMachine", machine.name, None, opts)
        inside = pulumi.ResourceOptions(parent=self)
        needs = Needs(boot, pki.credentials(machine.name, rows, inside), disk, cluster, tuple(after))
        self.machine = cloud.fixed_machine(machine, needs, inside)
        self.address = pulumi.Output.from_input(str(machine.address))
        self.register_outputs({"address": self.address})
