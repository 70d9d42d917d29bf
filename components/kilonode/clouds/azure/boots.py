"""Boot data on Azure: that of any cloud, and the rows in which Azure differs (differences.py says which may)."""

import json
from dataclasses import replace

from kilonode.boot.machine import BootData, File, dump_yaml
from kilonode.clouds.azure import cni
from kilonode.clouds.azure.machine_files import EGRESS, HEALTH, POOL, AzureFacts, on_azure
from kilonode.clouds.azure.plan import AzurePlan, AzurePool
from kilonode.cloudspec.azure_sizes import DiskKind, Size
from kilonode.nodes import boot as nodes
from kilonode.nodes import containerd, kubeproxy


def vault_url(vault: str) -> str:
    """Where the vault of that name answers."""
    return f"https://{vault}.vault.azure.net"


def identity_path(group: str, name: str) -> str:
    """The id of an identity below its subscription, which boot data need not know."""
    return f"resourceGroups/{group}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/{name}"


def disk(size: Size, mount: str | None) -> tuple[DiskKind, str] | None:
    """The kind of the size's local disk, and where it goes.

    Raises:
        ValueError: when a disk is wanted of a size without one; a region's spec refuses that first.
    """
    if mount is None:
        return None
    if size.disks is None:
        raise ValueError(f"{size.name} has no local disk for {mount}")
    return size.disks.kind, mount


def pool_boot(plan: AzurePlan, pool: AzurePool, boot: BootData, vault: str, secret: str) -> BootData:
    """The boot data of every node of ``pool``."""
    who = identity_path(plan.resource_group, pool.identity)
    facts = AzureFacts(vault_url(vault), secret, who, disk=disk(pool.azure.type, containerd.MOUNT))
    more = (File(cni.PATH, cni.conflist()), File(cni.EGRESS, cni.egress([plan.region.range])))
    proxy = kubeproxy.kube_proxy_config() | {"detectLocal": {"interfaceNamePrefix": cni.POD_INTERFACES}}
    other = {nodes.POOL: json.dumps(POOL, indent=1) + "\n", kubeproxy.PATH: dump_yaml(proxy)}
    files = tuple(replace(file, content=other.get(file.path, file.content)) for file in boot.files)
    return on_azure(replace(boot, files=files), facts, *more, units=[EGRESS, HEALTH])
