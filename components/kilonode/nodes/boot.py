"""The boot data of a machine pool: the same for all its nodes, who learn from their cloud what differs."""

import json
from collections.abc import Iterable

from kilonode.apiserver.dns import service_address
from kilonode.boot.cloudinit import BootDataSizeError, KeyInBootDataError, user_data
from kilonode.boot.kubeconfig import KUBECONFIG, kubeconfig
from kilonode.boot.machine import BootData, File, dump_yaml, environment
from kilonode.boot.sysctl import machine_pool_rows
from kilonode.limits import BOOT_DATA, BOOT_DATA_PLAIN, RESERVED_AT_START
from kilonode.nodes import containerd, kubelet, kubeproxy
from kilonode.nodes.images import SYSTEM, PreloadedImage, images_document
from kilonode.nodes.own_sysctls import with_own
from kilonode.nodes.spec import MachinePoolSpec
from kilonode.refusal import Refusal, RefusedError
from kilonode.region.plan import RegionPlan

POOL = "/etc/kilonode/pool.json"
IMAGES = "/etc/kilonode/images.json"
FACTS = "/run/kilonode/node.env"
"""What a node has found out about itself, as flags of kubelet."""

KUBELET_FLAGS = "/etc/kubernetes/kubelet.env"

UNITS = (
    "containerd.service",
    "kilonode-images.service",
    "kilonode-node.service",
    "kubelet.service",
    "kube-proxy.service",
)


def pool_document(plan: RegionPlan, pool: MachinePoolSpec) -> dict[str, object]:
    """From what a node works out the addresses of its pods."""
    return {
        "range": str(pool.range),
        "network": str(plan.range),
        "pods_per_node": pool.pods_per_node,
        "reserved_at_start": RESERVED_AT_START.value,
    }


def node_pool_user_data(pool: MachinePoolSpec, boot: BootData) -> str:
    """The cloud-init user data of every node of ``pool``, from its boot data.

    Raises:
        RefusedError: when it is larger than any cloud is sure to take, or holds a key.
    """
    field = f"nodePools {pool.name}"
    try:
        return user_data(boot)
    except KeyInBootDataError as found:
        allowed = "settings that anybody on a node may read: names, labels and URLs without keys, tokens and passwords"
        fix = "take it out, and make another in its place: this one has been read"
        raise RefusedError([Refusal(field, "a value, not shown", allowed, str(found), fix)]) from None
    except BootDataSizeError as too_large:
        rows = {"images": pool.images, "mirrors": pool.mirrors, "labels": pool.labels, "taints": pool.taints}
        given = ", ".join(f"{len(each)} {name}" for name, each in rows.items())
        allowed = f"boot data of at most {BOOT_DATA.value} {BOOT_DATA.unit} and {BOOT_DATA_PLAIN.value} before that"
        fix = "shorten names, leave some out, or split the pool"
        raise RefusedError([Refusal(field, given, allowed, str(too_large), fix)]) from None


def node_pool_boot(plan: RegionPlan, pool: MachinePoolSpec, images: Iterable[PreloadedImage]) -> BootData:
    """The boot data of every node of ``pool``; ``images`` are those of its machine image.

    Raises:
        ValueError: when an image of the system's own is not among them: no pod could start without it.
        RefusedError: when the pool's own kernel settings go against kilonode's.
    """
    images = tuple(images)
    if missing := set(SYSTEM) - {image.reference for image in images}:
        raise ValueError(f"pool {pool.name}: its machine image lacks {', '.join(sorted(missing))}")
    platform, network = plan.spec.cloud.nodes, plan.spec.network
    config = kubelet.kubelet_config(pool, platform, dns=service_address(network), domain=network.domain)
    runtime = containerd.config_toml(containerd.containerd_settings(pool, platform))
    joining = kubeconfig(kubelet.SERVICE, plan.endpoint, certificate="bootstrap")
    return BootData(
        hostname=f"a node of {pool.name}",
        files=(
            File(POOL, json.dumps(pool_document(plan, pool), indent=1) + "\n"),
            File(IMAGES, images_document(images)),
            File(containerd.PATH, runtime),
            *(containerd.hosts_file(mirror) for mirror in pool.mirrors),
            File(kubelet.PATH, dump_yaml(config)),
            File(KUBELET_FLAGS, environment("FLAGS", kubelet.kubelet_flags(pool))),
            File(kubelet.BOOTSTRAP_KUBECONFIG, dump_yaml(joining)),
            File(kubeproxy.PATH, dump_yaml(kubeproxy.kube_proxy_config())),
            File(
                KUBECONFIG.format(service=kubeproxy.SERVICE),
                dump_yaml(kubeconfig(kubeproxy.SERVICE, plan.endpoint)),
            ),
        ),
        units=UNITS,
        sysctls=with_own(
            machine_pool_rows(plan.spec.ceiling, reuses_addresses=plan.spec.cloud.reuses_addresses),
            pool.sysctls,
            f"nodePools {pool.name}.sysctls",
        ),
    )
