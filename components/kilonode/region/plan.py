"""The plan of a region: all that follows from its spec by arithmetic."""

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network

from kilonode.etcd.plan import EtcdClusterPlan, plan_cluster
from kilonode.machines.plan import FixedMachine, fixed_machines
from kilonode.network.slots import (
    API_SERVERS,
    GATEWAY_OFFSET,
    LOAD_BALANCER_OFFSET,
    OPERATOR_OFFSET,
    SIMULATORS,
    edge_address,
)
from kilonode.nodes.plan import MachinePoolPlan, plan_pool
from kilonode.region.spec import RegionSpec

API_PORT = 6443


@dataclass(frozen=True)
class RegionPlan:
    """Names, zones and addresses of every fixed machine, and the region's endpoints."""

    spec: RegionSpec
    etcd: tuple[EtcdClusterPlan, ...]
    api_servers: tuple[FixedMachine, ...]
    load_balancer: FixedMachine
    simulators: tuple[FixedMachine, ...]
    """One per simulated pool, in the order of the spec's pools; the address follows the pool's own slot."""

    machine_pools: tuple[MachinePoolPlan, ...]

    @property
    def range(self) -> IPv4Network:
        """The region's range."""
        return self.spec.network.range

    @property
    def main(self) -> EtcdClusterPlan:
        """The etcd cluster of every key that no other takes; a spec without it is refused."""
        return next(cluster for cluster in self.etcd if cluster.kind.resource is None)

    @property
    def gateway(self) -> IPv4Address:
        """First hop out of the region."""
        return edge_address(self.range, GATEWAY_OFFSET)

    @property
    def operator(self) -> IPv4Address:
        """Where the operator's own tools come from."""
        return edge_address(self.range, OPERATOR_OFFSET)

    @property
    def api_name(self) -> str:
        """The API's name in the region's certificates, whatever the load balancer's address."""
        return f"api.{self.spec.name}.internal"

    @property
    def endpoint(self) -> str:
        """The API through the load balancer, for every client outside the control plane."""
        return f"https://{self.load_balancer.address}:{API_PORT}"

    @property
    def service_address(self) -> IPv4Address:
        """ClusterIP of the Service ``kubernetes``: the first of the Service range."""
        return self.spec.network.services[1]

    @property
    def machines(self) -> tuple[FixedMachine, ...]:
        """Every fixed machine; the load balancer is one unless it is the cloud's own service."""
        members = tuple(member for cluster in self.etcd for member in cluster.members)
        balancers = (self.load_balancer,) if self.spec.cloud.load_balancer == "machine" else ()
        return (*members, *self.api_servers, *balancers, *self.simulators)


def plan_region(spec: RegionSpec) -> RegionPlan:
    """Plan ``spec``; pure arithmetic, the same every time."""
    place = (spec.name, spec.network.range, spec.cloud.zones)
    return RegionPlan(
        spec=spec,
        etcd=tuple(plan_cluster(cluster, *place) for cluster in spec.etcd),
        api_servers=fixed_machines("api", API_SERVERS, spec.api_servers.count, *place),
        load_balancer=FixedMachine(
            f"{spec.name}-lb-1",
            "load-balancer",
            spec.cloud.zones[0],
            edge_address(spec.network.range, LOAD_BALANCER_OFFSET),
        ),
        simulators=tuple(
            fixed_machines("sim", SIMULATORS, pool.simulator + 1, *place, role="simulator")[-1]
            for pool in spec.simulated_pools
        ),
        machine_pools=tuple(
            plan_pool(spec.name, pool, spec.cloud.zones, planned=spec.cloud.planned_nodes)
            for pool in spec.machine_pools
        ),
    )
