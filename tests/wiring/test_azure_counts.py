"""How many resources the shipped region of 7,500 nodes is, and what of that follows from the number of nodes."""

from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from pulumi.runtime import settings

from kilonode.region.settings import KEY
from ops.stack import CLONE
from tests.wiring.test_azure_region import NATIVE, Monitor, registered

RESOURCES_MAX = 300
STACK = "pulumi:pulumi:Stack"
"""A resource too, which mocks register for the first program only."""
SCALE_SET = f"{NATIVE}compute:VirtualMachineScaleSet"
Named = set[tuple[str, str]]


def region(fraction: int) -> tuple[int, Named]:
    """The nodes, and all resources by type and name, of the shipped region with every pool that fraction of its size."""
    document = yaml.safe_load((CLONE / "stacks" / "Pulumi.azure-southcentralus.yaml").read_text())
    given: dict[str, Any] = document["config"][KEY]
    pools = [{**pool, "nodes": pool["nodes"] // fraction} for pool in given["nodePools"]]
    made: Monitor = registered(**{**given, "nodePools": pools})
    named = {(each.type, each.name) for each in made.registered if each.type != STACK}
    return sum(pool["nodes"] for pool in pools), named


@pytest.fixture(scope="module")
def large() -> Iterator[tuple[int, Named]]:
    before = settings.SETTINGS
    yield region(1)
    settings.configure(before)


def sets(named: Named) -> Named:
    return {each for each in named if each[0] == SCALE_SET}


def test_the_shipped_region_of_7500_nodes_is_at_most_300_resources(large: tuple[int, Named]) -> None:
    nodes, named = large
    assert nodes == 7500
    assert len(named) + 1 <= RESOURCES_MAX


def test_a_tenth_of_the_nodes_is_the_same_resources_but_for_whole_scale_sets(large: tuple[int, Named]) -> None:
    nodes, few = region(10)
    assert nodes == 750
    assert few - sets(few) == large[1] - sets(large[1])
    # Of each pool the first sets stay: growth adds the next ones.
    assert sets(few) < sets(large[1])
