"""The sizes of Azure machines: which disks they have, and what they may be used for."""

import pytest

from kilonode.cloudspec.azure_machines import API_SERVERS, ETCD, api_server_size, etcd_size
from kilonode.cloudspec.azure_sizes import SIZES
from kilonode.limits import AZURE_NIC_ADDRESSES, NODES
from kilonode.nodes.spec import PODS_MAX
from tests.clouds.azure.regions import one, pool, spec


def test_each_row_stands_under_its_own_name_with_a_source() -> None:
    assert all(name == size.name for name, size in SIZES.items())
    assert all(
        size.source.startswith("https://learn.microsoft.com/azure/virtual-machines/sizes/") for size in SIZES.values()
    )


def test_azure_s_own_spelling_says_whether_there_is_a_local_disk() -> None:
    """Sizes of the D and E families have one if a d is in their name; the other families always do."""
    for size in SIZES.values():
        family = size.name.removeprefix("Standard_")
        assert (size.disks is not None) == (family[0] not in "DE" or "ds_v" in family), size.name


@pytest.mark.parametrize(
    ("size", "kind"),
    [("Standard_D16ds_v5", "scsi-temp"), ("Standard_L8s_v3", "nvme-direct"), ("Standard_D16ds_v6", "nvme-temp-v6")],
)
def test_each_generation_of_machines_shows_its_disks_in_its_own_way(size: str, kind: str) -> None:
    """Case E10: v5 SCSI, L-series mixed, v6 NVMe; how each is found is judged in tests/clouds/azure/test_machine_side_disk."""
    disks = SIZES[size].disks
    assert disks
    assert disks.kind == kind
    assert bool(SIZES[size].temp_gib) == (kind != "nvme-temp-v6")


def test_the_family_with_both_keeps_its_two_disks_apart() -> None:
    size = SIZES["Standard_L8s_v3"]
    assert size.disks
    assert (size.disks.count, size.disks.gib, size.temp_gib) == (1, 1788, 80)


def test_a_node_with_all_the_pods_it_may_have_fits_one_interface() -> None:
    assert AZURE_NIC_ADDRESSES.value >= PODS_MAX + 1
    assert {size.addresses for size in SIZES.values()} == {AZURE_NIC_ADDRESSES.value}


class TestEtcd:
    """Case E06: a member's disk is local and dies with the machine, so the machine must never come and go by itself."""

    @pytest.mark.parametrize("size", [size.name for size in SIZES.values() if not size.has_nvme])
    def test_a_size_without_local_nvme_is_refused_by_name(self, size: str) -> None:
        found = one(cloud={"etcd": {"size": size}})
        assert found.field == "region.cloud.etcd.size"
        assert size in found.given
        assert found.why.startswith(f"{size} has ")
        assert found.allowed == "a size with local NVMe disks, such as Standard_L8s_v3"

    @pytest.mark.parametrize("key", ["spot", "max", "backup", "autoscale"])
    def test_there_is_no_way_to_write_spot_or_scaling_or_no_backup(self, key: str) -> None:
        assert one(cloud={"etcd": {key: True}}).allowed == "the keys members, size"

    def test_an_unknown_size_is_answered_with_the_nearest(self) -> None:
        assert one(cloud={"etcd": {"size": "Standard_L8s_v33"}}).fix == "did you mean 'Standard_L8s_v3'?"
        assert "Standard_NV6" not in SIZES
        assert one(nodePools=[pool(azure={"size": "x"})]).fix.startswith(
            "use a size of kilonode/cloudspec/azure_sizes.py"
        )


class TestByTheCeiling:
    def test_every_default_is_a_size_its_role_may_have(self) -> None:
        assert all(SIZES[step.size].has_nvme for step in ETCD)
        assert all(step.size in SIZES for step in API_SERVERS)
        assert ETCD[-1].nodes == API_SERVERS[-1].nodes == NODES.value

    @pytest.mark.parametrize(
        ("ceiling", "etcd", "api"),
        [(1, "Standard_L8s_v3", "Standard_E8s_v5"), (1000, "Standard_L8s_v3", "Standard_E16s_v5"),
         (1001, "Standard_L16s_v3", "Standard_E16s_v5"), (7500, "Standard_L16s_v3", "Standard_E32s_v5")],
    )  # fmt: skip
    def test_the_ceiling_decides_and_not_the_nodes_of_today(self, ceiling: int, etcd: str, api: str) -> None:
        assert (etcd_size(ceiling).name, api_server_size(ceiling).name) == (etcd, api)
        made = spec(ceiling=ceiling, nodePools=[])
        assert made.cloud.kind == "azure"
        assert made.cloud.etcd_size(made.ceiling).name == etcd
        assert made.cloud.api_server_size(made.ceiling).name == api

    def test_an_api_server_has_twice_the_memory_that_7500_nodes_took(self) -> None:
        assert api_server_size(7500).memory_gib >= 2 * 75

    def test_members_have_memory_for_the_largest_suggested_backend_many_times(self) -> None:
        assert all(SIZES[step.size].memory_gib >= 4 * 8 for step in ETCD)

    def test_a_smaller_size_than_the_ceiling_asks_for_is_taken_with_a_warning(self) -> None:
        small = spec(
            ceiling=5000, cloud={"etcd": {"size": "Standard_L8s_v3"}, "apiServers": {"size": "Standard_E8s_v5"}}
        )
        assert [warning.partition(" is ")[0] for warning in small.warnings()] == [
            "cloud.etcd.size Standard_L8s_v3", "cloud.apiServers.size Standard_E8s_v5",
        ]  # fmt: skip
