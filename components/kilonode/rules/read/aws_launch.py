"""What AWS launches machines with: their own words, and those of the template they name for what these leave out."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from kilonode.rules.facts.machines import Disk, UserData
from kilonode.rules.read.disks import Asked, aws
from kilonode.rules.read.resource import Resource, at, typed, whole
from kilonode.rules.read.userdata import read
from kilonode.rules.unknown import Fact, Unknown

T = TypeVar("T")
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
CONFIGURATION = "aws:ec2/launchConfiguration:LaunchConfiguration"
SPOT_REQUEST = "aws:ec2/spotInstanceRequest:SpotInstanceRequest"
MIXED = "mixedInstancesPolicy.launchTemplate"
_NAMED = (
    "launchTemplate.id",
    "launchTemplate.name",
    "launchTemplate",
    f"{MIXED}.launchTemplateSpecification.launchTemplateId",
    f"{MIXED}.launchTemplateSpecification.launchTemplateName",
    "mixedInstancesPolicy",
    "launchConfiguration",
)
"""Where a template is named, the nearer first; what is there without a name that can be read names one all the same."""


@dataclass(frozen=True)
class _Words:
    """Where a thing stands."""

    disks: str
    volume: str
    """What stands before a disk's own words."""

    zone: str
    subnet: str


_ROOT = "rootBlockDevice"
_OWN = _Words("ebsBlockDevices", "", "availabilityZone", "subnetId")
_TEMPLATES = _Words(
    "blockDeviceMappings",
    "ebs.",
    "placement.availabilityZone",
    "networkInterfaces.0.subnetId",
)


@dataclass(frozen=True)
class Launch:
    """Whatever says something of a machine, the nearest first; Unknown stands for a template that cannot be seen."""

    layers: tuple[Resource | Unknown, ...]

    @property
    def size(self) -> Fact[str | None]:
        """The instance type."""
        return self._first(lambda each: each.text("instanceType"))

    @property
    def data(self) -> Fact[UserData | None]:
        """User data."""
        return self._first(_data)

    @property
    def spot(self) -> Fact[bool]:
        """Whether machines may be taken away for a price."""
        return _said(self._first(_spot))

    @property
    def disks(self) -> Fact[tuple[Disk, ...]]:
        """Network disks, the template's too: a machine has all that any says."""
        found: list[Disk] = []
        for each in self.layers:
            rows = each if isinstance(each, Unknown) else each.rows(_words(each).disks)
            if isinstance(rows, Unknown):
                return rows
            if isinstance(each, Resource):
                found += [*_disks(rows, _words(each)), *_root(each)]
        return tuple(found)

    def zone(self, subnets: Sequence[Resource]) -> Fact[str | None]:
        """The zone that is said, else that of the subnet."""
        return self._first(lambda each: _zone(each, subnets))

    def _first(self, read: Callable[[Resource], Fact[T | None]]) -> Fact[T | None]:
        for each in self.layers:
            found = each if isinstance(each, Unknown) else read(each)
            if found is not None:
                return found
        return None


def launch(resource: Resource, templates: Sequence[Resource]) -> Launch:
    """A machine with what it is made from."""
    template = template_of(resource, templates)
    return Launch((resource,) if template is None else (resource, template))


def template_of(resource: Resource, templates: Sequence[Resource]) -> Resource | Unknown | None:
    """The template or the configuration that is named; Unknown where the stack does not have it, None where none is."""
    for path in _NAMED:
        if resource.get(path) is not None:
            found = resource.named(path, templates, also="name")
            return Unknown(path) if found is None else found
    return None


def _said(found: Fact[bool | None]) -> Fact[bool]:
    return found if isinstance(found, Unknown) else found is True


def _words(resource: Resource) -> _Words:
    return _TEMPLATES if resource.type == TEMPLATE else _OWN


def _data(resource: Resource) -> Fact[UserData | None]:
    """Templates have it in base64 alone, the others in either form."""
    if resource.type == TEMPLATE:
        encoded, text = resource.text("userData"), None
    else:
        encoded, text = resource.text("userDataBase64"), resource.text("userData")
    if isinstance(encoded, Unknown):
        return encoded
    if isinstance(text, Unknown):
        return text
    if encoded:
        return read(encoded, encoded=True)
    return read(text, encoded=False) if text else None


def _spot(resource: Resource) -> Fact[bool | None]:
    if resource.type == SPOT_REQUEST:
        return True
    path = "spotPrice" if resource.type == CONFIGURATION else "instanceMarketOptions.marketType"
    said = resource.text(path)
    if said is None or isinstance(said, Unknown):
        return said
    return resource.type == CONFIGURATION or said == "spot"


def _disks(rows: list[Any], words: _Words) -> Iterator[Disk]:
    kind, gib, said = (f"{words.volume}{word}" for word in ("volumeType", "volumeSize", "iops"))
    for row in rows:
        asked = Asked(
            kind=typed(at(row, kind), str, f"{words.disks}.{kind}"),
            gib=whole(at(row, gib), f"{words.disks}.{gib}"),
            said=whole(at(row, said), f"{words.disks}.{said}"),
        )
        yield Disk(aws(asked), None)


def _root(resource: Resource) -> Iterator[Disk]:
    """The disk of the system, where its speed is said; else the image says it, and no image has a fast one."""
    row = resource.get(_ROOT)
    if isinstance(row, Unknown):
        yield Disk(row, None)
    elif any(at(row, each) is not None for each in ("volumeType", "iops")):
        yield from _disks([row], replace(_OWN, disks=_ROOT))


def _zone(resource: Resource, subnets: Sequence[Resource]) -> Fact[str | None]:
    words = _words(resource)
    own = resource.text(words.zone)
    if own is not None or resource.get(words.subnet) is None:
        return own
    where = resource.named(words.subnet, subnets)
    zone = where.text("availabilityZone") if isinstance(where, Resource) else None
    return Unknown("availabilityZone") if zone is None else zone
