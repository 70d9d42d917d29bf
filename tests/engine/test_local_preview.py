"""The shipped local stack previews with the policy pack: nothing is made, and nothing said."""

from pathlib import Path

import pytest
import yaml

import toolchain
from kilonode.region.settings import KEY
from ops.engine import TOOLS
from ops.stack import CLONE
from tests.engine.azure.conftest import COMPONENTS, PROGRAM
from tests.engine.pack import PACK, told
from tests.standin.azure.desk import AzureCloud
from tests.standin.azure.stack import Stack

pytestmark = [pytest.mark.engine, pytest.mark.tools]


def test_the_local_stack_previews_and_the_pack_has_nothing_to_say(tmp_path: Path) -> None:
    document = yaml.safe_load((CLONE / "stacks" / "Pulumi.local.yaml").read_text())
    programs = tuple(toolchain.locate(tool) for tool in TOOLS)
    stack = Stack(tmp_path / "program", AzureCloud(tmp_path / "azure"), name="local", path=programs)
    stack.environment |= {"PYTHONPATH": str(COMPONENTS), "KILONODE_HOME": str(tmp_path / "home")}
    shown = stack.write(PROGRAM, region=document["config"][KEY]).init().pulumi("preview", "--policy-pack", PACK)
    assert told(shown) == {"mandatory": set(), "advisory": set()}
    assert "✅ kilonode@v0.1.0" in shown
    assert "kilonode:index:Region local create" in shown
    assert not (tmp_path / "home").exists()
