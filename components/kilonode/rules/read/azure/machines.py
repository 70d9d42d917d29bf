"""Virtual machines of azure-native into facts."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from kilonode.rules.facts.machines import Disk, Machine, UserData
from kilonode.rules.read.azure.words import spelt, word
from kilonode.rules.read.decoded import Script
from kilonode.rules.read.disks import Asked, azure
from kilonode.rules.read.resource import Resource, at, typed, whole
from kilonode.rules.read.userdata import read
from kilonode.rules.unknown import Fact, Unknown

_IOPS = "diskIOPSReadWrite"
_DISKS = "storageProfile.dataDisks"
_WINDOWS = frozenset({"microsoftwindowsserver", "microsoftwindowsdesktop", "microsoftsqlserver"})
"""Publishers of images with Windows (Azure docs, find marketplace images)."""


def machine(
    resource: Resource,
    disks: Sequence[Resource],
    balancers: Fact[frozenset[str]],
    scripts: Fact[tuple[Script, ...]],
) -> Machine:
    """A virtual machine; its data disks may be among ``disks``, and ``scripts`` are those of its extensions."""
    zones, rows = resource.rows("zones"), resource.rows(_DISKS)
    return Machine(
        resource.urn,
        name(resource, "vmName"),
        "azure",
        zone=zones if isinstance(zones, Unknown) else typed(zones[0] if zones else None, str, "zones"),
        size=word(resource, "hardwareProfile.vmSize"),
        spot=spot(resource, "priority"),
        passwords=passwords(resource),
        protected=resource.protect,
        data=user_data(resource, scripts, "osProfile.customData", "userData"),
        disks=rows
        if isinstance(rows, Unknown)
        else tuple(_disk(resource, n, row, disks) for n, row in enumerate(rows)),
        balancers=balancers,
    )


def _disk(resource: Resource, number: int, row: Any, disks: Sequence[Resource]) -> Disk:
    return Disk(_iops(resource, number, row, disks), typed(at(row, "caching"), str, f"{_DISKS}.caching"))


def _iops(resource: Resource, number: int, row: Any, disks: Sequence[Resource]) -> Fact[int | None]:
    """What the row says, or the disk that it attaches; Unknown of a disk that the stack does not have."""
    own = asked(row, _DISKS)
    path = f"{_DISKS}.{number}.managedDisk.id"
    if own.said is not None or resource.get(path) is None:
        return azure(own)
    found = resource.named(path, disks, also="diskName")
    if not isinstance(found, Resource):
        return Unknown(f"{_IOPS} of {path}")
    return azure(
        Asked(
            kind=word(found, "sku.name"),
            gib=found.number("diskSizeGB"),
            said=found.number(_IOPS),
            tier=found.text("tier"),
            plus=found.truth("creationData.performancePlus"),
        )
    )


def asked(row: Any, path: str) -> Asked:
    """What a row of data disks at a path asks for."""
    return Asked(
        kind=spelt(typed(at(row, "managedDisk.storageAccountType"), str, f"{path}.managedDisk.storageAccountType")),
        gib=whole(at(row, "diskSizeGB"), f"{path}.diskSizeGB"),
        said=whole(at(row, _IOPS), f"{path}.{_IOPS}"),
    )


def name(resource: Resource, path: str) -> str:
    """The cloud's name at a path, where it is known; else the program's."""
    found = resource.text(path)
    return found if isinstance(found, str) else resource.name


def spot(resource: Resource, path: str) -> Fact[bool]:
    """Whether machines may be taken away for a price."""
    priority = word(resource, path)
    return priority if isinstance(priority, Unknown) else priority in {"Spot", "Low"}


def passwords(resource: Resource, above: str = "") -> Fact[bool]:
    """Whether somebody may log in to Linux with a password that Azure sets.

    It sets none of Windows by this property, and none at all of a machine without a profile: its disk brings its accounts.
    """
    if resource.get(f"{above}osProfile") is None:
        return False
    if resource.get(f"{above}osProfile.linuxConfiguration") is None:
        windows = _windows(resource, above)
        if windows is not False:
            return windows if isinstance(windows, Unknown) else False
    disabled = resource.truth(f"{above}osProfile.linuxConfiguration.disablePasswordAuthentication")
    return disabled if isinstance(disabled, Unknown) else disabled is not True


def _windows(resource: Resource, above: str) -> Fact[bool]:
    """Whether a machine with no configuration of Linux is one of Windows; an image of one's own does not tell."""
    own = resource.get(f"{above}osProfile.windowsConfiguration")
    if own is not None:
        return own if isinstance(own, Unknown) else True
    system, path = word(resource, f"{above}storageProfile.osDisk.osType"), f"{above}storageProfile.imageReference"
    if system is not None:
        return system if isinstance(system, Unknown) else system == "Windows"
    publisher = resource.text(f"{path}.publisher")
    if publisher is not None:
        return publisher if isinstance(publisher, Unknown) else publisher.lower() in _WINDOWS
    return False if resource.get(path) is None else Unknown(f"{above}storageProfile.osDisk.osType")


def user_data(resource: Resource, scripts: Fact[tuple[Script, ...]], *paths: str) -> Fact[UserData | None]:
    """What a machine is told: cloud-init takes the first that is there (its DataSourceAzure), and the machine can read all.

    Then extensions run their scripts.
    """
    found = [each for each in map(resource.text, paths) if each]
    first = found[0] if found else ""
    if isinstance(first, Unknown):
        return first
    if isinstance(scripts, Unknown):
        return scripts
    if not found and not scripts:
        return None
    run = read(first, encoded=True, scripts=scripts)
    if isinstance(run, Unknown):
        return run
    others = [each if isinstance(each, Unknown) else read(each, encoded=True) for each in found[1:]]
    told = [each for each in others if not isinstance(each, Unknown)]
    return replace(
        run,
        size=max(each.size for each in (run, *told)),
        texts=tuple(text for each in (run, *told) for text in each.texts),
        unread=next((each.field for each in others if isinstance(each, Unknown)), None),
    )
