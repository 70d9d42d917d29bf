"""What a pool on Azure has to fit: its range, its networks, and the rest of its region; case Z02."""

from math import ceil
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilonode.cloudspec.azure_pool import BATCH
from kilonode.limits import AZURE_SCALE_SET, AZURE_VNET_ADDRESSES, RESERVED_PER_SUBNET
from kilonode.refusal import RefusedError
from kilonode.region.spec import RegionSpec
from tests import plans
from tests.clouds.azure import regions
from tests.clouds.azure.regions import one, pool, pool_of, refusals, settings, spec

GPU, CPU = "Standard_ND96isr_H100_v5", "Standard_D16ds_v5"


class TestAddresses:
    """Case Z02: a node's pods have addresses of the subnet, and Azure keeps five."""

    def test_two_nodes_of_thirty_pods_do_not_fit_a_26(self) -> None:
        found = one(nodePools=[pool(range="10.65.0.0/26")])
        assert (found.field, found.given) == ("region.nodePools[0].range", "10.65.0.0/26")
        assert found.allowed == "a /25 or larger"
        assert found.why == "2 nodes × (30 pods + 1) + 5 reserved = 67 addresses, it has 64"

    @pytest.mark.parametrize(("nodes", "fits"), [(7, True), (8, True), (9, False)])
    def test_a_24_takes_what_251_addresses_take(self, nodes: int, fits: bool) -> None:
        rows = [pool(nodes=nodes, range="10.65.0.0/24")]
        if fits:
            assert pool_of(spec(nodePools=rows)).nodes == nodes
        else:
            assert one(nodePools=rows).allowed == "a /23 or larger"

    def test_the_autoscaler_s_most_counts_and_not_today_s_nodes(self) -> None:
        found = one(nodePools=[pool(nodes=2, azure={"max": 9}, range="10.65.0.0/24")])
        assert found.why == "9 nodes × (30 pods + 1) + 5 reserved = 284 addresses, it has 256"
        assert found.fix == "use a /23, fewer nodes or fewer podsPerNode"

    def test_nodes_made_before_old_ones_end_are_counted_too(self) -> None:
        fits = pool(nodes=8, range="10.65.0.0/24")
        assert pool_of(spec(nodePools=[fits]))
        found = one(nodePools=[fits | {"azure": {"size": CPU, "surge": True}}])
        assert found.why == "(8 nodes + 1 surge) × (30 pods + 1) + 5 reserved = 284 addresses, it has 256"

    @given(st.integers(1, 2000), st.integers(1, 250), st.booleans())
    def test_a_pool_fits_exactly_the_prefix_that_is_asked_for(self, nodes: int, pods: int, surge: bool) -> None:
        """The prefix printed is enough, and the next longer one is not."""
        extra = ceil(nodes * int(BATCH.value) / 100) if surge else 0
        if nodes > AZURE_SCALE_SET.value:
            extra = sum(ceil(part * int(BATCH.value) / 100) for part in (1000, nodes - 1000)) if surge else 0
        need = (nodes + extra) * (pods + 1) + RESERVED_PER_SUBNET.value
        row = pool(nodes=nodes, podsPerNode=pods, range="10.65.0.0/30", azure={"surge": surge})
        found = one(ceiling=2000, nodePools=[row])
        if need > AZURE_VNET_ADDRESSES.value:
            assert found.allowed.startswith("at most ")
            assert f"= {need} addresses" in found.why
        else:
            prefix = int(found.allowed.removeprefix("a /").removesuffix(" or larger"))
            assert 2 ** (32 - prefix) >= need > 2 ** (31 - prefix)
            assert spec(ceiling=2000, nodePools=[row | {"range": f"10.65.0.0/{prefix}"}])

    def test_a_pool_too_big_for_a_virtual_network_is_told_into_how_many_to_split_it(self) -> None:
        found = one(ceiling=7500, nodePools=[pool(nodes=7500, podsPerNode=15)])
        assert found.why == (
            "(7500 nodes + 0 surge) × (15 pods + 1) + 5 reserved = 120005 addresses, "
            "and a pool lies in one virtual network, which has 65536"
        )
        assert (found.allowed, found.fix) == (
            "at most 4095 nodes of 15 pods in one pool",
            "split it into 2 pools, or use fewer podsPerNode",
        )

    def test_a_range_over_several_virtual_networks_is_refused_though_few_nodes_are_in_it(self) -> None:
        found = one(nodePools=[pool(range="10.66.0.0/15")])
        assert (found.allowed, found.fix) == ("a /16 or smaller", "use a /25")

    def test_peered_networks_have_a_limit_together_that_support_may_raise(self) -> None:
        rows = [pool(name=f"p{number}", nodes=2000, range=f"10.{65 + number}.0.0/16") for number in range(3)]
        found = one(ceiling=7500, nodePools=rows)
        assert (found.field, found.given, found.allowed) == (
            "region.nodePools",
            "186000 addresses in all",
            "at most 128000",
        )
        assert spec(ceiling=7500, nodePools=rows, cloud={"peeredAddresses": 200_000})


