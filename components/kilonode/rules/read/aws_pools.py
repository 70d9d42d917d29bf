"""Auto scaling groups of the AWS provider into facts."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from kilonode.rules.facts.machines import Disk
from kilonode.rules.facts.pools import NodePool, Rolling
from kilonode.rules.read.aws_addresses import of_group
from kilonode.rules.read.aws_launch import MIXED, Launch, template_of
from kilonode.rules.read.aws_network import addresses, subnets_of
from kilonode.rules.read.aws_volumes import beside
from kilonode.rules.read.resource import Resource, at, typed
from kilonode.rules.unknown import Fact, Unknown, any_of, first_unknown

_OVERRIDES = f"{MIXED}.overrides"
_DISTRIBUTION = "mixedInstancesPolicy.instancesDistribution"
_ON_DEMAND, _BASE = f"{_DISTRIBUTION}.onDemandPercentageAboveBaseCapacity", f"{_DISTRIBUTION}.onDemandBaseCapacity"
_ZONES = "availabilityZones"
TAG = "aws:autoscaling/tag:Tag"
_TEMPLATE = "launchTemplateSpecification"
_HEALTHY = "minHealthyPercentage"
_AUTOSCALERS = re.compile(r"k8s\.io/cluster-autoscaler/[^/]+")
"""Tags by which the autoscaler finds its groups: ``enabled``, and the cluster's name (kubernetes/autoscaler, cloudprovider/aws/README.md).

Those with more parts only describe a group's nodes; kOps gives them to its control plane too.
"""


def group(
    resource: Resource,
    templates: Sequence[Resource],
    subnets: Sequence[Resource],
    balancers: Fact[frozenset[str]],
    attached: tuple[Disk, ...] = (),
    keys: Sequence[Any] = (),
) -> NodePool:
    """An auto scaling group with the launch template or configuration it names; ``keys`` are of tags that others give it."""
    found = template_of(resource, templates) or Unknown("launchTemplate")
    others = tuple(_others(resource, templates))
    # Which machine is of which template nobody can tell.
    template = Unknown(f"{_OVERRIDES}.{_TEMPLATE}") if others else found
    own = Launch((template,))
    where = subnets_of(resource, subnets)
    return NodePool(
        resource.urn,
        resource.name,
        "aws",
        capacity=resource.number("desiredCapacity"),
        count=_count(resource),
        most=_units(resource) or resource.number("maxSize"),
        autoscaled=_autoscaled(resource.rows("tags"), keys),
        ignored=resource.ignore,
        external=resource.external,
        size=_size(resource, own),
        sizes=_several(resource, own),
        spot=_spot(resource, own),
        public=_public(resource, (found, *others), subnets),
        protected=resource.protect,
        zones=_zones(resource, where, subnets),
        disks=beside(own.disks, attached),
        rolling=_refresh(resource),
        addresses=template if isinstance(template, Unknown) else addresses(template),
        subnets=where,
        balancers=balancers,
        data=own.data,
    )


def tagged(tags: Sequence[Resource], groups: Sequence[Resource]) -> dict[str, list[Any]]:
    """URN of each group to the keys of tags that are resources of their own; one that is not known yet may be anybody's."""
    found: dict[str, list[Any]] = {each.urn: [] for each in groups}
    for each in tags:
        key, named = each.get("tag.key"), each.named("autoscalingGroupName", groups, also="name")
        if isinstance(named, Resource):
            found[named.urn].append(key)
        elif named and (isinstance(key, Unknown) or _AUTOSCALERS.fullmatch(str(key))):
            for keys in found.values():
                keys.append(named)
    return found


def _autoscaled(tags: Fact[list[Any]], more: Sequence[Any]) -> Fact[bool]:
    keys = [*([tags] if isinstance(tags, Unknown) else (at(row, "key") for row in tags)), *more]
    if any(isinstance(key, str) and _AUTOSCALERS.fullmatch(key) for key in keys):
        return True
    return first_unknown(keys) or False


def _count(resource: Resource) -> Fact[int]:
    """How many machines it is to have; where nobody says, AWS begins with the fewest (EC2 Auto Scaling API reference)."""
    units = _units(resource)
    if units:
        return units
    given, least = resource.number("desiredCapacity"), resource.number("minSize")
    if given is not None:
        return given
    return Unknown("desiredCapacity") if least is None or least != resource.number("maxSize") else least


def _units(resource: Resource) -> Unknown | None:
    """Unknown where sizes are no machines, but units of weight, processors or memory (EC2 Auto Scaling API reference)."""
    kind = resource.text("desiredCapacityType")
    if kind not in {None, "", "units"}:
        return kind if isinstance(kind, Unknown) else Unknown("desiredCapacityType")
    return _one(resource, "weightedCapacity")


