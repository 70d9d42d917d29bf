"""Address spaces, subnets and the addresses in them.

Sources: Azure Virtual Network FAQ (the first four and the last address of a subnet are reserved; subnets lie in the
address space and do not overlap; /29 is the smallest); Azure networking limits (65,536 private addresses per virtual
network); virtual network peering (address spaces of peers may not overlap).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network
from typing import Any, Final

from . import ids, paths
from .refusal import ArmError
from .store import Store, Stored
from .values import unknown

RESERVED_FIRST: Final = 4
RESERVED: Final = 5
SMALLEST: Final = 29
PER_NETWORK: Final = 65_536
FRONTENDS: Final = {"network:NetworkInterface": "ipConfigurations", "network:LoadBalancer": "frontendIPConfigurations"}
SCALE_SET_INTERFACES: Final = "virtualMachineProfile.networkProfile.networkInterfaceConfigurations[]"

Found = Iterator[tuple[str, Any, str]]


@dataclass(frozen=True)
class Use:
    """Addresses of one subnet that one resource uses: one with its address, or many without."""

    holder: str
    subnet: str
    count: int
    address: str | None = None


def uses(resource: Stored) -> Iterator[Use]:
    """The private addresses a resource uses."""
    for configuration in (
        paths.find(resource.body, f"{FRONTENDS[resource.token]}[]") if resource.token in FRONTENDS else []
    ):
        subnet = paths.one(configuration, "subnet.id")
        given = configuration.get("privateIPAddress") or resource.server.get("addresses", {}).get(
            configuration.get("name")
        )
        if subnet and configuration.get("privateIPAddressVersion") != "IPv6":
            yield Use(resource.id, ids.key(subnet), 1, given)
    if resource.token == "compute:VirtualMachineScaleSet":
        for subnet in paths.find(resource.body, f"{SCALE_SET_INTERFACES}.ipConfigurations[].subnet.id"):
            if subnet:
                yield Use(resource.id, ids.key(subnet), paths.one(resource.body, "sku.capacity") or 0)


def prefixes(body: Mapping[str, Any]) -> list[str]:
    """The ranges of a network or subnet, as given and known."""
    given = paths.one(body, "addressSpace.addressPrefixes") or body.get("addressPrefixes") or body.get("addressPrefix")
    listed = given if isinstance(given, list) else [given]
    return [each for each in listed if isinstance(each, str) and ":" not in each and not unknown(each)]


def ranges(body: Mapping[str, Any]) -> list[IPv4Network]:
    """The ranges of a network or subnet."""
    return [IPv4Network(each, strict=False) for each in prefixes(body)]


def judge_form(inputs: Mapping[str, Any], path: str) -> Found:
    """Ranges that are none, or too small."""
    for given in prefixes(inputs):
        try:
            network = IPv4Network(given)
        except ValueError as fault:
            yield path, given, f"a range such as 10.0.0.0/16 ({fault})"
            continue
        if network.prefixlen > SMALLEST:
            yield path, given, f"/{SMALLEST} or larger"


def judge_subnets(space: list[IPv4Network], subnets: Sequence[tuple[str, Mapping[str, Any]]]) -> Found:
    """Subnets outside the space of their network, or over each other."""
    placed: list[tuple[str, IPv4Network]] = []
    for name, body in subnets:
        for inner in ranges(body):
            if not any(inner.subnet_of(outer) for outer in space):
                yield f"{name}.addressPrefix", str(inner), f"a range within {', '.join(map(str, space))}"
            for other, taken in placed:
                if inner.overlaps(taken):
                    yield f"{name}.addressPrefix", str(inner), f"a range clear of {taken} of {other}"
            placed.append((name, inner))


def judge_static(store: Store, resource: Stored, *, real: bool = True) -> Found:
    """Addresses outside their subnet, reserved by Azure, or in use already (which only a real request can tell)."""
    taken: dict[tuple[str, str], str] = {}
    for other in store.all(*FRONTENDS) if real else ():
        if ids.key(other.id) != ids.key(resource.id):
            taken |= {(use.subnet, use.address): use.holder for use in uses(other) if use.address}
    for use in uses(resource):
        subnet = store.get(use.subnet)
        if subnet is None or use.address is None:
            continue
        address = IPv4Address(use.address)
        home = next((each for each in ranges(subnet.body) if address in each), None)
        path = f"{FRONTENDS[resource.token]}[].privateIPAddress"
        if home is None:
            yield path, use.address, f"an address of {subnet.name}, {', '.join(prefixes(subnet.body))}"
        elif int(address) - int(home[0]) < RESERVED_FIRST or address == home[-1]:
            yield path, use.address, f"none of the first {RESERVED_FIRST} or the last of {home}: Azure reserves them"
        elif (use.subnet, use.address) in taken:
            yield path, use.address, f"an address that is free; {taken[use.subnet, use.address]} has it"
        taken[use.subnet, use.address] = resource.id


def judge_room(store: Store, resource: Stored) -> Found:
    """More addresses than the subnet, or the whole network, has."""
    others = [use for other in store.all() if ids.key(other.id) != ids.key(resource.id) for use in uses(other)]
    every = [*others, *uses(resource)]
    for key in {use.subnet for use in uses(resource)}:
        subnet = store.get(key)
        assert subnet is not None
        used = sum(use.count for use in every if use.subnet == key)
        room = sum(each.num_addresses - RESERVED for each in ranges(subnet.body))
        if used > room:
            yield "subnet", used, f"at most {room:,} addresses in {subnet.name}"
        network = key.partition("/subnets/")[0]
        whole = sum(use.count for use in every if use.subnet.partition("/subnets/")[0] == network)
        if whole > PER_NETWORK:
            yield "subnet", whole, f"at most {PER_NETWORK:,} addresses in use in one virtual network"


def in_use(store: Store, subnet: str) -> bool:
    """Whether anything has an address in the subnet."""
    return any(use.subnet == ids.key(subnet) and use.count for resource in store.all() for use in uses(resource))


def refuse_prefix_change(store: Store, subnet: Stored, inputs: Mapping[str, Any]) -> None:
    """Answer as Azure does to another range for a subnet in use (hashicorp/terraform-provider-azurerm/issues/11211)."""
    if prefixes(subnet.body) != prefixes(inputs) and in_use(store, subnet.id):
        message = (
            f"IpPrefix {prefixes(subnet.body)[0]} on Subnet {subnet.name} has active allocations and cannot be deleted."
        )
        raise ArmError(400, "InUsePrefixCannotBeDeleted", message)


def free(store: Store, subnet: Stored, taken: set[str]) -> str:
    """The first address of the subnet that nobody has, as Azure gives to a dynamic configuration."""
    used = {
        use.address for resource in store.all() for use in uses(resource) if use.subnet == ids.key(subnet.id)
    } | taken
    for home in ranges(subnet.body):
        for number in range(RESERVED_FIRST, home.num_addresses - 1):
            if str(home[number]) not in used:
                return str(home[number])
    return ""
