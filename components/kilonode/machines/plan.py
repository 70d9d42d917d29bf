"""A fixed machine: one whose name, zone and address follow from the plan."""

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network

from kilonode.network.slots import Slot, machine_address


@dataclass(frozen=True)
class FixedMachine:
    """Who a fixed machine is."""

    name: str
    role: str
    zone: str
    address: IPv4Address


def fixed_machines(
    kind: str, slot: Slot, count: int, region: str, network: IPv4Network, zones: tuple[str, ...], role: str = ""
) -> tuple[FixedMachine, ...]:
    """``count`` machines of one slot, numbered from 1 and dealt to the zones in turn."""
    return tuple(
        FixedMachine(
            f"{region}-{kind}-{index + 1}",
            role or kind,
            zones[index % len(zones)],
            machine_address(network, slot, index, len(zones)),
        )
        for index in range(count)
    )
