"""What one pool has to be on Azure, and what it has to fit: the region's zones, image, ranges and networks."""

from ipaddress import IPv4Network
from pathlib import PurePosixPath

from kilonode.cloudspec.azure_labels import check_labels
from kilonode.cloudspec.azure_settings import AzureSettings
from kilonode.limits import AZURE_PLACEMENT_GROUP, AZURE_VNET_ADDRESSES, RESERVED_PER_SUBNET
from kilonode.network.spec import NetworkSpec
from kilonode.nodes.images import SYSTEM_ARCHIVES
from kilonode.nodes.spec import MachinePoolSpec, SimulatedPoolSpec
from kilonode.refusal import refuse

VNET_PREFIX = 32 - (AZURE_VNET_ADDRESSES.value - 1).bit_length()
"""The largest block of addresses that is one virtual network."""

RDMA = IPv4Network("172.16.0.0/16")
"""Taken by InfiniBand in every network with such machines (https://learn.microsoft.com/azure/virtual-machines/setup-infiniband)."""


def check_pool(cloud: AzureSettings, at: str, pool: SimulatedPoolSpec | MachinePoolSpec, network: NetworkSpec) -> None:
    """Refuse what the pool standing at ``at`` may not be.

    Raises:
        PydanticCustomError: with the first fault found.
    """
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


def _check_infiniband(cloud: AzureSettings, size: str, network: NetworkSpec) -> None:
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


def _check_vnet(cloud: AzureSettings, at: str, pool: MachinePoolSpec) -> None:
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
