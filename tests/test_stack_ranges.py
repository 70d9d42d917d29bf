"""Stacks that ship live side by side: their networks may be peered with one office, so no two share an address."""

from itertools import combinations

import pytest

from kilonode.clouds.azure.plan import plan_azure
from kilonode.cloudspec.azure import AzureCloudSpec
from kilonode.region.plan import plan_region
from kilonode.region.spec import RegionSpec
from ops.stack import CLONE
from ops.stackfile import read_stack

STACKS = {file.name.split(".")[1]: read_stack(file) for file in sorted((CLONE / "stacks").glob("Pulumi.*.yaml"))}
AZURE = {name: spec for name, spec in STACKS.items() if isinstance(spec.cloud, AzureCloudSpec)}


@pytest.mark.parametrize(("one", "other"), list(combinations(STACKS, 2)))
def test_no_two_stacks_share_an_address_or_a_name(one: str, other: str) -> None:
    first, second = STACKS[one], STACKS[other]
    assert not first.network.range.overlaps(second.network.range)
    assert not first.network.services.overlaps(second.network.range)
    assert not second.network.services.overlaps(first.network.range)
    assert first.name != second.name


def test_operators_come_from_no_region() -> None:
    for spec in AZURE.values():
        assert isinstance(spec.cloud, AzureCloudSpec)
        ranges = spec.cloud.operator_ranges
        assert ranges
        assert not any(each.overlaps(other.network.range) for each in ranges for other in STACKS.values())


def test_the_big_stack_is_what_it_says() -> None:
    spec = STACKS["azure-southcentralus"]
    made = plan_azure(plan_region(spec))
    assert spec.ceiling == sum(pool.most for pool in spec.machine_pools) == 7500
    assert {pool.labels.get("example.com/team") for pool in spec.machine_pools} == {"research", "product", None}
    assert {each.azure.type.gpus for each in made.pools} == {0, 8}
    assert len(made.vnets) == 3
    assert len(made.machines) == 15
    assert [len(each.sets) for each in made.pools] == [12, 11, 1, 1]


def test_a_pool_without_taints_is_left_for_what_belongs_to_no_team() -> None:
    """Cluster DNS tolerates no team's taint."""
    for spec in AZURE.values():
        assert any(not pool.taints and pool.nodes for pool in spec.machine_pools)


def test_the_small_stack_is_for_fifty_nodes() -> None:
    spec: RegionSpec = STACKS["azure-westeurope-small"]
    assert spec.ceiling == sum(pool.most for pool in spec.machine_pools) == 50
    assert len(plan_azure(plan_region(spec)).vnets) == 1
