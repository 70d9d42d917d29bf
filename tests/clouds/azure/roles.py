"""Boot data of each role, on Azure and as other clouds have it."""

from typing import Any

from kilonode.apiserver.boot import api_server_boot
from kilonode.boot.machine import BootData
from kilonode.clouds.azure.boots import disk, identity_path, pool_boot, vault_url
from kilonode.clouds.azure.differences import Role
from kilonode.clouds.azure.machine_files import AzureFacts, on_azure
from kilonode.etcd.boot import member_boot
from kilonode.etcd.config import MOUNT
from kilonode.nodes.boot import node_pool_boot
from kilonode.region.plan import RegionPlan
from tests import plans
from tests.clouds.azure import regions
from tests.oracles.azure.region import secret_of

PLAIN = {**regions.POOL, "range": "10.66.0.0/16"}
GPUS = {**PLAIN, "azure": {"size": "Standard_ND96isr_H100_v5"}}
PLAN = regions.plan(nodePools=[GPUS])
"""The region of :func:`tests.plans.plan` on Azure: the same machines at the same addresses."""

VAULT = "west-vault"


def boots(plan: RegionPlan) -> dict[Role, BootData]:
    """Boot data of each role, as any cloud's machine would get it."""
    pool = plan.machine_pools[0].spec
    return {
        "etcd": member_boot(plan.etcd[0], plan.etcd[0].members[0]),
        "api": api_server_boot(plan, plan.api_servers[0]),
        "node": node_pool_boot(plan, pool, plans.images(pool)),
    }


def facts(name: str, **more: Any) -> AzureFacts:
    own = PLAN.machine(name)
    return AzureFacts(
        vault_url(VAULT),
        secret_of(name),
        identity_path("west", name),
        disk=disk(own.size, more.pop("mount", None)),
        **more,
    )


COMMON = boots(PLAN.region)
LOCAL = boots(plans.plan())
AZURE: dict[Role, BootData] = {
    "etcd": on_azure(
        COMMON["etcd"],
        facts("west-etcd-main-1", mount=MOUNT, marks="https://a/marks-main", snapshots="https://a/snapshots"),
    ),
    "api": on_azure(COMMON["api"], facts("west-api-1")),
    "node": pool_boot(PLAN, PLAN.pools[0], COMMON["node"], VAULT, secret_of("workers")),
}
