"""What every test may use: a small region's settings, and the reasons a test cannot run here."""

import os
import shutil
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

import toolchain
from toolchain.recipes import TOOLS

# A busy machine is no counter-example.
hypothesis_settings.register_profile("kilonode", deadline=None, suppress_health_check=[HealthCheck.too_slow])
hypothesis_settings.load_profile("kilonode")

SMALL: dict[str, Any] = {
    "name": "small",
    "cloud": {"kind": "local"},
    "ceiling": 100,
    "network": {"range": "10.200.0.0/20"},
    "etcd": [{"name": "main", "members": 1}, {"name": "events", "members": 1}],
    "apiServers": {"count": 1},
    "nodePools": [
        {"name": "sim", "kind": "simulated", "nodes": 3, "podsPerNode": 30, "range": "10.200.8.0/22"},
        {"name": "workers", "kind": "machines", "nodes": 2, "podsPerNode": 30, "range": "10.200.12.0/22"},
    ],
}


@pytest.fixture
def small() -> dict[str, Any]:
    """Settings of a region with one of everything; each test may edit its copy."""
    return deepcopy(SMALL)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip, with the reason, what cannot run here; under CI nothing is skipped."""
    if os.environ.get("CI") == "true":
        return
    lacks_root = (
        None if os.geteuid() == 0 and shutil.which("systemd-nspawn") else "needs root and systemd-nspawn: `make setup`"
    )
    lacks_tools = None if _built() else "needs the toolchain's programs: `make tools`"
    for item in items:
        for marker, reason in (("region", lacks_root or lacks_tools), ("engine", lacks_tools), ("tools", lacks_tools)):
            if reason and item.get_closest_marker(marker):
                item.add_marker(pytest.mark.skip(reason=reason))


def _built() -> bool:
    try:
        for tool in TOOLS:
            toolchain.locate(tool)
    except toolchain.ToolchainError:
        return False
    return True
