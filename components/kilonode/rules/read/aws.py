"""Resources of the AWS provider into facts."""

from collections.abc import Iterable, Sequence

from kilonode.rules.facts.machines import Machine
from kilonode.rules.facts.network import Interface
from kilonode.rules.facts.storage import Storage
from kilonode.rules.read.aws_launch import CONFIGURATION, SPOT_REQUEST, TEMPLATE, launch
from kilonode.rules.read.resource import Resource, urn_of
from kilonode.rules.unknown import Fact, Unknown

INSTANCE = "aws:ec2/instance:Instance"
INSTANCES = (INSTANCE, SPOT_REQUEST)
TEMPLATES = (TEMPLATE, CONFIGURATION)
GROUP = "aws:autoscaling/group:Group"
SUBNET = "aws:ec2/subnet:Subnet"
BALANCERS = ("aws:lb/loadBalancer:LoadBalancer", "aws:alb/loadBalancer:LoadBalancer")
LISTENER, TARGETS = "aws:lb/listener:Listener", "aws:lb/targetGroup:TargetGroup"
ATTACHMENT = "aws:lb/targetGroupAttachment:TargetGroupAttachment"
JOINED = "aws:autoscaling/attachment:Attachment"
BUCKETS = ("aws:s3/bucket:Bucket", "aws:s3/bucketV2:BucketV2")
BLOCK = "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock"
_BLOCKS = ("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets")
TAGGABLE = frozenset({*INSTANCES, TEMPLATE, SUBNET, *BALANCERS, *BUCKETS, "aws:ec2/vpc:Vpc"})


def machine(
    resource: Resource, templates: Sequence[Resource], subnets: Sequence[Resource], balancers: Fact[frozenset[str]]
) -> Machine:
    """An instance, or a request for one; its zone is its own, else that of its subnet."""
    own = launch(resource, templates)
    return Machine(
        resource.urn,
        resource.name,
        "aws",
        zone=own.zone(subnets),
        size=own.size,
        spot=own.spot,
        passwords=False,
        protected=resource.protect,
        data=own.data,
        disks=own.disks,
        balancers=balancers,
    )


def interface(resource: Resource, templates: Sequence[Resource]) -> Interface:
    """An instance, by whether it or its template asks for a public address."""
    return Interface(resource.urn, launch(resource, templates).public)


Closing = tuple[Fact[str | None], Fact[bool]]
"""A block: the URN of its bucket, and whether it closes all four ways."""


def closing(blocks: Iterable[Resource], buckets: Sequence[Resource]) -> tuple[Closing, ...]:
    """What each block closes, looked up once for all buckets."""
    return tuple((urn_of(each.named("bucket", buckets, also="bucket")), _closes(each)) for each in blocks)


def storage(resource: Resource, blocks: Iterable[Closing]) -> Storage:
    """A bucket: public unless a block of its own closes all four ways."""
    closed = [_closed(each, resource.urn) for each in blocks]
    unknown = next((each for each in closed if isinstance(each, Unknown)), None)
    public: Fact[bool] = False if True in closed else unknown or True
    return Storage(resource.urn, resource.name, public, resource.protect)


def _closes(block: Resource) -> Fact[bool]:
    ways = [block.truth(way) for way in _BLOCKS]
    if any(not isinstance(way, Unknown) and way is not True for way in ways):
        return False
    return next((each for each in ways if isinstance(each, Unknown)), True)


def _closed(block: Closing, bucket: str) -> Fact[bool]:
    """Whether the block closes the bucket, as far as can be told."""
    named, closes = block
    if closes is False or (not isinstance(named, Unknown) and named != bucket):
        return False
    return named if isinstance(named, Unknown) else closes
