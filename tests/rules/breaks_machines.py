"""Faults of machines and nodes: one for each rule."""

from tests.rules.broken import Break
from tests.rules.changes import CLUSTER, machine, pool, thresholds, update

BREAKS = (
    Break(
        "arp-thresholds-ordered", thresholds(1, 40_000),
        CLUSTER, "net.ipv6.neigh.default.gc_thresh1, 2, 3", "40000, 32768, 65536", "gcThresh1 <= gcThresh2 < gcThresh3",
        why="the collector starts at the first, hurries at the second, and at the third there is no room",
        fix="put them in order",
    ),
    Break(
        "arp-thresholds-large", thresholds(3, 32_769),
        CLUSTER, "net.ipv6.neigh.default.gc_thresh3", "32769", "65536 or more for 400 nodes",
    ),
    Break(
        "kubelet-parallel-pulls", update("kubelet", maxParallelImagePulls=101),
        ("pool",), "maxParallelImagePulls", "101", "2 to 100",
    ),
    Break(
        "kubelet-anonymous", update("kubelet", authentication={"anonymous": {"enabled": True}}),
        ("pool",), "authentication.anonymous.enabled", "true", "false",
    ),
    Break("control-plane-no-spot", machine("api-1", priority="Spot"), ("api-1",), "priority", "Spot", "Regular"),
    Break(
        "gpu-preflight-taint", pool("sku.name", "Standard_ND96isr_H100_v5"),
        ("pool",), "registerWithTaints", "nothing", "a taint whose key has preflight in it",
    ),
)  # fmt: skip
