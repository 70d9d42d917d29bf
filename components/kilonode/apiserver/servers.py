"""The API servers as a component, with the load balancer in front of them."""

from dataclasses import dataclass

import pulumi

from kilonode.apiserver.boot import api_server_boot
from kilonode.clouds.contract import Cloud
from kilonode.loadbalancer.haproxy import load_balancer_boot
from kilonode.machines.fixed import FixedMachineResource
from kilonode.pki.credentials import api_server_credentials, load_balancer_credentials
from kilonode.pki.region import RegionPki
from kilonode.region.plan import RegionPlan


@dataclass(frozen=True)
class ApiServersArgs:
    """What the API servers are made from."""

    plan: RegionPlan
    pki: RegionPki
    cloud: Cloud


class ApiServers(pulumi.ComponentResource):
    """The API server machines and their endpoint. Outputs: ``endpoint``."""

    endpoint: pulumi.Output[str]

    def __init__(self, name: str, args: ApiServersArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("kilonode:index:ApiServers", name, None, opts)
        inside = pulumi.ResourceOptions(parent=self)
        args.cloud.api_endpoint(inside)
        # One after the other, so that an edit of all of them takes one away at a time. Whether the one before serves again is not
        # asked: that is a gate, and there are none yet.
        before: list[pulumi.Resource] = []
        for machine in args.plan.api_servers:
            made = FixedMachineResource(
                machine,
                boot=api_server_boot(args.plan, machine),
                rows=api_server_credentials(args.plan, machine),
                pki=args.pki,
                cloud=args.cloud,
                after=before,
                opts=inside,
            )
            before = [made.machine]
        if args.plan.load_balancer in args.plan.machines:
            FixedMachineResource(
                args.plan.load_balancer,
                boot=load_balancer_boot(args.plan),
                rows=load_balancer_credentials(),
                pki=args.pki,
                cloud=args.cloud,
                opts=inside,
            )
        self.endpoint = pulumi.Output.from_input(args.plan.endpoint)
        self.register_outputs({"endpoint": self.endpoint})
