"""The plan of a region on Azure: all that follows from the region's plan by arithmetic, before any resource is made."""

from dataclasses import dataclass
from ipaddress import IPv4Address

from kilonode.apiserver.probe import PROBE
from kilonode.clouds.azure import names
from kilonode.clouds.azure.sets import ScaleSet, scale_sets, settings
from kilonode.clouds.azure.vnets import AzureSubnet, Peering, VNet, peerings, vnets
from kilonode.cloudspec.azure import AzureCloudSpec
from kilonode.cloudspec.azure_pool import AzurePoolSpec
from kilonode.cloudspec.azure_region import member_name
from kilonode.cloudspec.azure_sizes import Size
from kilonode.machines.plan import FixedMachine
from kilonode.network.slots import API_SERVERS, EDGE
from kilonode.nodes.spec import MachinePoolSpec
from kilonode.region.plan import API_PORT, RegionPlan


@dataclass(frozen=True)
class AzureMachine:
    """A fixed machine on Azure; its virtual machine, interface, identity and secret have its own name."""

    machine: FixedMachine
    size: Size
    subnet: AzureSubnet


@dataclass(frozen=True)
class LoadBalancer:
    """The API's internal load balancer; its backends are the API servers."""

    name: str
    subnet: AzureSubnet
    address: IPv4Address
    port: int
    probe_path: str


@dataclass(frozen=True)
class AzurePool:
    """A pool on Azure; its identity and its secret have one name."""

    spec: MachinePoolSpec
    subnet: AzureSubnet
    identity: str
    secret: str
    node_prefix: str
    """How the names of its nodes begin; exactly ``names.NODE_DIGITS`` lower-case letters and digits follow."""

    sets: tuple[ScaleSet, ...]

    @property
    def azure(self) -> AzurePoolSpec:
        """What its machines are."""
        return settings(self.spec)

    @property
    def addresses_per_node(self) -> int:
        """IP configurations of a node's one interface: its own, and one for each pod."""
        return self.spec.addresses.per_node


@dataclass(frozen=True)
class AzurePlan:
    """Everything of a region on Azure that is known before deployment."""

    region: RegionPlan
    cloud: AzureCloudSpec
    resource_group: str
    vnets: tuple[VNet, ...]
    peerings: tuple[Peering, ...]
    machines: tuple[AzureMachine, ...]
    load_balancer: LoadBalancer
    pools: tuple[AzurePool, ...]
    dns_zone: str
    """Private zone; the API's name is ``api`` in it."""

    key_vault: str
    storage_account: str
    marks: dict[str, str]
    """Etcd cluster to the container with its marks, which only its members may write."""

    snapshots: str
    checkpoints: str
    gallery: str

    @property
    def name(self) -> str:
        """The region's name."""
        return self.region.spec.name

    def subnet(self, name: str) -> AzureSubnet:
        """The subnet of that name.

        Raises:
            KeyError: when there is none.
        """
        return {subnet.name: subnet for vnet in self.vnets for subnet in vnet.subnets}[name]

    def machine(self, name: str) -> AzureMachine:
        """The fixed machine of that name.

        Raises:
            KeyError: when there is none.
        """
        return {each.machine.name: each for each in self.machines}[name]

    def pool(self, name: str) -> AzurePool:
        """The pool of that name.

        Raises:
            KeyError: when there is none.
        """
        return {pool.spec.name: pool for pool in self.pools}[name]


def plan_azure(plan: RegionPlan) -> AzurePlan:
    """Plan ``plan`` on Azure; pure arithmetic, the same every time.

    Raises:
        TypeError: when the region is on another cloud.
    """
    spec, cloud = plan.spec, plan.spec.cloud
    if not isinstance(cloud, AzureCloudSpec):
        raise TypeError(f"region {spec.name} is on {cloud.kind}")
    networks = vnets(plan, cloud)
    subnets = {subnet.name: subnet for vnet in networks for subnet in vnet.subnets}
    group = names.checked("resources:ResourceGroup", cloud.resource_group or spec.name)
    place = (spec.name, group, cloud.location)
    return AzurePlan(
        region=plan,
        cloud=cloud,
        resource_group=group,
        vnets=networks,
        peerings=peerings(networks),
        machines=_machines(plan, cloud, subnets),
        load_balancer=LoadBalancer(
            names.checked("network:LoadBalancer", f"{spec.name}-api"),
            subnets[EDGE.name],
            plan.load_balancer.address,
            API_PORT,
            PROBE,
        ),
        pools=tuple(_pool(spec.name, cloud, pool.spec, subnets) for pool in plan.machine_pools),
        dns_zone=names.checked("privatedns:PrivateZone", plan.api_name.partition(".")[2]),
        key_vault=cloud.key_vault.name or names.key_vault(*place),
        storage_account=cloud.storage.account or names.storage_account(*place),
        marks={each.spec.name: _container(f"marks-{each.spec.name}") for each in plan.etcd},
        snapshots=_container("snapshots"),
        checkpoints=_container("checkpoints"),
        gallery=names.gallery(spec.name),
    )


def _machines(plan: RegionPlan, cloud: AzureCloudSpec, subnets: dict[str, AzureSubnet]) -> tuple[AzureMachine, ...]:
    ceiling = plan.spec.ceiling
    members = [
        AzureMachine(
            member, cloud.etcd_size(ceiling, member_name(cluster.spec.name, number)), subnets[cluster.kind.slot.name]
        )
        for cluster in plan.etcd
        for number, member in enumerate(cluster.members, start=1)
    ]
    servers = [
        AzureMachine(each, cloud.api_server_size(ceiling), subnets[API_SERVERS.name]) for each in plan.api_servers
    ]
    for each in (*members, *servers):
        for kind in ("compute:VirtualMachine", "network:NetworkInterface", "keyvault:Secret"):
            names.checked(kind, each.machine.name)
    return (*members, *servers)


def _pool(region: str, cloud: AzureCloudSpec, pool: MachinePoolSpec, subnets: dict[str, AzureSubnet]) -> AzurePool:
    own = names.pool(region, pool.name)
    prefix = names.node_prefix(region, pool.name)
    subnet = subnets[names.subnet_of_pool(pool.name)]
    return AzurePool(pool, subnet, own, own, prefix, scale_sets(region, cloud, pool))


def _container(name: str) -> str:
    return names.checked("storage:BlobContainer", name)
