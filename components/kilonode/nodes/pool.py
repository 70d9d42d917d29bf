"""A node pool as a component; its nodes are never resources of their own."""

from dataclasses import dataclass

import pulumi

from kilonode.clouds.contract import Cloud
from kilonode.machines.fixed import FixedMachineResource
from kilonode.machines.plan import FixedMachine
from kilonode.nodes.simulated import simulator_boot
from kilonode.nodes.spec import SimulatedPoolSpec
from kilonode.pki.credentials import simulator_credentials
from kilonode.pki.region import RegionPki
from kilonode.region.plan import RegionPlan


@dataclass(frozen=True)
class NodePoolArgs:
    """What a simulated pool is made from: the pool, and the machine that plays it."""

    plan: RegionPlan
    pool: SimulatedPoolSpec
    simulator: FixedMachine
    pki: RegionPki
    cloud: Cloud


class NodePool(pulumi.ComponentResource):
    """A pool of nodes that differ only by name. Outputs: ``nodes``."""

    nodes: pulumi.Output[int]

    def __init__(self, name: str, args: NodePoolArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("kilonode:index:NodePool", name, None, opts)
        FixedMachineResource(
            args.simulator,
            boot=simulator_boot(args.plan, args.pool, args.simulator),
            rows=simulator_credentials(args.pool.name),
            pki=args.pki,
            cloud=args.cloud,
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.nodes = pulumi.Output.from_input(args.pool.nodes)
        self.register_outputs({"nodes": self.nodes})
