"""The program of every stack: one region from the stack's settings."""

import pulumi

from kilonode.region.region import Region
from settings import region_spec

spec = region_spec()
region = Region(spec.name, spec)

pulumi.export("endpoint", region.endpoint)
pulumi.export("etcd", region.etcd)
pulumi.export("operator", region.operator)
pulumi.export("nodes", region.nodes)
