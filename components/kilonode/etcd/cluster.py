"""An etcd cluster as a component: a machine of its own for each member."""

from dataclasses import dataclass

import pulumi

from kilonode.clouds.contract import Cloud
from kilonode.etcd.boot import member_boot
from kilonode.etcd.config import MOUNT
from kilonode.etcd.plan import EtcdClusterPlan
from kilonode.machines.fixed import FixedMachineResource
from kilonode.pki.credentials import member_credentials
from kilonode.pki.region import RegionPki


@dataclass(frozen=True)
class EtcdClusterArgs:
    """What a cluster is made from."""

    plan: EtcdClusterPlan
    pki: RegionPki
    cloud: Cloud


class EtcdCluster(pulumi.ComponentResource):
    """The members of one etcd cluster. Outputs: ``client_urls``."""

    client_urls: pulumi.Output[list[str]]

    def __init__(self, name: str, args: EtcdClusterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("kilonode:index:EtcdCluster", name, None, opts)
        for member in args.plan.members:
            FixedMachineResource(
                member,
                boot=member_boot(args.plan, member),
                rows=member_credentials(args.plan, member),
                pki=args.pki,
                cloud=args.cloud,
                disk=MOUNT,
                cluster=args.plan.name,
                opts=pulumi.ResourceOptions(parent=self),
            )
        self.client_urls = pulumi.Output.from_input(list(args.plan.client_urls))
        self.register_outputs({"client_urls": self.client_urls})
