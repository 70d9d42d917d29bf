"""Virtual networks: the region's range in blocks of what one may hold, a subnet for each slot and each pool, all peered."""

from dataclasses import dataclass
from ipaddress import IPv4Network
from itertools import permutations

from kilonode.clouds.azure import names
from kilonode.clouds.azure.rules import Role, Rule, rules
from kilonode.cloudspec.azure import AzureCloudSpec
from kilonode.cloudspec.azure_pool_check import VNET_PREFIX
from kilonode.cloudspec.azure_region import SNAT_PORTS
from kilonode.limits import AZURE_NAT_ADDRESSES, AZURE_PUBLIC_PREFIX, AZURE_SNAT_CONNECTIONS
from kilonode.network.slots import API_SERVERS, EDGE, slot_range
from kilonode.region.plan import RegionPlan


@dataclass(frozen=True)
class AzureSubnet:
    """One subnet and the rules of its security group."""

    name: str
    vnet: str
    range: IPv4Network
    security_group: str
    role: Role
    rules: tuple[Rule, ...]


@dataclass(frozen=True)
class NatGateway:
    """The way out of one virtual network; public addresses stay as they are however pools grow."""

    name: str
    prefix_length: int
    """Of its range of public addresses."""


@dataclass(frozen=True)
class VNet:
    """One virtual network; ``number`` counts blocks from the start of the region's range, used or not."""

    name: str
    number: int
    range: IPv4Network
    subnets: tuple[AzureSubnet, ...]
    nat: NatGateway


@dataclass(frozen=True)
class Peering:
    """One direction of a pair: ``vnet`` reaches ``remote``."""

    name: str
    vnet: str
    remote: str


def nat_prefix(ceiling: int) -> int:
    """The length of a NAT gateway's public range for a region of ``ceiling`` nodes.

    By the ceiling, as a range cannot be resized: others would be other addresses, which registries may have on their lists.
    """
    addresses = -(-ceiling * int(SNAT_PORTS.value) // AZURE_SNAT_CONNECTIONS.value)
    bits = (min(addresses, AZURE_NAT_ADDRESSES.value) - 1).bit_length()
    return min(32 - bits, AZURE_PUBLIC_PREFIX.value)


def vnets(plan: RegionPlan, cloud: AzureCloudSpec) -> tuple[VNet, ...]:
    """The virtual networks that hold something: the first, and those with a pool."""
    found: dict[int, list[AzureSubnet]] = {}
    for name, role, own in _subnets(plan):
        number = _block(plan.range, own)
        group = names.security_group(plan.spec.name, name)
        subnet = AzureSubnet(
            name, names.vnet(plan.spec.name, number), own, group, role, rules(plan.range, cloud, role, own)
        )
        found.setdefault(number, []).append(subnet)
    nat = nat_prefix(plan.spec.ceiling)
    return tuple(
        VNet(name, number, _blocks(plan.range)[number], tuple(subnets), NatGateway(name, nat))
        for number, subnets in sorted(found.items())
        for name in [names.vnet(plan.spec.name, number)]
    )


def peerings(networks: tuple[VNet, ...]) -> tuple[Peering, ...]:
    """Every network with every other, in both directions: peering is not passed on."""
    return tuple(
        Peering(names.peering(one.name, other.name), one.name, other.name) for one, other in permutations(networks, 2)
    )


def _subnets(plan: RegionPlan) -> list[tuple[str, Role, IPv4Network]]:
    """Slots in use, then pools by their address, so that the order of rows decides nothing."""
    slots: list[tuple[str, Role, IPv4Network]] = [(EDGE.name, "edge", slot_range(plan.range, EDGE))]
    slots += [(each.kind.slot.name, "etcd", slot_range(plan.range, each.kind.slot)) for each in plan.etcd]
    slots.append((API_SERVERS.name, "api-servers", slot_range(plan.range, API_SERVERS)))
    pools = sorted(plan.machine_pools, key=lambda pool: pool.spec.range)
    slots += [(names.subnet_of_pool(pool.spec.name), "pools", pool.spec.range) for pool in pools]
    return slots


def _blocks(region: IPv4Network) -> list[IPv4Network]:
    return [region] if region.prefixlen >= VNET_PREFIX else list(region.subnets(new_prefix=VNET_PREFIX))


def _block(region: IPv4Network, own: IPv4Network) -> int:
    """Which block of the region's range ``own`` is in."""
    return next(number for number, block in enumerate(_blocks(region)) if own.subnet_of(block))
