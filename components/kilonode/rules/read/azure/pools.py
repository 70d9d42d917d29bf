"""Scale sets of azure-native into facts."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from kilonode.rules.facts.pools import NodePool, Rolling
from kilonode.rules.read.azure.machines import name, passwords, spot, user_data
from kilonode.rules.read.resource import Resource, at, typed, urn_of, whole
from kilonode.rules.unknown import Fact, Unknown

_GALLERY = re.compile(r"/galleries/|/sharedGalleries/|/communityGalleries/", re.IGNORECASE)
_PROFILE = "virtualMachineProfile"
_CARDS = f"{_PROFILE}.networkProfile.networkInterfaceConfigurations"
AUTOSCALER_MAX = "max"


def scale_set(resource: Resource, subnets: Sequence[Resource]) -> NodePool:
    """A virtual machine scale set, in one of the subnets."""
    tags = typed(resource.get("tags"), dict, "tags")
    image = resource.text(f"{_PROFILE}.storageProfile.imageReference.id")
    capacity = resource.number("sku.capacity")
    zones = resource.rows("zones")
    return NodePool(
        resource.urn,
        name(resource, "vmScaleSetName"),
        "azure",
        capacity=capacity,
        most=_most(tags, capacity),
        autoscaled=tags if isinstance(tags, Unknown) else any("cluster-autoscaler" in str(key) for key in tags or ()),
        ignored=resource.ignore,
        size=resource.text("sku.name"),
        zones=zones if isinstance(zones, Unknown) else tuple(zones),
        spot=spot(resource, f"{_PROFILE}.priority"),
        public=_public(resource),
        passwords=passwords(resource, f"{_PROFILE}.osProfile"),
        single_placement_group=resource.truth("singlePlacementGroup"),
        plain_image=image if isinstance(image, Unknown) else bool(image and not _GALLERY.search(image)),
        overprovision=resource.truth("overprovision"),
        rolling=_rolling(resource),
        addresses=_addresses(resource),
        subnet=urn_of(resource.named(f"{_CARDS}.0.ipConfigurations.0.subnet.id", subnets)),
        data=user_data(resource, f"{_PROFILE}.osProfile.customData", f"{_PROFILE}.userData"),
    )


def _most(tags: Fact[dict[str, Any] | None], capacity: Fact[int | None]) -> Fact[int | None]:
    """What the autoscaler's tag says; what is no number is no limit of its own."""
    most = at(tags, AUTOSCALER_MAX)
    if isinstance(most, Unknown):
        return most
    found = whole(most, f"tags.{AUTOSCALER_MAX}")
    return capacity if found is None or isinstance(found, Unknown) else found


def _rolling(resource: Resource) -> Rolling:
    policy = "upgradePolicy.rollingUpgradePolicy"
    return Rolling(
        resource.text("upgradePolicy.mode"),
        resource.number(f"{policy}.maxBatchInstancePercent"),
        resource.number(f"{policy}.maxUnhealthyInstancePercent"),
        resource.number(f"{policy}.maxUnhealthyUpgradedInstancePercent"),
    )


def _configurations(resource: Resource) -> Iterator[Any]:
    cards = resource.rows(_CARDS)
    if isinstance(cards, Unknown):
        yield cards
        return
    for card in cards:
        rows = typed(at(card, "ipConfigurations"), list, "ipConfigurations")
        if isinstance(rows, Unknown):
            yield rows
        else:
            yield from rows or ()


def _public(resource: Resource) -> Fact[bool]:
    rows = list(_configurations(resource))
    if any(not isinstance(row, Unknown) and at(row, "publicIPAddressConfiguration") is not None for row in rows):
        return True
    return next((row for row in rows if isinstance(row, Unknown)), False)


def _addresses(resource: Resource) -> Fact[int]:
    rows = list(_configurations(resource))
    return next((row for row in rows if isinstance(row, Unknown)), len(rows))
