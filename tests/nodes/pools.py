"""A machine pool that tests look at, and what is refused of one."""

from typing import Any

import pytest

from kilonode.nodes.spec import MachinePoolSpec
from kilonode.refusal import Refusal, RefusedError
from kilonode.region.spec import RegionSpec
from tests.plans import settings

ROW: dict[str, Any] = {"name": "gpu", "kind": "machines", "range": "10.65.0.0/16"}
DIGEST = "sha256:" + "0123456789abcdef" * 4


def machine_pool(**changes: Any) -> MachinePoolSpec:
    """The pool, some of its settings changed."""
    return MachinePoolSpec.read(ROW | changes, "nodePools[0]")


def image(name: str = "registry.example.com/train:v3", **changes: Any) -> dict[str, Any]:
    """The settings of one preloaded image."""
    return {"reference": f"{name}@{DIGEST}", "archive": "/srv/images/train.tar"} | changes


def refusals(**changes: Any) -> list[Refusal]:
    """What is refused of the pool as the first of a region."""
    with pytest.raises(RefusedError) as error:
        RegionSpec.read(settings(nodePools=[ROW | changes]), "region")
    return list(error.value.refusals)


def one(**changes: Any) -> Refusal:
    (found,) = refusals(**changes)
    return found


UNLIKE_DEFAULTS = machine_pool(
    podsPerNode=17,
    pulls={"parallel": 7, "qps": 30, "burst": 45, "concurrentDownloads": 9, "progressTimeout": "45m"},
    imageGc={"highPercent": 75, "lowPercent": 65},
    taints=[{"key": "example.com/team", "value": "a", "effect": "NoSchedule"}],
)
"""No number in it is a default, so that a key that is not read shows."""
