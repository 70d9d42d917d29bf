"""The program of every stack: one region from the stack's settings."""

import pulumi

from kilonode.refusal import RefusedError
from kilonode.region.region import Region
from settings import region_spec

spec = region_spec()
try:
    # Named by the stack, which outlives an edit of the region's name: so that edit is seen, and refused.
    region = Region(pulumi.get_stack(), spec)
except (RefusedError, FileNotFoundError) as refused:
    raise pulumi.RunError(str(refused)) from None

pulumi.export("endpoint", region.endpoint)
pulumi.export("etcd", region.etcd)
pulumi.export("operator", region.operator)
pulumi.export("nodes", region.nodes)
