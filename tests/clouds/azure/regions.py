"""Regions on Azure that pure tests look at."""

from copy import deepcopy
from typing import Any

import pytest

from kilonode.clouds.azure.plan import AzurePlan, plan_azure
from kilonode.nodes.spec import MachinePoolSpec
from kilonode.refusal import Refusal, RefusedError
from kilonode.region.plan import plan_region
from kilonode.region.spec import RegionSpec

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHIZZPAbXGwhO4LhIJi0FOMmDylyyfOgRphZbg08aSTi me@example.com"
GALLERY = (
    "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/images/providers/Microsoft.Compute"
    "/galleries/kilonode/images/machine/versions/1.0.0"
)
PLAIN = GALLERY.partition("/galleries/")[0] + "/images/machine"

TEMPLATE: dict[str, Any] = {
    "kind": "template", "version": "1.0.0", "source": "https://files.example.com/kilonode/1.0.0", "checksums": "0" * 64,
}  # fmt: skip
"""An image to be built."""

CLOUD: dict[str, Any] = {
    "kind": "azure", "location": "westeurope", "adminSshKey": KEY, "image": {"kind": "given", "id": GALLERY},
    "operatorRanges": ["10.0.0.0/16"],
}  # fmt: skip
POOL: dict[str, Any] = {
    "name": "workers", "kind": "machines", "nodes": 2, "podsPerNode": 30, "range": "10.65.0.0/16",
    "azure": {"size": "Standard_D16ds_v5"},
}  # fmt: skip
SETTINGS: dict[str, Any] = {
    "name": "west",
    "cloud": CLOUD,
    "ceiling": 1000,
    "network": {"range": "10.64.0.0/14"},
    "etcd": [{"name": "main", "members": 3}, {"name": "events", "members": 3}],
    "apiServers": {"count": 3},
    "nodePools": [POOL],
}


def settings(*, cloud: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    """The settings of an ordinary region on Azure, some of them changed."""
    return deepcopy(SETTINGS) | {"cloud": deepcopy(CLOUD) | (cloud or {})} | changes


def pool(*, azure: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    """The settings of a pool on Azure, some of them changed."""
    return deepcopy(POOL) | {"azure": POOL["azure"] | (azure or {})} | changes


def pool_of(found: RegionSpec) -> MachinePoolSpec:
    """The only pool of a region."""
    (made,) = found.machine_pools
    return made


def spec(**changes: Any) -> RegionSpec:
    return RegionSpec.read(settings(**changes), "region")


def plan(**changes: Any) -> AzurePlan:
    return plan_azure(plan_region(spec(**changes)))


def refusals(**changes: Any) -> list[Refusal]:
    """What is refused of the region."""
    with pytest.raises(RefusedError) as error:
        spec(**changes)
    return list(error.value.refusals)


def one(**changes: Any) -> Refusal:
    (found,) = refusals(**changes)
    return found
