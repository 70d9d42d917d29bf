"""Resources of the AWS provider into facts."""

from collections.abc import Mapping
from typing import Any

from kilonode.rules.facts import Disk, Interface, LoadBalancer, Machine, NodePool, Rolling, Storage, Subnet, UserData
from kilonode.rules.read.resource import Resource, at
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


def machine(resource: Resource, subnets: Mapping[str, Resource]) -> Machine:
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


def _zone(resource: Resource, subnets: Mapping[str, Resource]) -> Fact[str | None]:
    own = resource.get("availabilityZone")
    where = resource.get("subnetId")
    if own is not None or where is None:
        zone: Fact[str | None] = own
        return zone
    if isinstance(where, str) and where in subnets:
        of_subnet: Fact[str | None] = subnets[where].get("availabilityZone")
        return of_subnet
    return Unknown("availabilityZone")


def _user_data(resource: Resource) -> Fact[UserData | None]:
    encoded, text = resource.get("userDataBase64"), resource.get("userData")
    if isinstance(encoded, Unknown) or isinstance(text, Unknown):
        return encoded if isinstance(encoded, Unknown) else text
    if encoded:
        return read(str(encoded), encoded=True)
    return read(str(text), encoded=False) if text else None


def _equal(value: Any, other: str) -> Fact[bool]:
    return value if isinstance(value, Unknown) else value == other


def _true(value: Any) -> Fact[bool]:
    return value if isinstance(value, Unknown) else value in {True, "true"}


def group(resource: Resource, templates: Mapping[str, Resource]) -> NodePool:
    """An auto scaling group with the launch template it names."""
    named = resource.get("launchTemplate.id") or resource.get("launchTemplate.name")
    template = templates.get(named) if isinstance(named, str) else None
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
        subnet=resource.get("vpcZoneIdentifiers.0"),
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


def load_balancer(resource: Resource, listeners: list[Resource], targets: Mapping[str, Resource]) -> LoadBalancer:
    """A load balancer with its listeners' ports and the health check of what they forward to."""
    internal = resource.get("internal")
    own = [each for each in listeners if _names(each.get("loadBalancerArn"), resource)]
    ports = [each.get("port") for each in own]
    groups = [at(each.get("defaultActions"), "0.targetGroupArn") for each in own]
    target = next((targets[each] for each in groups if isinstance(each, str) and each in targets), None)
    unknown = next((each for each in groups if isinstance(each, Unknown)), None)
    protocol: Any = target.get("healthCheck.protocol") if target else unknown
    path: Any = target.get("healthCheck.path") if target else unknown
    return LoadBalancer(
        resource.urn,
        resource.name,
        next((each for each in ports if isinstance(each, Unknown)), tuple(int(each) for each in ports if each)),
        internal if isinstance(internal, Unknown) else internal is not True,
        protocol,
        path,
    )


def _names(arn: Any, resource: Resource) -> bool:
    return arn is not None and arn in {resource.id, at(resource.outputs, "arn")}


def subnet(resource: Resource) -> Subnet:
    """A subnet."""
    return Subnet(resource.urn, resource.id if resource.id is not None else Unknown("id"), resource.get("cidrBlock"))


def storage(resource: Resource, blocks: list[Resource]) -> Storage:
    """A bucket: public unless a block of its own closes all four ways."""
    names = {resource.get("bucket"), resource.id, resource.name} - {None}
    own = [each for each in blocks if each.get("bucket") in names]
    unknown = next((each.get("bucket") for each in blocks if isinstance(each.get("bucket"), Unknown)), None)
    if not own and unknown is not None:
        return Storage(resource.urn, resource.name, unknown, resource.protect)
    closed = any(all(each.get(way) is True for way in _BLOCKS) for each in own)
    return Storage(resource.urn, resource.name, not closed, resource.protect)
