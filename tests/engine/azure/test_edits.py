"""An edit touches what it names and nothing else, by the engine's own preview."""

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.clouds.azure import regions
from tests.engine.azure.conftest import prepared
from tests.standin.azure.desk import AzureCloud
from tests.standin.azure.stack import PulumiError, Stack

pytestmark = [pytest.mark.engine, pytest.mark.tools]

Settings = dict[str, Any]


def pool(name: str, block: str, nodes: int) -> Settings:
    return {**regions.POOL, "name": name, "range": block, "nodes": nodes, "podsPerNode": 15}


BEFORE = regions.settings(
    ceiling=7500,
    network={"range": "10.64.0.0/13"},
    nodePools=[pool("one", "10.65.0.0/16", 2000), pool("two", "10.66.0.0/16", 500)],
)


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Stack:
    """The region, deployed once; previews leave it as it is."""
    folder: Path = tmp_path_factory.mktemp("edits")
    made = prepared(folder, AzureCloud(folder / "azure"), deepcopy(BEFORE))
    made.up()
    return made


@pytest.fixture
def edit(stack: Stack) -> Callable[[Settings], dict[str, list[str]]]:
    """What a preview of other settings would do, by operation; every name is the part behind the region's."""
    image = json.loads(stack.environment["GIVEN"])["region"]["cloud"]["image"]

    def previewed(settings: Settings) -> dict[str, list[str]]:
        settings["cloud"]["image"] = image
        stack.give(region=settings)
        steps = stack.steps()
        for operation in ("create-replacement", "delete-replaced"):
            steps.pop(operation, None)
        return {verb: [name.removeprefix("west-") for name in names] for verb, names in steps.items()}

    return previewed


Edit = Callable[[Settings], dict[str, list[str]]]


def test_a_kernel_setting_of_one_pool_changes_its_scale_sets(edit: Edit) -> None:
    settings = deepcopy(BEFORE)
    settings["nodePools"][0]["sysctls"] = {"net.core.somaxconn": 65_535}
    assert edit(settings) == {"update": ["one-00", "one-01"]}


def test_another_size_of_one_member_is_another_machine_at_the_same_address_and_refused_while_protected(
    edit: Edit, stack: Stack
) -> None:
    settings = deepcopy(BEFORE)
    settings["cloud"]["etcd"] = {"members": {"main-2": "Standard_L32s_v3"}}
    with pytest.raises(PulumiError, match=r"marked for protection"):
        edit(settings)
    stack.pulumi("state", "unprotect", "--yes", stack.resources()["west-etcd-main-2"]["urn"])
    try:
        assert edit(settings) == {"replace": ["etcd-main-2"]}
    finally:
        stack.pulumi("state", "protect", "--yes", stack.resources()["west-etcd-main-2"]["urn"])


def test_a_flag_of_the_api_servers_changes_them_alone(edit: Edit) -> None:
    settings = deepcopy(BEFORE)
    settings["apiServers"]["eventTtlMinutes"] = 30
    assert edit(settings) == {"replace": ["api-1", "api-2", "api-3"]}


def test_one_more_pool_ahead_of_the_others_is_made_beside_them(edit: Edit) -> None:
    settings = deepcopy(BEFORE)
    settings["nodePools"].insert(0, pool("more", "10.67.0.0/18", 10))
    steps = edit(settings)
    assert steps.pop("create")
    assert {name for name in steps.pop("update", []) if "-nsg" not in name and "vnet" not in name} == set()
    assert steps == {}


def test_two_more_members_are_made_beside_the_first(edit: Edit) -> None:
    settings = deepcopy(BEFORE)
    settings["etcd"][0] |= {"members": 5, "bornWith": 3}
    steps = edit(settings)
    assert {"etcd-main-4", "etcd-main-5"} <= set(steps["create"])
    assert all("main-4" in name or "main-5" in name for name in steps.pop("create"))
    assert steps == {}


def test_growth_under_the_ceiling_makes_scale_sets_and_replaces_nothing(edit: Edit) -> None:
    settings = deepcopy(BEFORE)
    settings["nodePools"][0]["nodes"] = 3800
    settings["nodePools"][1]["nodes"] = 3700
    steps = edit(settings)
    assert steps.pop("create") == ["one-02", "one-03", "two-01", "two-02", "two-03"]
    # What the autoscaler may make and must leave of the sets that were the last.
    assert steps == {"update": ["one-01", "two-00"]}
