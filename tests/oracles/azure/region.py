"""The boot data of a region's roles as on Azure: what any cloud's machine is told, and the rows in which Azure differs.

Made from a local plan, so that a container can be a node: kubelet and containerd are told what they run on.
"""

from collections.abc import Iterable
from types import SimpleNamespace
from typing import cast

from kilonode.apiserver.boot import api_server_boot
from kilonode.boot.machine import BootData
from kilonode.clouds.azure.boots import identity_path, pool_boot, vault_url
from kilonode.clouds.azure.machine_files import AzureFacts, on_azure
from kilonode.clouds.azure.plan import AzurePlan, AzurePool
from kilonode.cloudspec.azure_sizes import SIZES
from kilonode.etcd.boot import member_boot
from kilonode.etcd.config import MOUNT
from kilonode.etcd.plan import EtcdClusterPlan
from kilonode.nodes.boot import node_pool_boot
from kilonode.nodes.images import PreloadedImage
from kilonode.region.plan import RegionPlan

VAULT, GROUP = "kilonode-test", "kilonode-test"
ACCOUNT = "kilonodetest.blob.core.windows.net"
HOSTS = (f"{VAULT}.vault.azure.net", ACCOUNT)
SIZE = SIZES["Standard_L8s_v3"]


def secret_of(machine: str) -> str:
    """The name of a machine's or a pool's secret."""
    return f"{machine}-files"


def identity_of(machine: str) -> str:
    """The identity of a machine or a pool."""
    return identity_path(GROUP, machine)


def marks_of(cluster: str) -> str:
    """The container of a cluster's marks."""
    return f"marks-{cluster}"


def member(cluster: EtcdClusterPlan) -> BootData:
    """Of a cluster's first member."""
    machine, disks = cluster.members[0], SIZE.disks
    assert disks
    urls = (f"https://{ACCOUNT}/{container}" for container in (marks_of(cluster.spec.name), "snapshots"))
    marks, snapshots = urls
    facts = AzureFacts(
        vault_url(VAULT),
        secret_of(machine.name),
        identity_of(machine.name),
        disk=(disks.kind, MOUNT),
        marks=marks,
        snapshots=snapshots,
    )
    return on_azure(member_boot(cluster, machine), facts)


def api_server(plan: RegionPlan) -> BootData:
    """Of the first API server."""
    machine = plan.api_servers[0]
    return on_azure(
        api_server_boot(plan, machine), AzureFacts(vault_url(VAULT), secret_of(machine.name), identity_of(machine.name))
    )


def pool(plan: RegionPlan, images: Iterable[PreloadedImage]) -> BootData:
    """Of the nodes of the first pool."""
    spec = plan.machine_pools[0].spec
    azure = cast("AzurePlan", SimpleNamespace(region=plan, resource_group=GROUP))
    sized = cast("AzurePool", SimpleNamespace(azure=SimpleNamespace(type=SIZE), identity=spec.name))
    return pool_boot(azure, sized, node_pool_boot(plan, spec, images), VAULT, secret_of(spec.name))
