"""The plan of a region on Azure: where everything is, and that growth moves nothing."""

from ipaddress import IPv4Network
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilonode.clouds.azure.plan import AzurePlan, plan_azure
from kilonode.clouds.azure.vnets import SNAT_PORTS, nat_prefix
from kilonode.limits import (
    AZURE_NAT_ADDRESSES,
    AZURE_NIC_ADDRESSES,
    AZURE_SNAT_CONNECTIONS,
    AZURE_VNET_ADDRESSES,
    AZURE_VNET_PEERINGS,
    NODES,
    RESERVED_PER_SUBNET,
)
from tests import plans
from tests.clouds.azure.regions import plan, pool

GPU = {"size": "Standard_ND96isr_H100_v5"}
RANGES = [f"10.{second}.{third}.0/18" for second in range(64, 68) for third in (64, 128, 192)]


@st.composite
def shapes(draw: st.DrawFn) -> dict[str, Any]:
    """How many of everything there are, in any order."""
    members = st.sampled_from([1, 3, 5, 7])
    ranges = draw(st.lists(st.sampled_from(RANGES), unique=True, max_size=6))
    rows = [
        pool(
            name=f"p{RANGES.index(each)}",
            range=each,
            nodes=draw(st.integers(0, 90)),
            azure={"max": 90, "surge": draw(st.booleans())},
        )
        for each in ranges
    ]
    return {
        "etcd": [{"name": name, "members": draw(members)} for name in ("main", "events", *(["leases"] if draw(st.booleans()) else []))],
        "apiServers": {"count": draw(st.integers(1, 9))},
        "nodePools": rows,
    }  # fmt: skip


def subnets(of: AzurePlan) -> dict[str, IPv4Network]:
    return {subnet.name: subnet.range for vnet in of.vnets for subnet in vnet.subnets}


def places(of: AzurePlan) -> dict[str, str]:
    """Where every fixed thing is: what must never change for something that stays."""
    found = {
        each.machine.name: f"{each.machine.address} {each.machine.zone} {each.subnet.vnet} {each.subnet.name}"
        for each in of.machines
    }
    found |= {
        each.spec.name: f"{each.subnet.vnet} {each.subnet.range} {each.identity} {each.node_prefix}"
        for each in of.pools
    }
    found |= {one.name: f"{one.zones} {one.single_placement_group}" for each in of.pools for one in each.sets}
    found |= {vnet.name: f"{vnet.range} {vnet.nat}" for vnet in of.vnets}
    found |= {
        f"subnet {subnet.name}": f"{subnet.vnet} {subnet.range} {subnet.rules}"
        for vnet in of.vnets
        for subnet in vnet.subnets
    }
    names = {
        "zone": of.dns_zone,
        "vault": of.key_vault,
        "storage": of.storage_account,
        "group": of.resource_group,
        "gallery": of.gallery,
    }
    return found | names | {"api": str(of.load_balancer)}


class TestAddresses:
    @given(shapes())
    def test_no_two_subnets_share_an_address_and_each_is_inside_its_network(self, shape: dict[str, Any]) -> None:
        made = plan(**shape)
        assert not any(one.overlaps(other) for one, other in combinations(subnets(made).values(), 2))
        for vnet in made.vnets:
            assert vnet.range.num_addresses <= AZURE_VNET_ADDRESSES.value
            assert vnet.range.subnet_of(made.region.range)
            assert vnet.subnets
            assert all(subnet.range.subnet_of(vnet.range) and subnet.vnet == vnet.name for subnet in vnet.subnets)
        assert not any(one.range.overlaps(other.range) for one, other in combinations(made.vnets, 2))

    @given(shapes())
    def test_a_pool_at_its_most_fits_its_subnet_with_its_pods_and_the_machines_of_an_upgrade(
        self, shape: dict[str, Any]
    ) -> None:
        made = plan(**shape)
        for each in made.pools:
            nodes = each.spec.most + made.cloud.surge_nodes(each.spec)
            assert nodes * each.addresses_per_node + RESERVED_PER_SUBNET.value <= each.subnet.range.num_addresses
            assert each.addresses_per_node <= AZURE_NIC_ADDRESSES.value

    @given(shapes())
    def test_every_fixed_machine_has_an_address_of_its_own_subnet_and_none_that_azure_keeps(
        self, shape: dict[str, Any]
    ) -> None:
        made = plan(**shape)
        for each in made.machines:
            addresses = list(each.subnet.range)
            assert each.machine.address in addresses[4:-1]
        taken = [*(each.machine.address for each in made.machines), made.load_balancer.address]
        assert len(set(taken)) == len(taken)
        assert made.load_balancer.address in made.load_balancer.subnet.range

    @given(shapes())
    def test_networks_are_peered_each_with_each_in_both_directions(self, shape: dict[str, Any]) -> None:
        made = plan(**shape)
        pairs = {(each.vnet, each.remote) for each in made.peerings}
        assert pairs == {(one.name, other.name) for one in made.vnets for other in made.vnets if one is not other}
        assert len(made.peerings) == len({each.name for each in made.peerings})

    def test_a_small_region_is_one_network_and_has_no_peering(self) -> None:
        made = plan(network={"range": "10.200.0.0/20"}, nodePools=[pool(range="10.200.8.0/22")])
        assert [(vnet.name, str(vnet.range)) for vnet in made.vnets] == [("west-vnet-0", "10.200.0.0/20")]
        assert made.peerings == ()

    def test_networks_are_numbered_by_their_place_and_not_by_their_turn(self) -> None:
        assert [vnet.name for vnet in plan(nodePools=[pool(range="10.67.0.0/16")]).vnets] == [
            "west-vnet-0",
            "west-vnet-3",
        ]

    def test_the_widest_region_has_no_more_peerings_than_azure_takes(self) -> None:
        blocks = 2 ** (16 - 8)  # of a /8, the largest private range
        assert AZURE_VNET_PEERINGS.value >= blocks - 1


