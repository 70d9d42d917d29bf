"""Rules about pools, and about what makes them larger and smaller."""

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
from kilonode.rules.facts.workloads import CUTOFF, Autoscaler, PriorityClass
from kilonode.rules.go import figure, truth, whole
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


def _at_most(own: Autoscaler, flag: str, most: int, *, needed: bool = False) -> Iterator[Fault]:
    """The fault of a flag above its limit or no number, or of one that is ``needed`` and not there, or switches the limit off."""
    given = known(own.arguments).get(flag)
    if given is None and not needed:
        return
    number = _number(flag, given or "")
    if number is None or number > most or (needed and number <= 0):
        yield Fault(f"--{flag}", given, f"1 to {most}" if needed else f"at most {most}")


def _number(flag: str, text: str) -> float | None:
    """The number of a flag; all but a percentage are whole (cluster-autoscaler, config/flags)."""
    return figure(text) if flag.endswith("-percentage") else whole(text)


@rule(
    "autoscaler-limit", subjects.autoscalers, severity="high",
    why="nothing else stops a loop that asks for machines, or the bill", source="kubernetes/autoscaler#6895, and its FAQ",
    fix="set --max-nodes-total to the region's ceiling",
)  # fmt: skip
def limit(own: Autoscaler) -> Iterator[Fault]:
    """The autoscaler has a limit of nodes in all."""
    given = known(own.arguments).get("max-nodes-total")
    if (whole(given or "") or 0) <= 0:
        yield Fault("--max-nodes-total", given, "more than 0")


@rule(
    "autoscaler-scale-in", subjects.autoscalers, severity="critical",
    why="an autoscaler once removed all workers of a cluster", source="2018 post; kubernetes/autoscaler FAQ",
    fix="set --max-scale-down-parallelism=10 or less", most=Parameter(10, "nodes removed at once", "less"),
)  # fmt: skip
def scale_in(own: Autoscaler, most: int) -> Iterator[Fault]:
    """The autoscaler removes a few nodes at a time."""
    # Where that may be off is no excuse: it may be on.
    if truth(dict(known(own.arguments)).get("scale-down-enabled")) is False:
        return
    for flag in ("max-scale-down-parallelism", "max-empty-bulk-delete"):
        yield from _at_most(own, flag, most)


@rule(
    "autoscaler-unready", subjects.autoscalers, severity="critical",
    why="when most nodes seem ill the fault is elsewhere, and removing them makes it worse",
    source="2018 post; kubernetes/autoscaler FAQ", fix="set --max-total-unready-percentage=45 or less",
    percent=Parameter(45, "unready nodes, in percent, above which it stops", "less", most=100),
    count=Parameter(10, "unready nodes up to which it never stops, whatever their share; 3 by itself", "less", least=0),
)  # fmt: skip
def unready(own: Autoscaler, percent: int, count: int) -> Iterator[Fault]:
    """The autoscaler stops when many nodes are not ready."""
    yield from _at_most(own, "max-total-unready-percentage", percent)
    yield from _at_most(own, "ok-total-unready-count", count)


@rule(
    "autoscaler-ramp", subjects.autoscalers, severity="medium",
    why="hundreds of nodes that join at once overload the API servers; it is a step, not a rate, and still the only brake",
    source="2021 post; kubernetes/autoscaler#6895, and estimator/threshold_based_limiter.go: 0 is no limit", fix="set --max-nodes-per-scaleup=100 or less",
    nodes=Parameter(100, "nodes asked for in one step", "less"),
)  # fmt: skip
def ramp(own: Autoscaler, nodes: int) -> Iterator[Fault]:
    """The autoscaler asks for a limited number of nodes in one step."""
    yield from _at_most(own, "max-nodes-per-scaleup", nodes, needed=True)


@rule(
    "balloon-priority", subjects.balloons, severity="high",
    why="at 0 and above balloons are not preempted by ordinary pods; below -10 the autoscaler makes no nodes for them",
    source="kubernetes/autoscaler#1037, and its FAQ", fix="use a value from -10 to -1",
)  # fmt: skip
def balloon(own: PriorityClass) -> Iterator[Fault]:
    """Balloons give way to every pod, and the autoscaler still sees them."""
    value = known(own.value)
    if value is None or value >= 0:
        yield Fault("value", value, f"{CUTOFF} to -1")
    elif value < (cutoff := known(own.cutoff)):
        if cutoff == CUTOFF:
            yield Fault("value", value, f"{CUTOFF} to -1")
        else:
            limit = f"{cutoff} or more, the autoscaler's --expendable-pods-priority-cutoff"
            yield Fault(
                "value",
                value,
                limit,
                fix=f"set --expendable-pods-priority-cutoff={CUTOFF}, and a value from {CUTOFF} to -1",
            )


RULES = (
    capacity_ignored, size, placement, overprovision, rolling, limit, scale_in, unready, ramp, balloon,
)  # fmt: skip
