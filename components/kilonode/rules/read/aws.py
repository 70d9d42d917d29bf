"""Resources of the AWS provider into facts."""

from collections.abc import Sequence
from typing import Any

from kilonode.rules.facts import Disk, Interface, LoadBalancer, Machine, NodePool, Rolling, Storage, Subnet, UserData
from kilonode.rules.read.resource import Resource, at, urn_of
from kilonode.rules.read.userdata import read
from kilonode.rules.unknown import Fact, Unknown

INSTANCE = "aws:ec2/instance:Instance"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
GROUP = "aws:autoscaling/group:Group"
SUBNET = "aws:ec2/subnet:Subnet"
BALANCERS = ("aws:lb/loadBalancer:LoadBalancer", "aws:alb/loadBalancer:LoadBalancer")
LISTENER, TARGETS = "aws:lb/listener:Listener", "aws:lb/targetGroup:TargetGroup"
BUCKETS = ("aws:s3/bucket:Bucket", "aws:s3/bucketV2:BucketV2")
BLOCK = "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock"
_BLOCKS = ("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets")
_SPOT = "instanceMarketOptions.marketType"
TAGGABLE = frozenset({INSTANCE, TEMPLATE, SUBNET, *BALANCERS, *BUCKETS, "aws:ec2/vpc:Vpc"})


def machine(resource: Resource, subnets: Sequence[Resource]) -> Machine:
    """An instance; its zone is its own, else that of its subnet."""
    disks = resource.rows("ebsBlockDevices")
    return Machine(
        resource.urn,
        resource.name,
        "aws",
        zone=_zone(resource, subnets),
        size=resource.get("instanceType"),
        spot=_equal(resource.get(_SPOT), "spot"),
        passwords=False,
        protected=resource.protect,
        data=_user_data(resource),
        disks=disks if isinstance(disks, Unknown) else tuple(Disk(at(row, "iops"), None) for row in disks),
    )


def interface(resource: Resource) -> Interface:
    """An instance, by whether it asks for a public address."""
    return Interface(resource.urn, _true(resource.get("associatePublicIpAddress")))


def _zone(resource: Resource, subnets: Sequence[Resource]) -> Fact[str | None]:
    own: Fact[str | None] = resource.get("availabilityZone")
    if own is not None or resource.get("subnetId") is None:
        return own
    where = resource.named("subnetId", subnets)
    zone: Fact[str | None] = where.get("availabilityZone") if isinstance(where, Resource) else None
    return Unknown("availabilityZone") if zone is None else zone


def _user_data(resource: Resource) -> Fact[UserData | None]:
    encoded, text = resource.get("userDataBase64"), resource.get("userData")
    if isinstance(encoded, Unknown) or isinstance(text, Unknown):
        return encoded if isinstance(encoded, Unknown) else text
    if encoded:
        return read(str(encoded), encoded=True)
    return read(str(text), encoded=False) if text else None


def _equal(value: Any, other: str) -> Fact[bool]:
    return value if isinstance(value, Unknown) else value == other


def _known(value: Any) -> bool:
    return value is not None and not isinstance(value, Unknown)


def _true(value: Any) -> Fact[bool]:
    return value if isinstance(value, Unknown) else value in {True, "true"}


def group(resource: Resource, templates: Sequence[Resource], subnets: Sequence[Resource]) -> NodePool:
    """An auto scaling group with the launch template it names."""
    by = "id" if resource.get("launchTemplate.id") else "name"
    found = resource.named(f"launchTemplate.{by}", templates, also="name")
    template = found if isinstance(found, Resource) else None
    tags = {at(row, "key"): at(row, "value") for row in resource.rows("tags") or ()} if _rows(resource, "tags") else {}
    desired = resource.get("desiredCapacity")
    zones = resource.rows("availabilityZones")
    unknown = Unknown("launchTemplate")
    return NodePool(
        resource.urn,
        resource.name,
        "aws",
        capacity=desired,
        most=resource.get("maxSize"),
        autoscaled=any("cluster-autoscaler" in str(key) for key in tags),
        ignored=resource.ignore,
        size=template.get("instanceType") if template else unknown,
        zones=zones if isinstance(zones, Unknown) else tuple(zones),
        spot=_equal(template.get(_SPOT), "spot") if template else unknown,
        public=_true(template.get("networkInterfaces.0.associatePublicIpAddress")) if template else unknown,
        rolling=_refresh(resource),
        subnet=urn_of(resource.named("vpcZoneIdentifiers.0", subnets)),
        data=_template_data(template) if template else unknown,
    )


def _rows(resource: Resource, path: str) -> bool:
    return not isinstance(resource.rows(path), Unknown)


def _template_data(template: Resource) -> Fact[UserData | None]:
    given = template.get("userData")
    if isinstance(given, Unknown):
        return given
    return read(str(given), encoded=True) if given else None


def _refresh(resource: Resource) -> Rolling:
    """An instance refresh keeps a share of the group healthy: the rest is its batch."""
    strategy, healthy = (
        resource.get(f"instanceRefresh.{path}") for path in ("strategy", "preferences.minHealthyPercentage")
    )
    batch = healthy if healthy is None or isinstance(healthy, Unknown) else 100 - int(healthy)
    return Rolling(strategy if strategy is not None else "Manual", batch, batch, batch)


def load_balancer(
    resource: Resource, balancers: Sequence[Resource], listeners: Sequence[Resource], targets: Sequence[Resource]
) -> LoadBalancer:
    """A load balancer with its listeners' ports and the health check of what they forward to."""
    internal = resource.get("internal")
    whose = [(each, each.named("loadBalancerArn", balancers)) for each in listeners]
    own = [each for each, named in whose if urn_of(named) == resource.urn]
    # A listener whose balancer is not known yet may be this one's.
    ports = [each.get("port") for each in own] or [named for _, named in whose if isinstance(named, Unknown)]
    groups = [each.named("defaultActions.0.targetGroupArn", targets) for each in own]
    target = next((each for each in groups if isinstance(each, Resource)), None)
    unknown = next((each for each in groups if isinstance(each, Unknown)), None)
    protocol: Any = target.get("healthCheck.protocol") if target else unknown
    path: Any = target.get("healthCheck.path") if target else unknown
    return LoadBalancer(
        resource.urn,
        resource.name,
        next((each for each in ports if isinstance(each, Unknown)), tuple(int(each) for each in ports if _known(each))),
        internal if isinstance(internal, Unknown) else internal is not True,
        protocol,
        path,
    )


def subnet(resource: Resource) -> Subnet:
    """A subnet."""
    return Subnet(resource.urn, resource.get("cidrBlock"))


def storage(resource: Resource, buckets: Sequence[Resource], blocks: Sequence[Resource]) -> Storage:
    """A bucket: public unless a block of its own closes all four ways."""
    closed = [_closed(each, resource, buckets) for each in blocks]
    unknown = next((each for each in closed if isinstance(each, Unknown)), None)
    public: Fact[bool] = False if True in closed else unknown or True
    return Storage(resource.urn, resource.name, public, resource.protect)


def _closed(block: Resource, bucket: Resource, buckets: Sequence[Resource]) -> Fact[bool]:
    """Whether the block closes the bucket, as far as can be told."""
    named = block.named("bucket", buckets, also="bucket")
    ways = [block.get(way) for way in _BLOCKS]
    if not isinstance(named, Unknown) and urn_of(named) != bucket.urn:
        return False
    if any(not isinstance(way, Unknown) and way is not True for way in ways):
        return False
    return next((each for each in (named, *ways) if isinstance(each, Unknown)), True)