class TestGrowth:
    @given(shapes(), shapes())
    def test_no_edit_moves_what_is_there_before_and_after(self, before: dict[str, Any], after: dict[str, Any]) -> None:
        had, has = places(plan(**before)), places(plan(**after))
        assert {name: had[name] for name in had.keys() & has} == {name: has[name] for name in had.keys() & has}

    @given(shapes(), st.randoms())
    def test_the_order_of_rows_decides_nothing(self, shape: dict[str, Any], random: Any) -> None:
        shuffled = {
            key: random.sample(rows, len(rows)) if isinstance(rows, list) else rows for key, rows in shape.items()
        }
        assert places(plan(**shape)) == places(plan(**shuffled))

    def test_from_2500_nodes_to_7500_under_one_ceiling_only_scale_sets_come(self) -> None:
        def region(*nodes: int) -> AzurePlan:
            rows = [
                pool(name=f"gpu-{number}", nodes=count, podsPerNode=15, range=f"10.{65 + number}.0.0/16", azure=GPU)
                for number, count in enumerate(nodes)
            ]
            return plan(ceiling=7500, nodePools=rows)

        small, big = region(1500, 1000), region(4000, 3500)
        had, has = places(small), places(big)
        assert {name: has[name] for name in had} == had
        assert sorted(set(has) - set(had)) == sorted(
            [
                *(f"west-gpu-0-{number}" for number in range(15, 40)),
                *(f"west-gpu-1-{number}" for number in range(10, 35)),
            ]
        )
        assert [each.size for each in small.machines] == [each.size for each in big.machines]

    def test_a_further_pool_adds_its_subnet_and_at_most_a_network(self) -> None:
        had, has = places(plan()), places(plan(nodePools=[pool(name="a-new-one", range="10.66.0.0/16"), pool()]))
        assert {name: has[name] for name in had} == had
        assert set(has) - set(had) == {"a-new-one", "west-a-new-one-00", "west-vnet-2", "subnet pool-a-new-one"}


class TestWayOut:
    @given(st.integers(1, NODES.value), st.integers(1, NODES.value))
    def test_public_addresses_grow_with_the_ceiling_and_stay_within_a_gateway_s(self, one: int, other: int) -> None:
        few, many = sorted((one, other))
        assert nat_prefix(few) >= nat_prefix(many)
        assert 2 <= 2 ** (32 - nat_prefix(many)) <= AZURE_NAT_ADDRESSES.value

    @pytest.mark.parametrize(("ceiling", "addresses"), [(1, 2), (1000, 2), (1001, 4), (7500, 16), (10_000, 16)])
    def test_there_are_connections_for_each_node_as_far_as_a_gateway_goes(self, ceiling: int, addresses: int) -> None:
        assert 2 ** (32 - nat_prefix(ceiling)) == addresses
        if addresses < AZURE_NAT_ADDRESSES.value:
            assert addresses * AZURE_SNAT_CONNECTIONS.value >= ceiling * int(SNAT_PORTS.value)

    def test_it_does_not_depend_on_pools(self) -> None:
        """A range of public addresses is never resized: others would be other addresses."""
        assert {vnet.nat.prefix_length for vnet in plan(nodePools=[]).vnets} == {
            vnet.nat.prefix_length for vnet in plan().vnets
        }


class TestMachines:
    def test_members_have_local_disks_and_api_servers_memory(self) -> None:
        made = plan(ceiling=7500)
        assert {each.size.name for each in made.machines if each.machine.role == "etcd"} == {"Standard_L16s_v3"}
        assert {each.size.name for each in made.machines if each.machine.role == "api"} == {"Standard_E32s_v5"}
        assert all(each.size.has_nvme for each in made.machines if each.machine.role == "etcd")

    def test_one_of_a_name_is_found_and_none_is_an_error(self) -> None:
        made = plan()
        assert made.machine("west-api-2").machine.name == "west-api-2"
        assert made.pool("workers").spec.name == "workers"
        assert made.subnet("pool-workers").role == "pools"
        for find in (made.machine, made.pool, made.subnet):
            with pytest.raises(KeyError):
                find("nobody")

    def test_each_cluster_has_a_container_for_its_marks(self) -> None:
        assert plan().marks == {"main": "marks-main", "events": "marks-events"}

    def test_the_api_s_name_is_in_the_private_zone(self) -> None:
        made = plan()
        assert f"api.{made.dns_zone}" == made.region.api_name

    def test_a_region_of_another_cloud_has_no_plan_here(self) -> None:
        with pytest.raises(TypeError, match="region west is on local"):
            plan_azure(plans.plan())

    def test_a_region_is_planned_the_same_every_time(self) -> None:
        assert plan() == plan()
