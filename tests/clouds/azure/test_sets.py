"""How a pool becomes scale sets."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kilonode.clouds.azure.sets import ScaleSet, scale_sets
from kilonode.cloudspec.azure import AzureCloudSpec
from kilonode.cloudspec.azure_image import scale_set_limit
from kilonode.limits import AZURE_SCALE_SET, NODES
from tests.clouds.azure.regions import GALLERY, PLAIN, pool, spec

SIZES = st.sampled_from(
    [
        {"size": "Standard_D16ds_v5"},
        {"size": "Standard_ND96isr_H100_v5"},
        {"size": "Standard_ND96isr_H100_v5", "placementGroup": True},
    ]
)
IMAGES = st.sampled_from([GALLERY, PLAIN])
MOST = st.integers(1, NODES.value)


def sets(most: int, azure: dict[str, Any], image: str = GALLERY, nodes: int = 0) -> tuple[ScaleSet, ...]:
    row = pool(nodes=nodes, podsPerNode=1, azure={**azure, "max": most})
    made = spec(ceiling=NODES.value, nodePools=[row], cloud={"image": {"kind": "given", "id": image}})
    assert isinstance(made.cloud, AzureCloudSpec)
    return scale_sets("west", made.cloud, made.machine_pools[0])


@given(MOST, SIZES, IMAGES)
def test_the_sets_of_a_pool_make_up_its_most_and_none_is_larger_than_azure_takes(
    most: int, azure: dict[str, Any], image: str
) -> None:
    made = sets(most, azure, image)
    limit = 600 if image == PLAIN else 1000
    if "H100" in azure["size"]:
        limit = 300 if azure.get("placementGroup") else 100
    assert sum(each.max for each in made) == most
    assert all(0 < each.max <= limit for each in made)
    assert all(each.max == limit for each in made[:-1])
    assert len({each.name for each in made}) == len(made)


@given(MOST, MOST, SIZES, IMAGES)
def test_growth_renames_no_set_and_takes_nothing_from_one(
    one: int, other: int, azure: dict[str, Any], image: str
) -> None:
    few, many = sets(min(one, other), azure, image), sets(max(one, other), azure, image)
    assert len(few) <= len(many)
    for before, after in zip(few, many, strict=False):
        assert (before.name, before.zones, before.single_placement_group) == (
            after.name,
            after.zones,
            after.single_placement_group,
        )
        assert before.max <= after.max


@given(MOST, st.data(), SIZES)
def test_a_pool_starts_with_its_nodes_in_the_first_sets(most: int, data: st.DataObject, azure: dict[str, Any]) -> None:
    nodes = data.draw(st.integers(0, most))
    made = sets(most, azure, nodes=nodes)
    assert sum(each.capacity for each in made) == nodes
    assert all(0 <= each.capacity <= each.max for each in made)
    full = [each.capacity == each.max for each in made]
    assert full == sorted(full, reverse=True)


@given(st.integers(1, 1000), st.integers(1, 1000), SIZES)
def test_more_nodes_at_first_take_none_from_a_set(one: int, other: int, azure: dict[str, Any]) -> None:
    few, many = (sets(1000, azure, nodes=nodes) for nodes in sorted((one, other)))
    assert all(before.capacity <= after.capacity for before, after in zip(few, many, strict=True))
    assert [(each.name, each.zones, each.max) for each in few] == [(each.name, each.zones, each.max) for each in many]


def test_a_placement_group_is_in_one_zone_and_other_sets_in_all() -> None:
    assert [each.zones for each in sets(250, {"size": "Standard_ND96isr_H100_v5"})] == [("1",), ("2",), ("3",)]
    assert [each.zones for each in sets(250, {"size": "Standard_ND96isr_H100_v5", "zones": ["2"]})] == [("2",)] * 3
    assert [each.zones for each in sets(1250, {"size": "Standard_D16ds_v5"})] == [("1", "2", "3")] * 2


def test_the_biggest_pool_in_the_smallest_groups_still_has_a_name_for_each() -> None:
    made = sets(NODES.value, {"size": "Standard_ND96isr_H100_v5"})
    assert (made[0].name, made[-1].name) == ("west-workers-00", "west-workers-99")


def test_the_limit_is_that_of_the_image() -> None:
    made = spec()
    assert isinstance(made.cloud, AzureCloudSpec)
    assert scale_set_limit(made.cloud.image) is AZURE_SCALE_SET
