"""Boot data of every role on Azure, of the stacks that ship and of the largest region that is accepted."""

from functools import cache
from typing import Any

from kilonode.apiserver.boot import api_server_boot
from kilonode.boot.machine import BootData
from kilonode.clouds.azure import boots, preloads
from kilonode.clouds.azure.generation import PLACEHOLDER
from kilonode.clouds.azure.machine_files import AzureFacts, on_azure
from kilonode.clouds.azure.plan import AzurePlan, AzurePool, plan_azure
from kilonode.clouds.azure.secrets import secret_name
from kilonode.etcd.boot import member_boot
from kilonode.etcd.config import MOUNT
from kilonode.nodes.boot import node_pool_boot
from kilonode.nodes.images import IMAGES_MAX
from kilonode.nodes.labels import LABELS_MAX, TAINTS_MAX
from kilonode.nodes.pulls import ENDPOINTS_MAX, MIRRORS_MAX
from kilonode.region.plan import plan_region
from ops.stack import CLONE
from ops.stackfile import read_stack
from tests.clouds.azure import regions

STACKS = ("azure-southcentralus", "azure-westeurope-small")
LARGEST = "the largest"
_ACCOUNT = f"https://{'a' * 24}.blob.core.windows.net"


def full_pool() -> dict[str, Any]:
    """A pool with as many rows of each kind as there may be, of names as registries and teams have them."""
    images = [
        {"reference": f"registry.example.com/team-{number}/train:v{number}@sha256:{number:064x}", "archive": f"/images/train-{number}.tar"}
        for number in range(IMAGES_MAX)
    ]  # fmt: skip
    mirrors = [
        {"registry": f"r{number}.example.com", "endpoints": [f"https://m{number}-{each}.example.com/v2" for each in range(ENDPOINTS_MAX)]}
        for number in range(MIRRORS_MAX)
    ]  # fmt: skip
    labels = {f"example.com/label-{number}": f"value-{number}" for number in range(LABELS_MAX)}
    taints = [
        {"key": f"example.com/taint-{number}", "value": "x", "effect": "NoSchedule"} for number in range(TAINTS_MAX)
    ]
    more = {"name": "p" * 20, "images": images, "mirrors": mirrors, "labels": labels, "taints": taints}
    return regions.pool(azure={"size": "Standard_ND96isr_H100_v5"}, **more)


@cache
def plan(name: str) -> AzurePlan:
    """A shipped stack's, or the largest region's."""
    if name != LARGEST:
        return plan_azure(plan_region(read_stack(CLONE / "stacks" / f"Pulumi.{name}.yaml")))
    etcd = [{"name": each, "members": 7} for each in ("main", "events", "leases")]
    return regions.plan(
        name="r" * 20, ceiling=10_000, etcd=etcd, apiServers={"count": 9}, nodePools=[full_pool()],
        cloud={"keyVault": {"name": "v" * 24}, "resourceGroup": "g" * 90},
    )  # fmt: skip


def documents(name: str) -> dict[str, BootData]:
    """Boot data by machine, and by pool; what a cloud invents is as long as in earnest."""
    own = plan(name)
    vault = boots.vault_url("v" * 24)
    made: dict[str, BootData] = {}
    for cluster in own.region.etcd:
        marks = f"{_ACCOUNT}/{own.marks[cluster.spec.name]}"
        for member in cluster.members:
            size = own.machine(member.name).size
            facts = AzureFacts(
                vault, secret_name(member.name, PLACEHOLDER), boots.identity_path(own.resource_group, member.name), disk=boots.disk(size, MOUNT), marks=marks,
                snapshots=f"{_ACCOUNT}/{own.snapshots}",
            )  # fmt: skip
            made[member.name] = on_azure(member_boot(cluster, member), facts)
    for server in own.region.api_servers:
        facts = AzureFacts(
            vault, secret_name(server.name, PLACEHOLDER), boots.identity_path(own.resource_group, server.name)
        )
        made[server.name] = on_azure(api_server_boot(own.region, server), facts)
    for pool in own.pools:
        made[pool.spec.name] = node(own, pool)
    return made


def node(own: AzurePlan, pool: AzurePool) -> BootData:
    """Boot data of every node of ``pool``."""
    common = node_pool_boot(own.region, pool.spec, preloads.preloaded(pool.spec))
    return boots.pool_boot(own, pool, common, "v" * 24, secret_name(pool.secret, PLACEHOLDER))


def role(own: AzurePlan, name: str) -> str:
    """The role of a machine or pool."""
    return {each.name: each.role for each in own.region.machines}.get(name, "node")
