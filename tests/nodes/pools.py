"""A machine pool that pure tests look at."""

from typing import Any

from kilonode.nodes.spec import MachinePoolSpec

ROW: dict[str, Any] = {"name": "gpu", "kind": "machines", "range": "10.65.0.0/16"}
DIGEST = "sha256:" + "0123456789abcdef" * 4


def machine_pool(**changes: Any) -> MachinePoolSpec:
    """The pool, some of its settings changed."""
    return MachinePoolSpec.read(ROW | changes, "nodePools[0]")


def image(name: str = "registry.example.com/train:v3", **changes: Any) -> dict[str, Any]:
    """The settings of one preloaded image."""
    return {"reference": f"{name}@{DIGEST}", "archive": "/srv/images/train.tar"} | changes


UNLIKE_DEFAULTS = machine_pool(
    podsPerNode=17,
    pulls={"parallel": 7, "qps": 30, "burst": 45, "concurrentDownloads": 9, "progressTimeout": "45m"},
    imageGc={"highPercent": 75, "lowPercent": 65},
    taints=[{"key": "example.com/team", "value": "a", "effect": "NoSchedule"}],
)
"""No number in it is a default, so that a key that is not read shows."""
