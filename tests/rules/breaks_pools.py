"""Faults of pools and what scales them: one for each rule."""

from tests.rules.broken import Break
from tests.rules.changes import pool, put

BREAKS = (
    Break("pool-capacity-ignored", put("ignore", ("tags",)), ("pool",), "ignoreChanges", "tags", "sku.capacity"),
    Break(
        "scale-set-size", lambda of: (pool("tags.max", "1001")(of), put("range", "10.4.0.0/15")(of)),
        ("pool",), "tags.max", "1001", "at most 1000",
        large=True,
    ),
    Break(
        "scale-set-placement", pool("singlePlacementGroup", True),
        ("pool",), "singlePlacementGroup", "true", "false above 100 machines; 400 are possible",
    ),
    Break(
        "scale-set-overprovision", lambda of: of.pool.pop("overprovision"),
        ("pool",), "overprovision", "nothing", "false",
    ),
    Break(
        "pool-rolling-upgrade", pool("upgradePolicy.mode", "Automatic"),
        ("pool",), "upgradePolicy.mode", "Automatic", "Rolling, or Manual",
    ),
    Break(
        "autoscaler-limit", lambda of: of.autoscaler.pop("max-nodes-total"),
        ("cluster-autoscaler",), "--max-nodes-total", "nothing", "more than 0",
    ),
    Break(
        "autoscaler-scale-in", lambda of: of.autoscaler.update({"max-scale-down-parallelism": "50"}),
        ("cluster-autoscaler",), "--max-scale-down-parallelism", "50", "at most 10",
    ),
    Break(
        "autoscaler-unready", lambda of: of.autoscaler.update({"max-total-unready-percentage": "100"}),
        ("cluster-autoscaler",), "--max-total-unready-percentage", "100", "at most 45",
    ),
    Break(
        "autoscaler-ramp", lambda of: of.autoscaler.pop("max-nodes-per-scaleup"),
        ("cluster-autoscaler",), "--max-nodes-per-scaleup", "nothing", "1 to 100",
    ),
    Break("balloon-priority", put("balloon", -11), ("room",), "value", "-11", "-10 to -1"),
)  # fmt: skip
