"""The named fixed slots of a region's range: where each kind of fixed machine lives, for ever.

The first /22 of the range is cut into sixteen /26 slots. A slot is one Azure subnet, or one AWS subnet per zone
(a /28, the smallest AWS allows). A new slot takes the next free number, so nothing that exists ever moves.
"""

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network
from itertools import islice

from kilonode.limits import RESERVED_AT_START

FIXED_PREFIX = 22
SLOT_PREFIX = 26
ZONE_PREFIX = 28
ZONES_MAX = 2 ** (ZONE_PREFIX - SLOT_PREFIX)
PER_ZONE = 2 ** (32 - ZONE_PREFIX) - RESERVED_AT_START.value - 1


@dataclass(frozen=True)
class Slot:
    """One /26: its number counted from the start of the region's range, and who lives there."""

    name: str
    number: int
    why: str


EDGE = Slot("edge", 0, "gateway, load balancer, the operator's own address")
ETCD_MAIN = Slot("etcd-main", 1, "members of the main etcd cluster")
ETCD_EVENTS = Slot("etcd-events", 2, "members of the events etcd cluster")
ETCD_LEASES = Slot("etcd-leases", 3, "members of the leases etcd cluster")
API_SERVERS = Slot("api-servers", 4, "API servers")
SIMULATORS = Slot("simulators", 5, "machines that simulate node pools")
SLOTS = (EDGE, ETCD_MAIN, ETCD_EVENTS, ETCD_LEASES, API_SERVERS, SIMULATORS)

GATEWAY_OFFSET = 1
LOAD_BALANCER_OFFSET = RESERVED_AT_START.value
OPERATOR_OFFSET = 2 ** (32 - ZONE_PREFIX) - 2


def slot_range(region: IPv4Network, slot: Slot) -> IPv4Network:
    """The /26 of ``slot`` in ``region``."""
    return next(islice(region.subnets(new_prefix=SLOT_PREFIX), slot.number, None))


def edge_address(region: IPv4Network, offset: int) -> IPv4Address:
    """The address ``offset`` places into the edge slot."""
    return slot_range(region, EDGE)[offset]


def machine_address(region: IPv4Network, slot: Slot, index: int, zones: int) -> IPv4Address:
    """The address of machine ``index`` (from 0), machines being dealt to ``zones`` in turn.

    Raises:
        ValueError: when the slot has no place left; specs refuse such counts first.
    """
    zone, place = index % zones, index // zones
    if zones > ZONES_MAX or place >= PER_ZONE:
        raise ValueError(f"slot {slot.name} has no place for machine {index} over {zones} zones")
    return slot_range(region, slot)[zone * 2 ** (32 - ZONE_PREFIX) + RESERVED_AT_START.value + place]
