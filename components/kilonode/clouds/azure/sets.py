"""How a pool becomes scale sets: filled in order, so that growth renames none and moves nobody."""

from collections.abc import Iterable
from dataclasses import dataclass

from kilonode.clouds.azure import names
from kilonode.cloudspec.azure import AzureCloudSpec
from kilonode.cloudspec.azure_image import scale_set_limit
from kilonode.cloudspec.azure_pool import AzurePoolSpec
from kilonode.nodes.spec import MachinePoolSpec
from kilonode.tuning import Row

RAMP = Row(
    "machines at once", 1_000,
    "each new node lists, watches and writes much at first; so a region's sets are made one wave after the other",
    "2021 post: adding hundreds of nodes at once overloads the API servers; kilonode: as many as one set may have",
)  # fmt: skip


@dataclass(frozen=True)
class ScaleSet:
    """One uniform scale set of a pool."""

    name: str
    """Also its machines' computer name prefix."""

    number: int
    capacity: int
    """Machines it is made with; afterwards the autoscaler's own."""

    min: int
    """The fewest the autoscaler may leave of it."""

    max: int
    """The most the autoscaler may make of it."""

    zones: tuple[str, ...]
    single_placement_group: bool


def scale_sets(region: str, cloud: AzureCloudSpec, pool: MachinePoolSpec) -> tuple[ScaleSet, ...]:
    """The scale sets of ``pool``, in order.

    A placement group is in one zone: machines near each other are what it is for.
    """
    azure = settings(pool)
    zones = azure.zones or cloud.zones
    made: list[ScaleSet] = []
    left, kept = pool.nodes, azure.fewest(pool.nodes)
    for number, most in enumerate(azure.set_sizes(pool.most, scale_set_limit(cloud.image))):
        capacity = min(left, most)
        left -= capacity
        fewest = min(kept, most)
        kept -= fewest
        single = azure.single_placement_group
        place = (zones[number % len(zones)],) if single else zones
        made.append(ScaleSet(names.scale_set(region, pool.name, number), number, capacity, fewest, most, place, single))
    return tuple(made)


def waves(sets: Iterable[ScaleSet]) -> dict[str, tuple[str, ...]]:
    """For each set those it waits for: the wave before its own, each of at most :data:`RAMP` machines, or one set."""
    found: dict[str, tuple[str, ...]] = {}
    before: tuple[str, ...] = ()
    now: list[str] = []
    machines = 0
    for each in sets:
        if now and machines + each.capacity > int(RAMP.value):
            before, now, machines = tuple(now), [], 0
        found[each.name] = before
        now.append(each.name)
        machines += each.capacity
    return found


def settings(pool: MachinePoolSpec) -> AzurePoolSpec:
    """What the pool is on Azure.

    Raises:
        ValueError: when there is nothing; a region's spec refuses that first.
    """
    if pool.azure is None:
        raise ValueError(f"pool {pool.name} has no azure settings")
    return pool.azure
