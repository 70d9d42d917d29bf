"""From a spec's cloud to the code that makes it; each cloud's SDK is imported only when it is chosen."""

from importlib import import_module
from typing import cast

from kilonode.clouds.contract import Cloud
from kilonode.region.plan import RegionPlan


def cloud_for(plan: RegionPlan) -> Cloud:
    """The cloud of ``plan``, from ``kilonode.clouds.<kind>.cloud``."""
    module = import_module(f"kilonode.clouds.{plan.spec.cloud.kind}.cloud")
    return cast(Cloud, module.make(plan))
