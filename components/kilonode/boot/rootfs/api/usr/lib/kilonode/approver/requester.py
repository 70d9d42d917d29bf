"""Whose request it is, as the API server found by the credential: a machine that joins, or a node that has."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from approver.requests import Address, Request

JOINING = "kilonode:joining"
NODE_USER = "system:node:"
NODES = "system:nodes"
EVERYBODY = "system:authenticated"

POOL_GROUP = "kilonode:pool:"
ADDRESS_GROUP = "kilonode:address:"
RANGE_GROUP = "kilonode:range:"
NAMES_GROUP = "kilonode:names:"
JOINED_GROUP = "kilonode:joined:"
_KINDS = (POOL_GROUP, ADDRESS_GROUP, RANGE_GROUP, NAMES_GROUP, JOINED_GROUP)
_OF_MACHINES = ({POOL_GROUP, ADDRESS_GROUP}, {POOL_GROUP, NAMES_GROUP, RANGE_GROUP})
_OF_NODES = ({POOL_GROUP, ADDRESS_GROUP, JOINED_GROUP}, {POOL_GROUP, RANGE_GROUP, JOINED_GROUP})

_NODE = re.compile(r"[a-z]([a-z0-9-]*[a-z0-9])?")
_PREFIX = re.compile(r"[a-z][a-z0-9-]*")
_GIVEN = 8  # characters; Azure: two digits of the scale set, and its own number of the machine, six to the base 36
_SECONDS = re.compile(r"[0-9]{1,11}")

Place = Address | IPv4Network | IPv6Network


@dataclass(frozen=True)
class Requester:
    """A machine with a credential for one name and address, or for any of a pool's; or a node, which has both."""

    node: str
    """The node it may be; empty when it may be any of a pool's and asks to be another's."""

    called: str
    """The name, or what such names are like, for sentences."""

    pool: str
    place: Place
    joined: int | None
    """When its machine joined, in seconds of Unix time; None for one that has not."""

    @classmethod
    def of(cls, request: Request) -> "Requester | None":
        """Read the user's name and groups; None for whoever has not exactly those of a credential for a node."""
        joining = request.username.startswith(f"{JOINING}:")
        own, prefix = (JOINING, f"{JOINING}:") if joining else (NODES, NODE_USER)
        if not request.username.startswith(prefix) or not {own, EVERYBODY} <= request.groups:
            return None
        name, values = request.username.removeprefix(prefix), _values(request.groups - {own, EVERYBODY})
        place = _place(values)
        if values.keys() not in (_OF_MACHINES if joining else _OF_NODES) or place is None:
            return None
        pool = values[POOL_GROUP]
        if NAMES_GROUP in values:
            return _any_of_a_pool(name, pool, values[NAMES_GROUP], place, request.node)
        if not _NODE.fullmatch(name) or not (_is_planned(name, pool) if ADDRESS_GROUP in values else _is_given(name)):
            return None
        if joining:
            return cls(name, name, pool, place, None)
        moment = values[JOINED_GROUP]
        return cls(name, name, pool, place, int(moment)) if _SECONDS.fullmatch(moment) else None

    @property
    def groups(self) -> tuple[str, str]:
        """The groups that say what its credential is for."""
        place = ADDRESS_GROUP if isinstance(self.place, Address) else RANGE_GROUP
        return f"{POOL_GROUP}{self.pool}", f"{place}{self.place}"

    def is_at(self, addresses: tuple[Address, ...]) -> bool:
        """Whether these are its own address, or one of those it may have."""
        if isinstance(self.place, Address):
            return set(addresses) == {self.place}
        return len(addresses) == 1 and addresses[0] in self.place


def _any_of_a_pool(name: str, pool: str, prefix: str, place: Place, asked: str) -> Requester | None:
    if name != pool or not _PREFIX.fullmatch(prefix):
        return None
    node = asked if _is_given(asked) and asked[:-_GIVEN] == prefix else ""
    return Requester(node, f"{prefix} and eight of 0-9 and a-z", pool, place, None)


def _is_planned(name: str, pool: str) -> bool:
    beginning, _, number = name.rpartition("-")
    return beginning.endswith(f"-{pool}") and re.fullmatch("[0-9]+", number) is not None


def _is_given(name: str) -> bool:
    return bool(_PREFIX.fullmatch(name[:-_GIVEN]) and re.fullmatch("[0-9a-z]+", name[-_GIVEN:]))


def _values(groups: Iterable[str]) -> dict[str, str]:
    """What the groups say by their kind; nothing when one is of no kind, or two are of one."""
    found: dict[str, str] = {}
    for group in groups:
        kind = next((kind for kind in _KINDS if group.startswith(kind)), "")
        if not kind or kind in found:
            return {}
        found[kind] = group.removeprefix(kind)
    return found


def _place(values: dict[str, str]) -> Place | None:
    address, network = values.get(ADDRESS_GROUP), values.get(RANGE_GROUP)
    try:
        read = ip_address(address) if address is not None else ip_network(network or "")
    except ValueError:
        return None
    return read if str(read) in (address, network) else None
