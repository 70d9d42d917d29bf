"""After a request the cloud turned away or did by half, the next run completes the region."""

import pytest

from tests.clouds.azure import regions
from tests.engine.azure.conftest import Deploy
from tests.standin.azure.desk import AzureCloud
from tests.standin.azure.stack import PulumiError

pytestmark = [pytest.mark.engine, pytest.mark.tools]


def test_a_region_is_completed_after_throttling_and_after_a_machine_made_by_half(
    deploy: Deploy, azure: AzureCloud
) -> None:
    stack = deploy(regions.settings())
    azure.order("throttled", "network:NetworkInterface", request=4)
    with pytest.raises(PulumiError, match="TooManyRequests"):
        stack.up()
    azure.order("half-made", "compute:VirtualMachine", name="west-etcd-main-2")
    azure.order("half-made", "compute:VirtualMachineScaleSet")
    with pytest.raises(PulumiError, match="AllocationFailed"):
        stack.up()
    stack.up()
    made = [(each.token, each.id) for each in azure.requests("create") if "answer" not in each.details]
    assert len(made) == len(set(made))
    assert len(azure.resources("compute:VirtualMachine")) == 9
    assert azure.requests("delete") == []
    assert azure.lowered() == azure.wiped() == []
    stack.unchanged()
