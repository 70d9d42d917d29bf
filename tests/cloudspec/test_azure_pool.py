"""Pools on Azure: how many nodes, which scale sets, which disk; case Z04."""

from ipaddress import ip_network
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilonode.clouds.azure.sets import ScaleSet, waves
from kilonode.cloudspec.azure_pool import CONTAINERS, AzurePoolSpec
from kilonode.cloudspec.azure_sizes import SIZES
from kilonode.limits import AZURE_SCALE_SET, AZURE_SCALE_SET_PLAIN_IMAGE
from kilonode.refusal import RefusedError
from tests.clouds.azure import regions
from tests.clouds.azure.regions import PLAIN, one, pool, pool_of, spec

GPU, CPU = "Standard_ND96isr_H100_v5", "Standard_D16ds_v5"


def azure(**changes: Any) -> AzurePoolSpec:
    return AzurePoolSpec.read({"size": CPU} | changes, "azure")


class TestCounts:
    def test_the_sum_of_mosts_stays_under_the_ceiling(self) -> None:
        rows = [
            pool(name=name, nodes=0, azure={"max": 500}, range=f"10.{number}.0.0/16")
            for name, number in (("a", 65), ("b", 66))
        ]
        assert spec(ceiling=1000, nodePools=rows)
        found = one(ceiling=999, nodePools=rows)
        assert (found.given, found.allowed) == ("1000 nodes in all", "at most the ceiling of 999")

    def test_the_most_is_the_nodes_where_none_is_given(self) -> None:
        assert pool_of(spec(nodePools=[pool(nodes=7)])).most == 7
        assert pool_of(spec(nodePools=[pool(nodes=7, azure={"max": 9})])).most == 9

    def test_a_most_below_the_nodes_is_refused(self) -> None:
        found = one(nodePools=[pool(nodes=7, azure={"max": 6})])
        assert (found.field, found.given, found.allowed) == ("region.nodePools[0].azure.max", "6", "at least nodes (7)")

    def test_the_autoscaler_leaves_half_of_the_nodes_or_what_is_given(self) -> None:
        assert regions.plan(nodePools=[pool(nodes=7)]).pools[0].sets[0].min == 3
        made = regions.plan(ceiling=2000, nodePools=[pool(nodes=2, azure={"max": 1500, "min": 1200})])
        assert [each.min for each in made.pools[0].sets] == [1000, 200]

    def test_a_fewest_above_the_most_is_refused(self) -> None:
        found = one(nodePools=[pool(nodes=7, azure={"max": 9, "min": 10})])
        assert (found.field, found.given) == ("region.nodePools[0].azure.min", "10")
        assert found.allowed == "at most azure.max, or nodes without one (9)"


class TestWaves:
    def test_sets_wait_for_the_wave_before_theirs_which_is_no_larger_than_the_ramp(self) -> None:
        rows = [
            pool(
                name=name,
                nodes=900,
                azure={"max": 900, "size": "Standard_ND96isr_H100_v5", "placementGroup": True},
                range=block,
            )
            for name, block in (("a", "10.65.0.0/16"), ("b", "10.66.0.0/16"))
        ]
        made = regions.plan(ceiling=1800, nodePools=rows)
        sets = [each for one in made.pools for each in one.sets]
        assert [each.capacity for each in sets] == [300] * 6
        names = [each.name for each in sets]
        assert list(waves(sets).values()) == [(), (), (), *[tuple(names[:3])] * 3]

    def test_a_set_larger_than_the_ramp_s_rest_is_a_wave_of_its_own(self) -> None:
        made = [ScaleSet(str(number), number, 1000, 0, 1000, (), single_placement_group=False) for number in range(3)]
        assert waves(made) == {"0": (), "1": ("0",), "2": ("1",)}


