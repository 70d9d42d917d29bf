"""What has to go together for a region on Azure: its cloud, its network, its etcd clusters, and all pools in sum."""

from collections.abc import Sequence

from kilonode.cloudspec.azure_machines import api_server_size, etcd_size
from kilonode.cloudspec.azure_settings import AzureSettings
from kilonode.etcd.spec import GIB, EtcdClusterSpec
from kilonode.limits import (
    AZURE_NAT_ADDRESSES,
    AZURE_PEERED_ADDRESSES,
    AZURE_SNAT_CONNECTIONS,
)
from kilonode.network.spec import NetworkSpec
from kilonode.nodes.spec import MachinePoolSpec, SimulatedPoolSpec
from kilonode.refusal import refuse
from kilonode.tuning import Row

PROBE_EVERY = Row(
    "intervalInSeconds", 5, "the shortest there is: a server that is not ready gets no new connections soon after",
    "https://learn.microsoft.com/azure/load-balancer/load-balancer-custom-probes-overview",
)  # fmt: skip
PROBE_FAILURES = Row(
    "probeThreshold", 2, "one lost answer moves no thousand watches to the other servers", "Azure default 1, doubled"
)

SNAT_PORTS = Row(
    "connections per node", 100,
    "a node pulls ten images at once with ten connections for each, all to one registry",
    "2018 post: the registry banned the cluster's address; each connection to one destination needs a port of its own",
)  # fmt: skip


def check_ranges(cloud: AzureSettings, network: NetworkSpec) -> None:
    """Who may reach the region comes from outside of it.

    Raises:
        PydanticCustomError: with the first fault found; every check here and in ``azure_pool_check`` does so.
    """
    for field, ranges in (("operatorRanges", cloud.operator_ranges), ("sshRanges", cloud.ssh_ranges)):
        for index, each in enumerate(ranges):
            for name, own in (("network.range", network.range), ("network.services", network.services)):
                if each.overlaps(own):
                    raise refuse(
                        field=f"cloud.{field}[{index}]",
                        given=each,
                        allowed=f"a range outside {name} {own}",
                        why="an answer to such an address would never leave the region",
                        fix="write the range of the network you come from, or remove it",
                    )


def check_machines(cloud: AzureSettings, ceiling: int, etcd: Sequence[EtcdClusterSpec]) -> None:
    """Members hold their whole backend in memory; sizes of single members are those of members that are there."""
    _check_members(cloud, etcd)
    for index, cluster in enumerate(etcd):
        names = [member_name(cluster.name, number) for number in range(1, cluster.members + 1)]
        size = min((cloud.etcd_size(ceiling, name) for name in names), key=lambda each: each.memory_gib)
        if cluster.quota > size.memory_gib * GIB:
            raise refuse(
                field=f"etcd[{index}].quota",
                given=f"{cluster.quota} bytes",
                allowed=f"at most the {size.memory_gib} GiB of {size.name}",
                why="etcd maps its whole backend into memory",
                fix="use '8GiB', or a larger cloud.etcd.size",
            )


def member_name(cluster: str, number: int) -> str:
    """How a stack file names one member."""
    return f"{cluster}-{number}"


def _check_members(cloud: AzureSettings, etcd: Sequence[EtcdClusterSpec]) -> None:
    known = [member_name(each.name, number) for each in etcd for number in range(1, each.members + 1)]
    for name in cloud.etcd.members:
        if name not in known:
            raise refuse(
                field=f"cloud.etcd.members.{name}",
                given=name,
                allowed=f"one of {', '.join(known)}",
                why="no other member is in this region",
                fix="write the cluster's name, a dash and the member's number",
            )


def check_addresses(cloud: AzureSettings, pools: Sequence[SimulatedPoolSpec | MachinePoolSpec]) -> None:
    """All pools together: peered networks have a limit of their own."""
    need = sum((pool.most + cloud.surge_nodes(pool)) * pool.addresses.per_node for pool in pools)
    if need > cloud.peered_addresses:
        raise refuse(
            field="nodePools",
            given=f"{need} addresses in all",
            allowed=f"at most {cloud.peered_addresses}",
            why=f"the region's virtual networks are peered, and {AZURE_PEERED_ADDRESSES.value} is the limit of such a group "
            f"({AZURE_PEERED_ADDRESSES.source})",
            fix="use fewer podsPerNode, or have support raise the limit and write it as cloud.peeredAddresses",
        )


def warnings(cloud: AzureSettings, ceiling: int) -> list[str]:
    """What is allowed but unwise in a region of that ceiling, a sentence each."""
    found = []
    if len(cloud.zones) < 3:  # noqa: PLR2004 - a quorum needs the third
        found.append(f"cloud.zones has {len(cloud.zones)}: losing one zone may cost etcd its quorum")
    if cloud.key_vault.name:
        found.append(
            f"cloud.keyVault.name is {cloud.key_vault.name}: a vault's name is taken for months after it is destroyed"
        )
    if not cloud.operator_ranges:
        found.append("cloud.operatorRanges is empty: the API answers nobody outside the region")
    ports = AZURE_NAT_ADDRESSES.value * AZURE_SNAT_CONNECTIONS.value // ceiling
    if ports < int(SNAT_PORTS.value):
        found.append(
            f"ceiling is {ceiling}: behind one NAT gateway each node has {ports} connections to one destination, "
            f"below {SNAT_PORTS.value}; have nodes pull from a mirror inside the network"
        )
    for name, size, wanted in (
        ("etcd", cloud.etcd_size(ceiling), etcd_size(ceiling)),
        ("apiServers", cloud.api_server_size(ceiling), api_server_size(ceiling)),
    ):
        if size.memory_gib < wanted.memory_gib or size.vcpus < wanted.vcpus:
            found.append(f"cloud.{name}.size {size.name} is smaller than {wanted.name}, which {ceiling} nodes ask for")
    return found
