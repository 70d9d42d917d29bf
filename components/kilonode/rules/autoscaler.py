"""Rules about the cluster autoscaler, and about the balloons that hold room for it."""

from collections.abc import Iterator

from kilonode.rules import subjects
from kilonode.rules.facts.workloads import CUTOFF, Autoscaler, PriorityClass
from kilonode.rules.go import figure, truth, whole
from kilonode.rules.parameter import Parameter
from kilonode.rules.rule import Fault, rule
from kilonode.rules.unknown import known


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
    if value is not None and value < 0:
        cutoff = known(own.cutoff)
        if value >= cutoff:
            return
        if cutoff != CUTOFF:
            limit = f"{cutoff} or more, the autoscaler's --expendable-pods-priority-cutoff"
            fix = f"set --expendable-pods-priority-cutoff={CUTOFF}, and a value from {CUTOFF} to -1"
            yield Fault("value", value, limit, fix=fix)
            return
    yield Fault("value", value, f"{CUTOFF} to -1")


RULES = (limit, scale_in, unready, ramp, balloon)