class TestScaleSets:
    """Case Z04."""

    @pytest.mark.parametrize("most", [1, 100, 101, 1000])
    def test_auto_is_one_placement_group_for_infiniband_only_however_many_there_are(self, most: int) -> None:
        assert not azure(max=most).single_placement_group
        assert azure(size=GPU, max=most).single_placement_group

    @pytest.mark.parametrize("choice", ["auto", True, False])
    def test_a_hundred_may_be_one_placement_group_or_not(self, choice: object) -> None:
        assert pool_of(spec(nodePools=[pool(nodes=100, azure={"placementGroup": choice})])).most == 100

    @pytest.mark.parametrize("choice", [1, 0, 1.0, None, "yes", []])
    def test_only_auto_true_and_false_are_choices(self, choice: object) -> None:
        assert one(nodePools=[pool(azure={"placementGroup": choice})]).allowed == "auto, true or false"

    def test_a_hundred_and_one_may_not(self) -> None:
        found = one(nodePools=[pool(nodes=2, azure={"placementGroup": True, "max": 101})])
        assert (found.field, found.given) == (
            "region.nodePools[0].azure.placementGroup",
            "true, with 101 nodes at most",
        )
        assert found.allowed == "auto or false above 100 nodes"

    def test_infiniband_may_be_one_group_of_more_where_it_is_said(self) -> None:
        made = pool_of(spec(nodePools=[pool(nodes=150, azure={"size": GPU, "placementGroup": True})]))
        assert made.azure
        assert made.azure.set_sizes(150, AZURE_SCALE_SET) == (150,)
        assert azure(size=GPU).set_sizes(150, AZURE_SCALE_SET) == (100, 50)

    def test_infiniband_without_a_placement_group_is_refused(self) -> None:
        assert one(nodePools=[pool(azure={"size": GPU, "placementGroup": False})]).allowed == f"auto or true with {GPU}"

    def test_a_plain_image_makes_smaller_sets_than_one_of_a_gallery(self) -> None:
        assert azure().set_sizes(1001, AZURE_SCALE_SET) == (1000, 1)
        assert azure().set_sizes(601, AZURE_SCALE_SET_PLAIN_IMAGE) == (600, 1)
        surging = [pool(nodes=601, azure={"surge": True})]
        plain = spec(nodePools=surging, cloud={"image": {"kind": "given", "id": PLAIN}})
        assert plain.cloud.surge_nodes(pool_of(plain)) == 30 + 1
        assert spec(nodePools=surging).cloud.surge_nodes(pool_of(plain)) == 31

    def test_infiniband_keeps_a_range_for_itself(self) -> None:
        inside = {
            "network": {"range": "172.16.0.0/14", "services": "10.1.0.0/16"},
            "nodePools": [pool(range="172.17.0.0/16", azure={"size": GPU})],
        }
        assert one(**inside).field == "region.network.range"
        inside["nodePools"] = [pool(range="172.17.0.0/16")]
        assert spec(**inside).network.range == ip_network("172.16.0.0/14")


class TestEphemeralDisks:
    @pytest.mark.parametrize(
        ("size", "gib", "fits"),
        [
            (CPU, 64, True), (CPU, 600 - 1 - int(CONTAINERS.value), True), (CPU, 600 - int(CONTAINERS.value), False),
            (GPU, 1023, True), (GPU, 1024, False),  # beside eight NVMe disks there is a SCSI disk of 1,024 GiB
            ("Standard_L8s_v3", 79, True), ("Standard_L8s_v3", 80, False),
            ("Standard_D16ds_v6", 439, True), ("Standard_D16ds_v6", 440, False),  # of two NVMe disks one must stay
            ("Standard_D8ds_v6", 64, False),  # of one NVMe disk nothing would stay
            ("Standard_E16ds_v6", 64, False),  # the family does not know them
        ],
    )  # fmt: skip
    def test_it_is_used_where_it_fits_beside_containers(self, size: str, gib: int, fits: bool) -> None:
        made = azure(size=size, osDiskGib=gib)
        assert made.ephemeral == made.ephemeral_fits == fits
        assert not azure(size=size, osDiskGib=gib, ephemeralOsDisk=False).ephemeral
        if fits:
            assert azure(size=size, osDiskGib=gib, ephemeralOsDisk=True).ephemeral
        else:
            with pytest.raises(RefusedError, match=r"azure.ephemeralOsDisk\n"):
                azure(size=size, osDiskGib=gib, ephemeralOsDisk=True)

    @given(st.sampled_from([size.name for size in SIZES.values() if size.disks]), st.integers(30, 1024))
    def test_whatever_fits_leaves_a_local_disk_for_containers(self, size: str, gib: int) -> None:
        row = SIZES[size]
        assert row.disks
        if azure(size=size, osDiskGib=gib).ephemeral and row.disks.kind != "nvme-direct":
            assert row.disks.count * row.disks.gib - gib >= CONTAINERS.value
