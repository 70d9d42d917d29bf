"""Volumes of AWS that are resources of their own, and what attaches them to an instance."""

from collections.abc import Mapping, Sequence

from kilonode.rules.facts.machines import Disk
from kilonode.rules.read.disks import GP3, Asked, aws
from kilonode.rules.read.resource import Resource
from kilonode.rules.unknown import Fact, Unknown

VOLUME = "aws:ebs/volume:Volume"
ATTACHMENT = "aws:ec2/volumeAttachment:VolumeAttachment"


def attached(resources: Sequence[Resource], made: Sequence[Resource]) -> Mapping[str, tuple[Disk, ...]]:
    """By the URNs of instances and groups; a volume that nothing in the stack attaches any machine may, as with kOps."""
    volumes = {each.urn: each for each in resources if each.type == VOLUME}
    rows = [each for each in resources if each.type == ATTACHMENT]
    given = [(each.named("instanceId", made), each.named("volumeId", volumes.values())) for each in rows]
    taken = {volume.urn for _, volume in given if isinstance(volume, Resource)}
    loose = tuple(_loose(each) for urn, each in volumes.items() if urn not in taken)
    found = dict.fromkeys((each.urn for each in made), loose)
    for where, volume in given:
        if isinstance(where, Resource):
            found[where.urn] = (*found[where.urn], Disk(_iops(volume), None))
        elif isinstance(where, Unknown):
            found = {urn: (*disks, Disk(where, None)) for urn, disks in found.items()}
    return found


def beside(disks: Fact[tuple[Disk, ...]], attached: tuple[Disk, ...]) -> Fact[tuple[Disk, ...]]:
    """The disks a machine is made with, and those attached to it."""
    return disks if isinstance(disks, Unknown) else (*disks, *attached)


def _loose(volume: Resource) -> Disk:
    iops = _iops(volume)
    # What is no faster than any volume of its kind helps nobody, wherever it is.
    slow = iops is None or (isinstance(iops, int) and iops <= GP3)
    return Disk(iops if slow else Unknown(f"which machine has the volume {volume.name}, and so its disks,"), None)


def _iops(volume: Resource | Unknown | None) -> Fact[int | None]:
    if not isinstance(volume, Resource):
        return Unknown("volumeId")
    return aws(Asked(kind=volume.text("type"), gib=volume.number("size"), said=volume.number("iops")))