class TestTogether:
    def test_a_simulated_pool_is_refused_on_azure(self) -> None:
        found = one(nodePools=[{"name": "sim", "kind": "simulated", "range": "10.65.0.0/16"}])
        assert (found.field, found.given) == ("region.nodePools[0].kind", "simulated")
        assert found.allowed == "'machines' where cloud.kind is azure"

    def test_a_pool_without_settings_for_azure_is_refused_there_and_one_with_them_here(self) -> None:
        row = pool()
        del row["azure"]
        assert one(nodePools=[row]).field == "region.nodePools[0].azure"
        with pytest.raises(RefusedError, match=r"region.nodePools\[0\].azure\n"):
            RegionSpec.read(plans.settings(nodePools=[pool()]), "region")

    def test_zones_of_a_pool_are_some_of_the_region_s(self) -> None:
        assert spec(nodePools=[pool(azure={"zones": ["2"]})])
        found = one(cloud={"zones": ["1", "2"]}, nodePools=[pool(azure={"zones": ["3"]})])
        assert found.field == "region.nodePools[0].azure.zones"

    def test_gpu_nodes_carry_the_label_by_which_the_autoscaler_knows_them(self) -> None:
        assert pool_of(spec(nodePools=[pool(azure={"size": GPU})])).cloud_labels == {
            "kubernetes.azure.com/accelerator": "nvidia"
        }
        assert pool_of(spec()).cloud_labels == {}

    @pytest.mark.parametrize(
        "twice",
        [
            {"taints": [{"key": "a", "effect": effect} for effect in ("NoSchedule", "NoExecute")]},
            {"taints": [{"key": key, "effect": "NoSchedule"} for key in ("example.com/A", "example.com/a")]},
            {"labels": {"example.com/team": "a", "example.com/Team": "b"}},
        ],
    )
    def test_a_key_that_is_one_tag_s_name_with_another_is_refused(self, twice: dict[str, Any]) -> None:
        assert one(nodePools=[pool(**twice)]).allowed == "each key once, however it is spelt"

    def test_nobody_reaches_the_region_from_its_own_addresses(self) -> None:
        assert one(cloud={"operatorRanges": ["10.64.0.0/24"]}).field == "region.cloud.operatorRanges[0]"
        assert one(cloud={"sshRanges": ["10.0.0.0/24", "172.20.0.0/24"]}).field == "region.cloud.sshRanges[1]"

    def test_a_backend_that_no_member_could_hold_in_memory_is_refused(self) -> None:
        rows = [{"name": "main", "members": 3}, {"name": "events", "members": 3, "quota": "65GiB"}]
        assert one(etcd=rows).field == "region.etcd[1].quota"
        assert spec(etcd=rows, cloud={"etcd": {"size": "Standard_L16s_v3"}})

    def test_what_is_unwise_is_said(self) -> None:
        bare = settings(cloud={"zones": ["1"]})
        del bare["cloud"]["operatorRanges"]
        assert [warning.partition(":")[0] for warning in RegionSpec.read(bare, "region").warnings()] == [
            "cloud.zones has 1", "cloud.operatorRanges is empty",
        ]  # fmt: skip
        assert spec().warnings() == []

    def test_every_fault_of_one_pool_s_own_is_said_at_once(self) -> None:
        faults = refusals(nodePools=[pool(azure={"size": "x", "max": 0, "spot": "yes", "zone": 1})])
        assert {found.field.rpartition(".")[2] for found in faults} == {"size", "max", "spot", "zone"}


def test_one_member_may_have_another_size_and_only_one_that_is_there() -> None:
    made = regions.plan(cloud={"etcd": {"members": {"main-2": "Standard_L32s_v3"}}})
    sizes = {each.machine.name: each.size.name for each in made.machines if "-etcd-" in each.machine.name}
    assert sizes.pop("west-etcd-main-2") == "Standard_L32s_v3"
    assert set(sizes.values()) == {"Standard_L8s_v3"}
    found = regions.one(cloud={"etcd": {"members": {"main-4": "Standard_L8s_v3"}}})
    assert (found.field, found.given) == ("region.cloud.etcd.members.main-4", "main-4")
    assert found.allowed == "one of main-1, main-2, main-3, events-1, events-2, events-3"
    found = regions.one(cloud={"etcd": {"members": {"main-1": "Standard_D16ds_v5"}}})
    assert "local NVMe" in found.allowed


def test_a_pool_may_boot_another_image_of_the_same_form() -> None:
    newer = regions.GALLERY.replace("1.0.0", "1.0.1")
    assert regions.plan(nodePools=[regions.pool(azure={"image": {"kind": "given", "id": newer}})])
    found = regions.one(nodePools=[regions.pool(azure={"image": {"kind": "given", "id": regions.PLAIN}})])
    assert found.field == "region.nodePools[0].azure.image.id"
    assert found.allowed == "the id of a gallery image, as cloud.image is"
