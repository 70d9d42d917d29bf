"""A region: one cluster in one place, wired together here and nowhere else."""

import pulumi

from kilonode.apiserver.servers import ApiServers, ApiServersArgs
from kilonode.clouds.choose import cloud_for
from kilonode.etcd.cluster import EtcdCluster, EtcdClusterArgs
from kilonode.nodes.boot import node_pool_boot, node_pool_user_data
from kilonode.nodes.pool import NodePool, NodePoolArgs, SimulatedPool, SimulatedPoolArgs
from kilonode.pki.credentials import operator_credentials
from kilonode.pki.region import RegionPki
from kilonode.region.plan import plan_region
from kilonode.region.record import BirthRecord
from kilonode.region.spec import RegionSpec


class Region(pulumi.ComponentResource):
    """A region from its spec; raises RefusedError before it registers anything. Outputs: ``endpoint``, ``etcd`` (client URLs by cluster), ``operator``, ``nodes``."""

    endpoint: pulumi.Output[str]
    etcd: dict[str, pulumi.Output[list[str]]]
    operator: pulumi.Output[str]
    nodes: dict[str, pulumi.Output[int]]

    def __init__(self, name: str, args: RegionSpec, opts: pulumi.ResourceOptions | None = None) -> None:
        plan = plan_region(args)
        cloud = cloud_for(plan)
        images = {pool.spec.name: cloud.preloaded(pool) for pool in plan.machine_pools}
        boots = {pool.spec.name: node_pool_boot(plan, pool.spec, images[pool.spec.name]) for pool in plan.machine_pools}
        for pool in plan.machine_pools:
            node_pool_user_data(pool.spec, cloud.node_boot(pool, boots[pool.spec.name]))
        # All that can be refused has been: the first resource comes after.
        super().__init__("kilonode:index:Region", name, None, opts)
        for warning in args.warnings():
            pulumi.log.warn(warning, self)
        born = BirthRecord(f"{name}-birth", spec=args, opts=pulumi.ResourceOptions(parent=self))
        inside = pulumi.ResourceOptions(parent=self, depends_on=[born])

        network = cloud.network(inside)
        placed = pulumi.ResourceOptions(parent=self, depends_on=[born, network])
        pki = RegionPki(plan, inside)

        clusters = {
            cluster.spec.name: EtcdCluster(cluster.name, EtcdClusterArgs(cluster, pki, cloud), placed)
            for cluster in plan.etcd
        }
        servers = ApiServers(f"{name}-api-servers", ApiServersArgs(plan, pki, cloud), placed)
        machines = {
            pool.spec.name: NodePool(
                f"{name}-pool-{pool.spec.name}",
                NodePoolArgs(plan, pool, images[pool.spec.name], boots[pool.spec.name], pki, cloud),
                placed,
            )
            for pool in plan.machine_pools
        }
        simulated = {
            pool.name: SimulatedPool(
                f"{name}-pool-{pool.name}", SimulatedPoolArgs(plan, pool, simulator, pki, cloud), placed
            )
            for pool, simulator in zip(args.simulated_pools, plan.simulators, strict=True)
        }

        credentials = pki.credentials(f"{name}-operator", operator_credentials(), inside)
        self.operator = cloud.operator(credentials, inside)
        self.endpoint = servers.endpoint
        self.etcd = {cluster: made.client_urls for cluster, made in clusters.items()}
        self.nodes = {pool: made.nodes for pool, made in (machines | simulated).items()}
        self.register_outputs(
            {"endpoint": self.endpoint, "etcd": self.etcd, "operator": self.operator, "nodes": self.nodes}
        )