def _one(resource: Resource, key: str) -> Unknown | None:
    """Unknown where a row of the overrides says something else than the group does."""
    rows = resource.rows(_OVERRIDES)
    if isinstance(rows, Unknown):
        return rows
    return Unknown(f"{_OVERRIDES}.{key}") if any(at(row, key) is not None for row in rows) else None


def _others(resource: Resource, templates: Sequence[Resource]) -> Iterator[Resource | Unknown]:
    """Templates that overrides name, of which machines are made in place of the group's."""
    rows = resource.rows(_OVERRIDES)
    if isinstance(rows, Unknown):
        yield rows
        return
    for number, row in enumerate(rows):
        if at(row, _TEMPLATE) is not None:
            path = f"{_OVERRIDES}.{number}.{_TEMPLATE}"
            given = (f"{path}.launchTemplateId", f"{path}.launchTemplateName")
            named = next((each for each in given if resource.get(each) is not None), None)
            yield (resource.named(named, templates, also="name") if named else None) or Unknown(path)


def _public(resource: Resource, templates: Sequence[Resource | Unknown], subnets: Sequence[Resource]) -> Fact[bool]:
    """Whether any machine has a public address, of whichever template it is made."""
    said = [each if isinstance(each, Unknown) else of_group(resource, each, subnets) for each in templates]
    return any_of(said)


def _size(resource: Resource, own: Launch) -> Fact[str | None]:
    """The one size of all machines; of several nobody can tell which a machine has."""
    several = _one(resource, "instanceRequirements")
    if several:
        return several
    sizes = _sizes(resource, own)
    return sizes[0] if len(sizes) == 1 else Unknown(f"{_OVERRIDES}.instanceType")


def _several(resource: Resource, own: Launch) -> tuple[str, ...]:
    """All that machines may have, where they are more than one and all of them are known."""
    sizes = () if _one(resource, "instanceRequirements") else _sizes(resource, own)
    known = tuple(each for each in sizes if isinstance(each, str))
    return known if len(known) == len(sizes) > 1 else ()


def _sizes(resource: Resource, own: Launch) -> list[Fact[str | None]]:
    rows = resource.rows(_OVERRIDES)
    path = f"{_OVERRIDES}.instanceType"
    given = [typed(at(row, "instanceType"), str, path) for row in rows] if isinstance(rows, list) else []
    # A row without a type is of the template's.
    return [*dict.fromkeys(own.size if each is None else each for each in given)] or [own.size]


def _spot(resource: Resource, own: Launch) -> Fact[bool]:
    """Whether any machine is of the spot market: all are on demand where nothing is said (EC2 Auto Scaling API reference)."""
    share, base, most = (resource.number(path) for path in (_ON_DEMAND, _BASE, "maxSize"))
    if share is None or (isinstance(share, int) and share >= 100):  # noqa: PLR2004 - all of them, in percent
        return own.spot
    if isinstance(share, Unknown):
        return share
    if isinstance(base, Unknown):
        return base
    if isinstance(most, Unknown):
        return most
    return True if most is None or (base or 0) < most else own.spot


def _zones(
    resource: Resource, where: Fact[tuple[str | None, ...]], subnets: Sequence[Resource]
) -> Fact[tuple[Fact[str | None], ...]]:
    """The zones its machines are spread over: those that are said, else those of its subnets."""
    said = resource.rows(_ZONES)
    if isinstance(said, Unknown):
        return said
    if said:
        return tuple(typed(each, str, _ZONES) for each in said)
    if isinstance(where, Unknown):
        return where
    of = {each.urn: each.text("availabilityZone") for each in subnets}
    found = [of.get(each or "") for each in where]
    return tuple(Unknown("availabilityZone") if each is None else each for each in found) or Unknown(_ZONES)


def _refresh(resource: Resource) -> Rolling:
    """An instance refresh, by the share of the group that it keeps healthy; without one nothing is renewed by itself."""
    refresh = resource.get("instanceRefresh")
    if isinstance(refresh, Unknown):
        return Rolling(refresh)
    said = (
        resource.number(f"{path}.{_HEALTHY}") for path in ("instanceRefresh.preferences", "instanceMaintenancePolicy")
    )
    # What is -1 is as if nothing were said (EC2 Auto Scaling API reference, InstanceMaintenancePolicy).
    healthy = next((each for each in said if each not in {None, -1}), None)
    return Rolling("Manual" if refresh is None else "Rolling", healthy=healthy)
