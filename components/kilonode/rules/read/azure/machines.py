"""Virtual machines of azure-native into facts."""

from typing import Any

from kilonode.rules.facts.machines import Disk, Machine, UserData
from kilonode.rules.read.resource import Resource, at, typed
from kilonode.rules.read.userdata import read
from kilonode.rules.unknown import Fact, Unknown


def machine(resource: Resource) -> Machine:
    """A virtual machine."""
    zones, disks = resource.rows("zones"), resource.rows("storageProfile.dataDisks")
    return Machine(
        resource.urn,
        name(resource, "vmName"),
        "azure",
        zone=zones if isinstance(zones, Unknown) else typed(zones[0] if zones else None, str, "zones"),
        size=resource.text("hardwareProfile.vmSize"),
        spot=spot(resource, "priority"),
        passwords=passwords(resource, "osProfile"),
        protected=resource.protect,
        data=user_data(resource, "osProfile.customData", "userData"),
        disks=disks if isinstance(disks, Unknown) else tuple(_disk(each) for each in disks),
    )


def _disk(row: Any) -> Disk:
    return Disk(None, typed(at(row, "caching"), str, "storageProfile.dataDisks.caching"))


def name(resource: Resource, path: str) -> str:
    """The cloud's name at a path, where it is known; else the program's."""
    found = resource.text(path)
    return found if isinstance(found, str) else resource.name


def spot(resource: Resource, path: str) -> Fact[bool]:
    """Whether machines may be taken away for a price."""
    priority = resource.text(path)
    return priority if isinstance(priority, Unknown) else priority in {"Spot", "Low"}


def passwords(resource: Resource, profile: str) -> Fact[bool]:
    """Whether somebody may log in with a password."""
    disabled = resource.truth(f"{profile}.linuxConfiguration.disablePasswordAuthentication")
    return disabled if isinstance(disabled, Unknown) else disabled is not True


def user_data(resource: Resource, *paths: str) -> Fact[UserData | None]:
    """What a machine is told, from the first path that has something."""
    for path in paths:
        given = resource.text(path)
        if isinstance(given, Unknown):
            return given
        if given:
            return read(given, encoded=True)
    return None
