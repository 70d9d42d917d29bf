"""Resources of the AWS provider into facts."""

from collections.abc import Sequence

from kilonode.rules.facts.machines import Disk, Machine
from kilonode.rules.read.aws_classic import CLASSIC
from kilonode.rules.read.aws_launch import CONFIGURATION, SPOT_REQUEST, TEMPLATE, launch
from kilonode.rules.read.aws_network import BALANCERS
from kilonode.rules.read.aws_volumes import beside
from kilonode.rules.read.resource import Resource
from kilonode.rules.unknown import Fact

INSTANCE = "aws:ec2/instance:Instance"
INSTANCES = (INSTANCE, SPOT_REQUEST)
TEMPLATES = (TEMPLATE, CONFIGURATION)
GROUP = "aws:autoscaling/group:Group"
SUBNET = "aws:ec2/subnet:Subnet"
BUCKETS = ("aws:s3/bucket:Bucket", "aws:s3/bucketV2:BucketV2")
BLOCK = "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock"
TAGGABLE = frozenset({*INSTANCES, TEMPLATE, SUBNET, *BALANCERS, *CLASSIC, *BUCKETS, "aws:ec2/vpc:Vpc"})


def machine(
    resource: Resource,
    templates: Sequence[Resource],
    subnets: Sequence[Resource],
    balancers: Fact[frozenset[str]],
    attached: tuple[Disk, ...] = (),
) -> Machine:
    """An instance, or a request for one, with the disks that are attached to it; its zone is its own, else that of its subnet."""
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
        disks=beside(own.disks, attached),
        balancers=balancers,
    )
