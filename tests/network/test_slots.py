"""The named slots of the fixed machines never overlap, and no machine in them ever moves."""

from ipaddress import IPv4Address, IPv4Network
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilonode.network.slots import (
    EDGE,
    FIXED_PREFIX,
    GATEWAY_OFFSET,
    LOAD_BALANCER_OFFSET,
    OPERATOR_OFFSET,
    PER_ZONE,
    SLOTS,
    ZONE_PREFIX,
    ZONES_MAX,
    Slot,
    edge_address,
    machine_address,
    slot_range,
)

REGION_RANGES = st.integers(12, FIXED_PREFIX).flatmap(
    lambda prefix: st.integers(0, 2 ** (prefix - 8) - 1).map(
        lambda number: IPv4Network((int(IPv4Address("10.0.0.0")) + number * 2 ** (32 - prefix), prefix))
    )
)


@given(REGION_RANGES)
def test_slots_lie_in_the_fixed_part_of_the_range_and_never_overlap(region: IPv4Network) -> None:
    fixed = next(region.subnets(new_prefix=FIXED_PREFIX))
    ranges = [slot_range(region, slot) for slot in SLOTS]
    assert all(slot.subnet_of(fixed) for slot in ranges)
    assert not any(one.overlaps(two) for one, two in combinations(ranges, 2))


def test_slot_numbers_are_what_they_were_when_the_first_region_was_made() -> None:
    """A number that changes moves every machine of that slot in every living region: add numbers, never edit one."""
    assert {slot.name: slot.number for slot in SLOTS} == {
        "edge": 0, "etcd-main": 1, "etcd-events": 2, "etcd-leases": 3, "api-servers": 4, "simulators": 5,
    }  # fmt: skip


@given(REGION_RANGES, st.sampled_from(SLOTS), st.integers(1, ZONES_MAX))
def test_machines_of_a_slot_have_addresses_of_their_own_that_no_cloud_keeps(
    region: IPv4Network, slot: Slot, zones: int
) -> None:
    addresses = [machine_address(region, slot, index, zones) for index in range(zones * PER_ZONE)]
    assert len(set(addresses)) == len(addresses)
    assert all(address in slot_range(region, slot) for address in addresses)
    for subnet in slot_range(region, slot).subnets(new_prefix=ZONE_PREFIX):
        assert not {*(subnet[offset] for offset in range(4)), subnet[-1]} & set(addresses)


@given(REGION_RANGES, st.sampled_from(SLOTS), st.integers(1, ZONES_MAX), st.data())
def test_a_machine_s_zone_decides_its_subnet(region: IPv4Network, slot: Slot, zones: int, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, zones * PER_ZONE - 1))
    subnets = list(slot_range(region, slot).subnets(new_prefix=ZONE_PREFIX))
    assert machine_address(region, slot, index, zones) in subnets[index % zones]


@pytest.mark.parametrize(("index", "zones"), [(3 * PER_ZONE, 3), (PER_ZONE, 1), (0, ZONES_MAX + 1)])
def test_a_full_slot_says_so_instead_of_reaching_into_the_next(index: int, zones: int) -> None:
    with pytest.raises(ValueError, match="no place"):
        machine_address(IPv4Network("10.0.0.0/16"), SLOTS[1], index, zones)


@given(REGION_RANGES)
def test_gateway_load_balancer_and_operator_share_the_edge_without_meeting(region: IPv4Network) -> None:
    addresses = {edge_address(region, offset) for offset in (GATEWAY_OFFSET, LOAD_BALANCER_OFFSET, OPERATOR_OFFSET)}
    assert len(addresses) == 3
    assert all(address in slot_range(region, EDGE) for address in addresses)
    assert edge_address(region, GATEWAY_OFFSET) == region[1]
