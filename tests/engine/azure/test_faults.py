"""After a request the cloud turned away or did by half, the next run completes the region."""

import pytest

from tests.clouds.azure import regions
from tests.engine.azure.conftest import Deploy
from tests.standin.azure.desk import AzureCloud
from tests.standin.azure.stack import PulumiError, Stack

pytestmark = [pytest.mark.engine, pytest.mark.tools]


RUNS_MAX = 5


def failure(stack: Stack) -> str:
    """What a run said that failed; nothing of one that did not."""
    try:
        stack.up()
    except PulumiError as error:
        return str(error)
    return ""


def test_a_region_is_completed_after_throttling_and_after_machines_made_by_half(
    deploy: Deploy, azure: AzureCloud
) -> None:
    stack = deploy(regions.settings())
    azure.order("throttled", "network:NetworkInterface", request=4)
    azure.order("half-made", "compute:VirtualMachine", name="west-etcd-main-2")
    azure.order("half-made", "compute:VirtualMachineScaleSet")
    # A run ends at its first fault, and which comes first is the engine's: so each run meets one or more of them.
    said = [text for text in (failure(stack) for _ in range(RUNS_MAX)) if text]
    assert 1 <= len(said) <= 3
    for code, name in (
        ("TooManyRequests", "interface"),
        ("AllocationFailed", "west-etcd-main-2"),
        ("AllocationFailed", "virtualMachineScaleSets"),
    ):
        assert any(code in text and name in text for text in said), (code, name)
    made = [(each.token, each.id) for each in azure.requests("create") if "answer" not in each.details]
    assert len(made) == len(set(made))
    assert len(azure.resources("compute:VirtualMachine")) == 9
    assert azure.requests("delete") == []
    assert azure.lowered() == azure.wiped() == []
    stack.unchanged()
