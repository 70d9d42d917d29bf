"""Rules about pools of machines that a cloud makes."""

import re
from collections.abc import Iterator

from kilonode.cloudspec.azure_sizes import SIZES
from kilonode.limits import (
    AZURE_PLACEMENT_GROUP,
    AZURE_PLACEMENT_GROUP_RAISED,
    AZURE_SCALE_SET,
    AZURE_SCALE_SET_PLAIN_IMAGE,
)
from kilonode.rules import subjects
from kilonode.rules.facts.pools import CAPACITY, NodePool, Rolling
from kilonode.rules.parameter import Parameter
from kilonode.rules.rule import Fault, rule
from kilonode.rules.unknown import known

_RDMA = re.compile(r"Standard_[HN][A-Z]*\d+(?:-\d+)?[a-z]*r[a-z]*(?:_|$)", re.ASCII | re.IGNORECASE)
"""Sizes with InfiniBand, by their r (Azure docs, size naming conventions)."""


@rule(
    "pool-capacity-ignored", subjects.node_pools, severity="critical",
    why="the next up would undo what the autoscaler did, and end machines with jobs on them",
    source="hashicorp/terraform-provider-azurerm#930, Azure/vm-scale-sets#70", fix="add it to the resource's ignoreChanges",
)  # fmt: skip
def capacity_ignored(pool: NodePool) -> Iterator[Fault]:
    """How many machines a pool has is left to the autoscaler."""
    path = CAPACITY[pool.cloud]
    # AWS leaves alone what nobody says, and Pulumi what it only reads.
    if pool.external or (pool.cloud == "aws" and pool.capacity is None):
        return
    if not known(pool.left_alone):
        yield Fault("ignoreChanges", ", ".join(known(pool.ignored)) or None, path)


@rule(
    "scale-set-size", subjects.pools, severity="high",
    why="Azure makes no more of one set, so the pool stops growing there", source=AZURE_SCALE_SET.source,
    fix="split the pool into several scale sets",
)  # fmt: skip
def size(pool: NodePool) -> Iterator[Fault]:
    """A scale set stays within what Azure makes of one."""
    if pool.cloud == "azure":
        limit = AZURE_SCALE_SET_PLAIN_IMAGE if known(pool.plain_image) else AZURE_SCALE_SET
        if known(pool.largest) > limit.value:
            field = "tags.max" if pool.largest == pool.most else CAPACITY[pool.cloud]
            yield Fault(field, pool.largest, f"at most {limit.value}")


@rule(
    "scale-set-placement", subjects.pools, severity="high",
    why="a set that is one placement group takes no more machines", source=AZURE_PLACEMENT_GROUP.source,
    fix="set singlePlacementGroup false, or split the pool",
)  # fmt: skip
def placement(pool: NodePool) -> Iterator[Fault]:
    """One placement group is used only where it fits."""
    single = known(pool.single_placement_group) if pool.cloud == "azure" else False
    # A flexible set has no more than one unless it says so (Azure docs, orchestration modes).
    if single is False or (single is None and known(pool.orchestration) == "Flexible"):
        return
    size = known(pool.size) or ""
    infiniband = SIZES[size].infiniband if size in SIZES else bool(_RDMA.match(size))
    limit = AZURE_PLACEMENT_GROUP_RAISED if infiniband else AZURE_PLACEMENT_GROUP
    if known(pool.largest) > limit.value:
        yield Fault(
            "singlePlacementGroup",
            single,
            f"false above {limit.value} machines; {pool.largest} are possible",
        )


@rule(
    "scale-set-overprovision", subjects.pools, severity="high",
    why="extra machines join, confuse the autoscaler and vanish; on is Azure's default",
    source="kubernetes-sigs/cluster-api-provider-azure#489", fix="set overprovision false",
)  # fmt: skip
def overprovision(pool: NodePool) -> Iterator[Fault]:
    """Azure makes no machines that nobody asked for."""
    # Flexible sets have no such thing.
    if pool.cloud == "azure" and known(pool.overprovision) is not False and known(pool.orchestration) != "Flexible":
        yield Fault("overprovision", pool.overprovision, "false")


@rule(
    "pool-rolling-upgrade", subjects.pools, severity="high",
    why="a bad image must reach one batch, and jobs must not lose their machines together",
    source="Azure/AKS#1065, poseidon/typhoon#1609; 2018 post",
    fix="upgrade in batches with caps for ill machines, or by hand",
    percent=Parameter(20, "the largest batch, and the most ill machines", "less", most=100),
)  # fmt: skip
def rolling(pool: NodePool, percent: int) -> Iterator[Fault]:
    """Machines are renewed in batches that stop when they fall ill."""
    if pool.rolling is None:
        return
    if pool.cloud == "aws":
        yield from _refresh(pool.rolling, percent)
        return
    mode = known(pool.rolling.mode)
    if mode is None and known(pool.orchestration) == "Flexible":
        mode = "Manual"  # where nothing is said (Azure docs, upgrade policy)
    if mode not in {"Rolling", "Manual"}:
        yield Fault("upgradePolicy.mode", mode, "Rolling, or Manual")
    if mode != "Rolling":
        return
    caps = {
        "maxBatchInstancePercent": pool.rolling.batch,
        "maxUnhealthyInstancePercent": pool.rolling.unhealthy,
        "maxUnhealthyUpgradedInstancePercent": pool.rolling.upgraded,
    }
    for field, given in caps.items():
        value = known(given)
        if value is None or value > percent:
            yield Fault(field, value, f"at most {percent}")


HEALTHY = 90
"""Percent of a group that AWS keeps healthy in a refresh where nothing is said (EC2 Auto Scaling API, RefreshPreferences)."""


def _refresh(own: Rolling, percent: int) -> Iterator[Fault]:
    """A refresh of AWS stops by itself when more than its batch is ill."""
    if known(own.mode) != "Rolling":
        return
    given = known(own.healthy)
    if (HEALTHY if given is None else given) < 100 - percent:
        yield Fault("instanceRefresh.preferences.minHealthyPercentage", given, f"{100 - percent} or more")


RULES = (capacity_ignored, size, placement, overprovision, rolling)
