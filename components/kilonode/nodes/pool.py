"""Node pools as components; nodes are never resources of their own."""

from dataclasses import dataclass

import pulumi

from kilonode.boot.machine import BootData
from kilonode.clouds.contract import Cloud, PoolNeeds
from kilonode.machines.fixed import FixedMachineResource
from kilonode.machines.plan import FixedMachine
from kilonode.nodes.containerd import MOUNT
from kilonode.nodes.images import PreloadedImage
from kilonode.nodes.plan import MachinePoolPlan
from kilonode.nodes.simulated import simulator_boot
from kilonode.nodes.spec import SimulatedPoolSpec
from kilonode.pki.credentials import simulator_credentials
from kilonode.pki.region import RegionPki
from kilonode.region.plan import RegionPlan

FIRST_TYPE = "kilonode:index:NodePool"
"""What a simulated pool was called before pools of machines came."""


@dataclass(frozen=True)
class NodePoolArgs:
    """What a pool of machines is made from."""

    plan: RegionPlan
    pool: MachinePoolPlan
    images: tuple[PreloadedImage, ...]
    boot: BootData
    pki: RegionPki
    cloud: Cloud


class NodePool(pulumi.ComponentResource):
    """A pool of machines that differ only by name, address and zone. Outputs: ``nodes``, how many it begins with."""

    nodes: pulumi.Output[int]

    def __init__(self, name: str, args: NodePoolArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("kilonode:index:MachinePool", name, None, opts)
        inside = pulumi.ResourceOptions(parent=self)
        needs = PoolNeeds(
            args.boot,
            args.pki.credentials(f"{args.plan.spec.name}-{args.pool.spec.name}", args.cloud.joining(args.pool), inside),
            MOUNT,
            args.images,
        )
        args.cloud.node_pool(args.pool, needs, inside)
        self.nodes = pulumi.Output.from_input(args.pool.spec.nodes)
        self.register_outputs({"nodes": self.nodes})


@dataclass(frozen=True)
class SimulatedPoolArgs:
    """What a simulated pool is made from: the pool, and the machine that plays it."""

    plan: RegionPlan
    pool: SimulatedPoolSpec
    simulator: FixedMachine
    pki: RegionPki
    cloud: Cloud


class SimulatedPool(pulumi.ComponentResource):
    """A pool of simulated nodes. Outputs: ``nodes``."""

    nodes: pulumi.Output[int]

    def __init__(self, name: str, args: SimulatedPoolArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        before = pulumi.ResourceOptions(aliases=[pulumi.Alias(type_=FIRST_TYPE)])
        super().__init__("kilonode:index:SimulatedPool", name, None, pulumi.ResourceOptions.merge(opts, before))
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
