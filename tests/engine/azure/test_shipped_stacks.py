"""The shipped Azure stacks on the real engine: preview, up, up again, refresh, destroy, and up after that.

The policy pack judges the first preview and the first run.
"""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from ops.stack import CLONE
from tests.engine.azure.conftest import Deploy
from tests.engine.pack import PACK, told
from tests.standin.azure.desk import AzureCloud

pytestmark = [pytest.mark.engine, pytest.mark.tools]

RESOURCES_MAX = 300


def settings(stack: str) -> dict[str, Any]:
    file: Path = CLONE / "stacks" / f"Pulumi.{stack}.yaml"
    found: dict[str, Any] = yaml.safe_load(file.read_text())["config"]["kilonode:region"]
    return found


@pytest.mark.parametrize("name", ["azure-southcentralus", "azure-westeurope-small"])
def test_a_shipped_stack_comes_stays_as_it_is_and_goes(deploy: Deploy, azure: AzureCloud, name: str) -> None:
    stack = deploy(settings(name))
    given = azure.names()
    shown = stack.pulumi("preview", "--policy-pack", PACK)
    # A line of what a preview cannot know is no pass; what breaks a rule would have ended it.
    assert told(shown)["mandatory"] == set()
    assert shown.count("is not known yet") == len(told(shown)["advisory"])
    assert azure.names() == given
    assert told(stack.up("--policy-pack", PACK)) == {"mandatory": set(), "advisory": set()}
    assert len(json.loads(stack.pulumi("stack", "export"))["deployment"]["resources"]) <= RESOURCES_MAX
    writes = len(azure.writes())
    # What is deployed is known in every later preview: nothing is undecided.
    assert told(stack.unchanged("--policy-pack", PACK)) == {"mandatory": set(), "advisory": set()}
    assert len(azure.writes()) == writes
    stack.pulumi("state", "unprotect", "--all", "--yes")
    stack.destroy()
    assert azure.names() == given
    assert [each.partition(" ")[0] for each in azure.deleted()].count("keyvault:Vault") == 1
    # Names of the vault and of secrets are new ones: the old are kept for months.
    stack.up()
    assert len(azure.resources("keyvault:Vault")) == 1


def test_members_of_etcd_are_not_deleted_while_they_are_protected(deploy: Deploy, azure: AzureCloud) -> None:
    stack = deploy(settings("azure-westeurope-small"))
    stack.up()
    members = {name for name in azure.resources("compute:VirtualMachine") if "-etcd-" in name}
    with pytest.raises(AssertionError, match="protect"):
        stack.destroy()
    assert members <= set(azure.resources("compute:VirtualMachine"))


def test_no_key_is_in_plain_text_in_state_or_preview(deploy: Deploy, azure: AzureCloud) -> None:
    stack = deploy(settings("azure-westeurope-small"))
    shown = stack.pulumi("preview", "--diff")
    stack.up()
    state = stack.pulumi("stack", "export")
    for each in azure.resources("keyvault:Secret").values():
        assert each.body["properties"]["value"] not in state
        assert each.body["properties"]["value"] not in shown
    assert "PRIVATE KEY" not in state + shown
