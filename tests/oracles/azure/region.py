"""The boot data of a region's roles as on Azure: what any cloud's machine is told, and the rows in which Azure differs."""

import json
from collections.abc import Iterable
from dataclasses import replace

from kilonode.apiserver.boot import api_server_boot
from kilonode.boot.machine import BootData, File, dump_yaml
from kilonode.clouds.azure import cni
from kilonode.clouds.azure.machine_files import EGRESS, POOL, AzureFacts, on_azure
from kilonode.etcd.boot import member_boot
from kilonode.etcd.config import MOUNT
from kilonode.etcd.plan import EtcdClusterPlan
from kilonode.nodes import containerd, kubeproxy
from kilonode.nodes.boot import POOL as POOL_PATH
from kilonode.nodes.boot import node_pool_boot
from kilonode.nodes.images import PreloadedImage
from kilonode.nodes.kubelet import PATH as KUBELET
from kilonode.nodes.platform import CONTAINER, MACHINE, NodePlatform
from kilonode.region.plan import RegionPlan

VAULT = "kilonode-test.vault.azure.net"
ACCOUNT = "kilonodetest.blob.core.windows.net"
DISK = "nvme-direct"


def secret_of(machine: str) -> str:
    """The name of a machine's or a pool's secret."""
    return f"{machine}-files"


def marks_of(cluster: str) -> str:
    """The container of a cluster's marks."""
    return f"marks-{cluster}"


def member(plan: EtcdClusterPlan, index: int = 0) -> BootData:
    """Of an etcd member."""
    machine = plan.members[index]
    facts = AzureFacts(
        f"https://{VAULT}", secret_of(machine.name), disk=(DISK, MOUNT),
        marks=f"https://{ACCOUNT}/{marks_of(plan.spec.name)}", snapshots=f"https://{ACCOUNT}/snapshots",
    )  # fmt: skip
    return on_azure(member_boot(plan, machine), facts)


def api_server(plan: RegionPlan, index: int = 0) -> BootData:
    """Of an API server."""
    machine = plan.api_servers[index]
    return on_azure(api_server_boot(plan, machine), AzureFacts(f"https://{VAULT}", secret_of(machine.name)))


def pool(plan: RegionPlan, number: int, images: Iterable[PreloadedImage], platform: NodePlatform = MACHINE) -> BootData:
    """Of a pool's nodes; ``platform`` is what they run on, in earnest a machine and here a container."""
    spec = plan.machine_pools[number].spec
    facts = AzureFacts(f"https://{VAULT}", secret_of(spec.name), disk=(DISK, containerd.MOUNT))
    more = (File(cni.PATH, cni.conflist()), File(cni.EGRESS, cni.egress([plan.range])))
    boot = on_azure(node_pool_boot(plan, spec, images), facts, *more, units=[EGRESS])
    proxy = kubeproxy.kube_proxy_config() | {"detectLocal": {"interfaceNamePrefix": cni.POD_INTERFACES}}
    other = {POOL_PATH: json.dumps(POOL), kubeproxy.PATH: dump_yaml(proxy)}
    if platform is not CONTAINER:
        runtime = containerd.config_toml(containerd.containerd_settings(spec, platform))
        other |= {containerd.PATH: runtime, KUBELET: _kubelet(plan, number, platform)}
    files = tuple(replace(file, content=other.get(file.path, file.content)) for file in boot.files)
    return replace(boot, files=files)


def _kubelet(plan: RegionPlan, number: int, platform: NodePlatform) -> str:
    from kilonode.apiserver.dns import service_address
    from kilonode.nodes.kubelet import kubelet_config

    network = plan.spec.network
    spec = plan.machine_pools[number].spec
    return dump_yaml(kubelet_config(spec, platform, dns=service_address(network), domain=network.domain))
