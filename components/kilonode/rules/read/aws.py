"""Resources of the AWS provider into facts."""

from collections.abc import Sequence
from typing import Any

from kilonode.rules.facts.machines import Disk, Machine, UserData
from kilonode.rules.facts.pools import NodePool, Rolling
from kilonode.rules.read.aws_addresses import of_group
from kilonode.rules.read.aws_classic import CLASSIC
from kilonode.rules.read.aws_network import BALANCERS, addresses, subnets_of
from kilonode.rules.read.resource import Resource, at, whole
from kilonode.rules.read.userdata import read
from kilonode.rules.unknown import Fact, Unknown

INSTANCE = "aws:ec2/instance:Instance"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
GROUP = "aws:autoscaling/group:Group"
SUBNET = "aws:ec2/subnet:Subnet"
BUCKETS = ("aws:s3/bucket:Bucket", "aws:s3/bucketV2:BucketV2")
BLOCK = "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock"
_SPOT = "instanceMarketOptions.marketType"
TAGGABLE = frozenset({INSTANCE, TEMPLATE, SUBNET, *BALANCERS, *CLASSIC, *BUCKETS, "aws:ec2/vpc:Vpc"})


def machine(resource: Resource, subnets: Sequence[Resource], balancers: Fact[frozenset[str]]) -> Machine:
    """An instance; its zone is its own, else that of its subnet."""
    disks = resource.rows("ebsBlockDevices")
    return Machine(
        resource.urn,
        resource.name,
        "aws",
        zone=_zone(resource, subnets),
        size=resource.text("instanceType"),
        spot=_spot(resource),
        passwords=False,
        protected=resource.protect,
        data=_user_data(resource),
        disks=disks if isinstance(disks, Unknown) else tuple(_disk(row) for row in disks),
        balancers=balancers,
    )


def _disk(row: Any) -> Disk:
    return Disk(whole(at(row, "iops"), "ebsBlockDevices.iops"), None)


def _zone(resource: Resource, subnets: Sequence[Resource]) -> Fact[str | None]:
    own = resource.text("availabilityZone")
    if own is not None or resource.get("subnetId") is None:
        return own
    where = resource.named("subnetId", subnets)
    zone = where.text("availabilityZone") if isinstance(where, Resource) else None
    return Unknown("availabilityZone") if zone is None else zone


def _user_data(resource: Resource) -> Fact[UserData | None]:
    encoded, text = resource.text("userDataBase64"), resource.text("userData")
    if isinstance(encoded, Unknown):
        return encoded
    if isinstance(text, Unknown):
        return text
    if encoded:
        return read(encoded, encoded=True)
    return read(text, encoded=False) if text else None


def _spot(resource: Resource) -> Fact[bool]:
    market = resource.text(_SPOT)
    return market if isinstance(market, Unknown) else market == "spot"


def group(resource: Resource, templates: Sequence[Resource], subnets: Sequence[Resource]) -> NodePool:
    """An auto scaling group with the launch template it names."""
    by = "id" if resource.get("launchTemplate.id") else "name"
    found = resource.named(f"launchTemplate.{by}", templates, also="name")
    template = found if isinstance(found, Resource) else None
    tags = resource.rows("tags")
    keys = tags if isinstance(tags, Unknown) else [str(at(row, "key")) for row in tags]
    unknown = Unknown("launchTemplate")
    return NodePool(
        resource.urn,
        resource.name,
        "aws",
        capacity=resource.number("desiredCapacity"),
        most=resource.number("maxSize"),
        autoscaled=keys if isinstance(keys, Unknown) else any("cluster-autoscaler" in key for key in keys),
        ignored=resource.ignore,
        size=template.text("instanceType") if template else unknown,
        public=of_group(resource, template, subnets) if template else unknown,
        rolling=_refresh(resource),
        addresses=addresses(template),
        subnets=subnets_of(resource, subnets),
        data=_template_data(template) if template else unknown,
    )


def _template_data(template: Resource) -> Fact[UserData | None]:
    given = template.text("userData")
    if isinstance(given, Unknown):
        return given
    return read(given, encoded=True) if given else None


def _refresh(resource: Resource) -> Rolling:
    """An instance refresh keeps a share of the group healthy: the rest is its batch."""
    strategy = resource.text("instanceRefresh.strategy")
    healthy = resource.number("instanceRefresh.preferences.minHealthyPercentage")
    batch = healthy if healthy is None or isinstance(healthy, Unknown) else 100 - healthy
    return Rolling(strategy if strategy is not None else "Manual", batch, batch, batch)
