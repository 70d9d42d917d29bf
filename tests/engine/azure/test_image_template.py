"""A region whose image is built by a template, on the real engine: the wait, a build that fails, and the next version."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from ops.stack import CLONE
from tests.engine.azure.conftest import COMPONENTS, PROGRAM
from tests.standin.azure.builds import LOOKS, TEMPLATE, VERSION
from tests.standin.azure.desk import AzureCloud
from tests.standin.azure.stack import PulumiError, Stack

pytestmark = [pytest.mark.engine, pytest.mark.tools]

QUICK = """
from kilonode.clouds.azure import image_wait
from kilonode.tuning import Row
image_wait.POLL = Row("poll", 1, "", "")
"""
IMAGE = {"kind": "template", "source": "https://files.example.com/kilonode/1.0.0", "checksums": "0" * 64}
VM, VMSS = "compute:VirtualMachine", "compute:VirtualMachineScaleSet"


def region(version: str, **changes: Any) -> dict[str, Any]:
    """The settings of the small region that is shipped, with an image to be built."""
    file: Path = CLONE / "stacks" / "Pulumi.azure-westeurope-small.yaml"
    found: dict[str, Any] = yaml.safe_load(file.read_text())["config"]["kilonode:region"]
    found["cloud"]["image"] = {**IMAGE, "version": version, **changes}
    return found


@pytest.fixture
def azure(tmp_path: Path) -> AzureCloud:
    return AzureCloud(tmp_path / "azure")


@pytest.fixture
def stack(tmp_path: Path, azure: AzureCloud) -> Stack:
    made = Stack(tmp_path / "program", azure, name=region("1.0.0")["name"])
    made.write(QUICK + PROGRAM, region=region("1.0.0"))
    made.environment["PYTHONPATH"] = str(COMPONENTS)
    return made.init()


def booting(azure: AzureCloud) -> set[str]:
    """The version each machine boots."""
    machines = [each.body["storageProfile"] for each in azure.resources(VM).values()]
    machines += [each.body["virtualMachineProfile"]["storageProfile"] for each in azure.resources(VMSS).values()]
    return {each["imageReference"]["id"].rpartition("/")[2] for each in machines}


def test_machines_wait_for_their_image_and_nothing_of_it_is_left(stack: Stack, azure: AzureCloud) -> None:
    shown = re.findall(r"imageReference\s*: \{\s*id\s*: (.*)", stack.pulumi("preview", "--diff"))
    # The engine cuts long texts short.
    assert len(shown) > 9
    assert all("/galleries/westeurope.small/images/mach" in each for each in shown)
    assert azure.names() == []
    said = stack.up()
    assert "the machine image is being built" in said
    assert booting(azure) == {"1.0.0"}
    order = [each.token for each in azure.requests("create")]
    looks = [number for number, each in enumerate(azure.requests()) if (each.verb, each.token) == ("read", TEMPLATE)]
    assert len(looks) == LOOKS
    assert order.index(TEMPLATE) < order.index(VM)
    assert looks[-1] < next(n for n, each in enumerate(azure.requests()) if (each.verb, each.token) == ("create", VM))

    # The engine's state has the run as it was when the template was made.
    stack.refresh()
    writes = len(azure.writes())
    stack.unchanged()
    assert len(azure.writes()) == writes
    said = stack.up("--expect-no-changes")
    assert "the machine image is being built" not in said

    # What is asked of a version that is there changes nothing, and is said.
    stack.give(region=region("1.0.0", checksums="1" * 64))
    said = stack.up("--expect-no-changes")
    assert "give cloud.image another version" in said

    stack.pulumi("state", "unprotect", "--all", "--yes")
    stack.destroy()
    assert azure.names() == []


def test_a_failed_build_is_told_and_the_next_run_builds_again(stack: Stack, azure: AzureCloud) -> None:
    azure.order("failed", TEMPLATE, "build")
    with pytest.raises(PulumiError) as error:
        stack.up()
    said = str(error.value)
    assert "ended as Failed: Failed in building/customizing image" in said
    assert "Traceback" not in said
    assert azure.resources(VM) == azure.resources(VMSS) == azure.resources(VERSION) == {}
    (urn,) = {
        word.strip("'") for word in said.split() if word.startswith("'urn:") and TEMPLATE.partition(":")[2] in word
    }
    with pytest.raises(PulumiError, match="ended as Failed"):
        stack.up()
    stack.up("--replace", urn)
    assert booting(azure) == {"1.0.0"}
    assert list(azure.resources(VERSION)) == ["1.0.0"]


def test_another_version_is_another_template_and_moves_nodes_but_no_protected_machine(
    stack: Stack, azure: AzureCloud
) -> None:
    stack.up()
    members = {name: each.server["guid"] for name, each in azure.resources(VM).items() if "-etcd-" in name}
    stack.give(region=region("1.1.0"))
    with pytest.raises(PulumiError, match="protect"):
        stack.up()
    assert {name: azure.resources(VM)[name].server["guid"] for name in members} == members
    stack.pulumi("state", "unprotect", "--all", "--yes")
    stack.up()
    assert booting(azure) == {"1.1.0"}
    assert sorted(azure.resources(VERSION)) == ["1.0.0", "1.1.0"]
    assert len(azure.resources(TEMPLATE)) == 1
    sets = [each for each in azure.requests(token=VMSS) if each.verb in {"create", "delete"}]
    assert len(sets) == len(azure.resources(VMSS)), "scale sets are updated in place"
