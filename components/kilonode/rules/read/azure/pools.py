"""Scale sets of azure-native into facts."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from kilonode.rules.facts.machines import Disk
from kilonode.rules.facts.pools import NodePool, Rolling
from kilonode.rules.read.azure.machines import asked, name, passwords, spot, user_data
from kilonode.rules.read.azure.network import CARDS_OF_SET
from kilonode.rules.read.azure.words import spelt, word
from kilonode.rules.read.decoded import Script
from kilonode.rules.read.disks import azure
from kilonode.rules.read.resource import Resource, any_set, at, typed, urn_of, whole
from kilonode.rules.unknown import Fact, Unknown

_GALLERY = re.compile(r"/galleries/|/sharedGalleries/|/communityGalleries/", re.IGNORECASE)
_PROFILE = "virtualMachineProfile"
AUTOSCALER_MAX = "max"
ENABLED = "cluster-autoscaler-enabled"
AUTOSCALERS = frozenset({ENABLED, "cluster-autoscaler-name"})
"""Tags by which the autoscaler finds its sets; others only describe a set's nodes (kubernetes/autoscaler, cloudprovider/azure/README.md)."""


def scale_set(
    resource: Resource,
    subnets: Sequence[Resource],
    balancers: Fact[frozenset[str]],
    scripts: Fact[tuple[Script, ...]],
) -> NodePool:
    """A virtual machine scale set, in one of the subnets; ``scripts`` are those of its extensions."""
    tags = typed(resource.get("tags"), dict, "tags")
    image = resource.text(f"{_PROFILE}.storageProfile.imageReference.id")
    capacity, zones = resource.number("sku.capacity"), resource.rows("zones")
    taken = _taken(resource, subnets)
    return NodePool(
        resource.urn,
        name(resource, "vmScaleSetName"),
        "azure",
        capacity=capacity,
        count=Unknown("sku.capacity") if capacity is None else capacity,
        most=_most(tags),
        autoscaled=_autoscaled(tags),
        ignored=resource.ignore,
        external=resource.external,
        size=word(resource, "sku.name"),
        spot=spot(resource, f"{_PROFILE}.priority"),
        public=_public(resource),
        protected=resource.protect,
        zones=zones if isinstance(zones, Unknown) else tuple(typed(each, str, "zones") for each in zones),
        disks=_disks(resource),
        passwords=passwords(resource, f"{_PROFILE}."),
        single_placement_group=resource.truth("singlePlacementGroup"),
        plain_image=image if isinstance(image, Unknown) else bool(image and not _GALLERY.search(image)),
        overprovision=resource.truth("overprovision"),
        orchestration=word(resource, "orchestrationMode"),
        rolling=_rolling(resource),
        subnets=taken if isinstance(taken, Unknown) else tuple(taken),
        in_each=None if isinstance(taken, Unknown) else {urn: n for urn, n in taken.items() if urn},
        balancers=balancers,
        data=user_data(resource, scripts, f"{_PROFILE}.osProfile.customData", f"{_PROFILE}.userData"),
    )


def _disks(resource: Resource) -> Fact[tuple[Disk, ...]]:
    """Data disks: a set makes its own, and attaches none that exist."""
    path = f"{_PROFILE}.storageProfile.dataDisks"
    rows = resource.rows(path)
    if isinstance(rows, Unknown):
        return rows
    return tuple(Disk(azure(asked(row, path)), typed(at(row, "caching"), str, f"{path}.caching")) for row in rows)


def _most(tags: Fact[dict[str, Any] | None]) -> Fact[int | None]:
    """What the autoscaler's tag says; what is no number is no limit of its own."""
    most = at(tags, AUTOSCALER_MAX)
    if isinstance(most, Unknown):
        return most
    found = whole(most, f"tags.{AUTOSCALER_MAX}")
    return None if isinstance(found, Unknown) else found


def _autoscaled(tags: Fact[dict[str, Any] | None]) -> Fact[bool]:
    """Whether it has such a tag; the autoscaler compares values too, and all that it is told to look for must be there."""
    enabled = at(tags, ENABLED)
    if isinstance(enabled, Unknown):
        return enabled
    return str(enabled).lower() != "false" and any(at(tags, each) is not None for each in AUTOSCALERS)


def _rolling(resource: Resource) -> Rolling:
    policy = "upgradePolicy.rollingUpgradePolicy"
    return Rolling(
        word(resource, "upgradePolicy.mode"),
        resource.number(f"{policy}.maxBatchInstancePercent"),
        resource.number(f"{policy}.maxUnhealthyInstancePercent"),
        resource.number(f"{policy}.maxUnhealthyUpgradedInstancePercent"),
        resource.truth(f"{policy}.maxSurge"),
    )


def _configurations(resource: Resource) -> Iterator[tuple[str, Any]]:
    """Each address of a machine, of whichever of its cards, and where it stands."""
    cards = resource.rows(CARDS_OF_SET)
    if isinstance(cards, Unknown):
        yield CARDS_OF_SET, cards
        return
    for number in range(len(cards)):
        path = f"{CARDS_OF_SET}.{number}.ipConfigurations"
        rows = resource.rows(path)
        if isinstance(rows, Unknown):
            yield path, rows
        else:
            yield from ((f"{path}.{place}", row) for place, row in enumerate(rows))


def _public(resource: Resource) -> Fact[bool]:
    return any_set((row for _, row in _configurations(resource)), "publicIPAddressConfiguration")


def _taken(resource: Resource, subnets: Sequence[Resource]) -> Fact[Counter[str | None]]:
    """URN of each subnet to the addresses of version 4 that each machine takes there; None for one that is not in the stack."""
    found: Counter[str | None] = Counter()
    for path, row in _configurations(resource):
        version = spelt(typed(at(row, "privateIPAddressVersion"), str, "privateIPAddressVersion"))
        subnet = urn_of(resource.named(f"{path}.subnet.id", subnets, also="subnetName"))
        if isinstance(version, Unknown):
            return version
        if isinstance(subnet, Unknown):
            return subnet
        found[subnet] += version != "IPv6"
    return found
