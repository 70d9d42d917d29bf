"""Interfaces and subnets of azure-native into facts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kilonode.rules.facts.network import Interface, Subnet, part
from kilonode.rules.read.resource import Resource, any_set, at, typed
from kilonode.rules.unknown import Fact, Unknown, first_unknown

MADE = "networkProfile.networkInterfaceConfigurations"
"""Interfaces that are made with their machine."""

CARDS_OF_SET = "virtualMachineProfile.networkProfile.networkInterfaceConfigurations"


def interfaces(cards: Sequence[Resource], machines: Sequence[Resource]) -> Iterator[Interface]:
    """Interfaces, and machines whose interfaces are made with them, by whether they have a public address."""
    yield from (Interface(each.urn, public(each, "ipConfigurations")) for each in cards)
    for each in machines:
        made = each.rows(MADE)
        if isinstance(made, Unknown):
            yield Interface(each.urn, made)
        elif made:
            rows = [row for card in made for row in _rows(at(card, "ipConfigurations"))]
            yield Interface(each.urn, any_set(rows, "publicIPAddressConfiguration"))


def _rows(given: Any) -> list[Any]:
    found = typed(given, list, "ipConfigurations")
    return [found] if isinstance(found, Unknown) else found or []


def public(resource: Resource, path: str) -> Fact[bool]:
    """Whether any address in the rows at a path is a public one."""
    rows = resource.rows(path)
    return rows if isinstance(rows, Unknown) else any_set(rows, "publicIPAddress")


def subnets(alone: Sequence[Resource], networks: Sequence[Resource]) -> list[Resource]:
    """Subnets, and those that only their networks' own properties have."""
    return [*alone, *(own for network in networks for own in _parts(network))]


def _parts(network: Resource) -> Iterator[Resource]:
    rows = network.rows("subnets")
    for number, row in enumerate([] if isinstance(rows, Unknown) else rows):
        named = at(row, "name")
        name = named if isinstance(named, str) else str(number)
        yield Resource(
            part(network.urn, name),
            network.type,
            name,
            {**row, "subnetName": name} if isinstance(row, Mapping) else row,
            id=f"{network.id}/subnets/{name}" if isinstance(network.id, str) else network.id,
            part_of=network.urn,
        )


def subnet(resource: Resource) -> Subnet:
    """A subnet: its range, or its ranges together."""
    rows = resource.rows("addressPrefixes")
    more = [rows] if isinstance(rows, Unknown) else [typed(each, str, "addressPrefixes") for each in rows]
    found = [resource.text("addressPrefix"), *more]
    unknown = first_unknown(found)
    # A range that both properties say is one.
    ranges = unknown or tuple(dict.fromkeys(each for each in found if isinstance(each, str)))
    return Subnet(resource.part_of or resource.urn, ranges, name=resource.name if resource.part_of else "")
