"""What has to go together for a region on Azure: its cloud, its network, its etcd clusters and its pools."""

from collections.abc import Sequence
from ipaddress import IPv4Network
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from kilonode.cloudspec.azure_labels import check_labels
from kilonode.cloudspec.azure_machines import api_server_size, etcd_size
from kilonode.etcd.spec import GIB, EtcdClusterSpec
from kilonode.limits import (
    AZURE_NAT_ADDRESSES,
    AZURE_PEERED_ADDRESSES,
    AZURE_PLACEMENT_GROUP,
    AZURE_SNAT_CONNECTIONS,
    AZURE_VNET_ADDRESSES,
    RESERVED_PER_SUBNET,
)
from kilonode.network.spec import NetworkSpec
from kilonode.nodes.images import SYSTEM_ARCHIVES
from kilonode.nodes.spec import MachinePoolSpec, SimulatedPoolSpec
from kilonode.refusal import refuse
from kilonode.tuning import Row

if TYPE_CHECKING:
    from kilonode.cloudspec.azure import AzureCloudSpec

VNET_PREFIX = 32 - (AZURE_VNET_ADDRESSES.value - 1).bit_length()
"""The largest block of addresses that is one virtual network."""

RDMA = IPv4Network("172.16.0.0/16")
"""Taken by InfiniBand in every network with such machines (https://learn.microsoft.com/azure/virtual-machines/setup-infiniband)."""

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

Pool = SimulatedPoolSpec | MachinePoolSpec


def check_ranges(cloud: "AzureCloudSpec", network: NetworkSpec) -> None:
    """Who may reach the region comes from outside of it."""
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


def check_machines(cloud: "AzureCloudSpec", ceiling: int, etcd: Sequence[EtcdClusterSpec]) -> None:
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


def _check_members(cloud: "AzureCloudSpec", etcd: Sequence[EtcdClusterSpec]) -> None:
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


def check_pool(cloud: "AzureCloudSpec", at: str, pool: Pool, network: NetworkSpec) -> None:
    """One pool, standing at ``at``."""
    if isinstance(pool, SimulatedPoolSpec):
        raise refuse(
            field=f"{at}.kind",
            given=pool.kind,
            allowed="'machines' where cloud.kind is azure",
            why="simulated nodes are for trials on one host; here they would cost machines and run nothing",
            fix="remove the pool, or write kind: machines and its azure settings",
        )
    azure = pool.azure
    if azure is None:
        raise refuse(
            field=f"{at}.azure",
            given="nothing",
            allowed="a mapping with at least the key size",
            why="what machines of a scale set are cannot be told from the rest",
            fix="add azure: {size: Standard_D16ds_v5} or the like",
        )
    if azure.zones and not set(azure.zones) <= set(cloud.zones):
        raise refuse(
            field=f"{at}.azure.zones",
            given=list(azure.zones),
            allowed=f"some of cloud.zones {list(cloud.zones)}",
            why="a zone that the region does not use has no place in its plan",
            fix="use zones of the region, or leave zones out",
        )
    if azure.image is not None and azure.image.form != cloud.image.form:
        raise refuse(
            field=f"{at}.azure.image.id",
            given=azure.image.id,
            allowed=f"the id of a {cloud.image.form} image, as cloud.image is",
            why="how many machines one scale set may have depends on the form of its image, and pools are split by that",
            fix="use a version of a gallery image for both",
        )
    if azure.placement_group is True and not azure.type.infiniband and pool.most > AZURE_PLACEMENT_GROUP.value:
        raise refuse(
            field=f"{at}.azure.placementGroup",
            given=f"true, with {pool.most} nodes at most",
            allowed=f"auto or false above {AZURE_PLACEMENT_GROUP.value} nodes",
            why=f"a placement group holds {AZURE_PLACEMENT_GROUP.value} machines ({AZURE_PLACEMENT_GROUP.source})",
            fix="leave placementGroup out",
        )
    if azure.type.infiniband:
        _check_infiniband(cloud, azure.size, network)
    _check_archives(at, pool)
    _check_vnet(cloud, at, pool)
    check_labels(at, pool)


def _check_infiniband(cloud: "AzureCloudSpec", size: str, network: NetworkSpec) -> None:
    """Nothing that a machine with InfiniBand talks to has an address of that network."""
    taken = [("network.range", network.range, "10.128.0.0/14"), ("network.services", network.services, "172.20.0.0/16")]
    taken += [(f"cloud.sshRanges[{index}]", each, "") for index, each in enumerate(cloud.ssh_ranges)]
    for field, own, other in taken:
        if own.overlaps(RDMA):
            raise refuse(
                field=field,
                given=own,
                allowed=f"a range outside {RDMA} where a pool has InfiniBand ({size})",
                why="the machines' InfiniBand network takes those addresses",
                fix=f"use another private range, for instance {other}"
                if other
                else "come from another range, or remove it",
            )


def _check_archives(at: str, pool: MachinePoolSpec) -> None:
    """The machine image has all archives in one folder, by their files' names, the system's own among them."""
    seen = dict.fromkeys(SYSTEM_ARCHIVES, "")
    for index, image in enumerate(pool.images):
        name = PurePosixPath(image.archive).name
        if seen.setdefault(name, image.archive) != image.archive:
            raise refuse(
                field=f"{at}.images[{index}].archive",
                given=image.archive,
                allowed="a file name that no other archive has",
                why=f"in the machine image both would be {name}, and a node would load one of them twice"
                if seen[name]
                else f"{name} is the archive of one of the system's own images there",
                fix="rename the file",
            )


def _check_vnet(cloud: "AzureCloudSpec", at: str, pool: MachinePoolSpec) -> None:
    surge = cloud.surge_nodes(pool)
    need = (pool.most + surge) * pool.addresses.per_node + RESERVED_PER_SUBNET.value
    if need > AZURE_VNET_ADDRESSES.value:
        most = (AZURE_VNET_ADDRESSES.value - RESERVED_PER_SUBNET.value) // pool.addresses.per_node
        raise refuse(
            field=f"{at}.range",
            given=pool.range,
            allowed=f"at most {most} nodes of {pool.pods_per_node} pods in one pool",
            why=f"({pool.most} nodes + {surge} surge) × ({pool.pods_per_node} pods + 1) + {RESERVED_PER_SUBNET.value} reserved "
            f"= {need} addresses, and a pool lies in one virtual network, which has {AZURE_VNET_ADDRESSES.value}",
            fix=f"split it into {-(-(pool.most + surge) // most)} pools, or use fewer podsPerNode",
        )
    if pool.range.prefixlen < VNET_PREFIX:
        raise refuse(
            field=f"{at}.range",
            given=pool.range,
            allowed=f"a /{VNET_PREFIX} or smaller",
            why=f"a pool lies in one virtual network, which has {AZURE_VNET_ADDRESSES.value} addresses ({AZURE_VNET_ADDRESSES.source})",
            fix=f"use a /{pool.needed_prefix(surge)}",
        )


def check_addresses(cloud: "AzureCloudSpec", pools: Sequence[Pool]) -> None:
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


def warnings(cloud: "AzureCloudSpec", ceiling: int) -> list[str]:
    """What is allowed but unwise."""
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
