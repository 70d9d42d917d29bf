"""Machines the autoscaler made stay, whatever of their scale set is edited."""

import pytest

from tests.clouds.azure import regions
from tests.engine.azure.conftest import Deploy, shared_image
from tests.standin.azure.desk import AzureCloud
from tests.standin.azure.stack import PulumiError

pytestmark = [pytest.mark.engine, pytest.mark.tools]
SET = "compute:VirtualMachineScaleSet"
LIVING = 900


def test_no_request_lowers_what_the_autoscaler_has_made(deploy: Deploy, azure: AzureCloud) -> None:
    settings = regions.settings(nodePools=[regions.pool(nodes=2, azure={"max": 900})])
    stack = deploy(settings)
    stack.up()
    (name,) = azure.resources(SET)
    azure.set_capacity(name, LIVING)
    newer = shared_image(azure, settings["cloud"]["location"], version="1.0.1")
    settings["nodePools"][0]["azure"]["image"] = {"kind": "given", "id": newer}
    stack.give(region=settings)
    assert stack.steps() == {"update": [name]}
    with pytest.raises(PulumiError, match=r"sku\.capacity\s+given:   2, as last recorded\s+allowed: 900") as refused:
        stack.up()
    assert "pulumi up --refresh" in str(refused.value)
    assert azure.requests("update", SET) == []
    stack.up("--refresh")
    assert azure.resources(SET)[name].body["sku"]["capacity"] == LIVING
    assert [each.changed for each in azure.requests("update", SET)] == [
        ["virtualMachineProfile.storageProfile.imageReference.id"]
    ]
    assert azure.lowered() == []
    stack.unchanged()
