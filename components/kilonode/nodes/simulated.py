"""The boot data of the machine that plays a simulated pool with kwok."""

import json

from kilonode.boot.kubeconfig import kubeconfig
from kilonode.boot.machine import BootData, File, dump_yaml, environment
from kilonode.boot.secrets import credential
from kilonode.boot.sysctl import fixed_machine_rows
from kilonode.machines.plan import FixedMachine
from kilonode.nodes.labels import POOL_LABEL
from kilonode.nodes.spec import SimulatedPoolSpec
from kilonode.region.plan import RegionPlan
from kilonode.tuning import Row

SERVICE = "kwok"
REGISTRATION = "kilonode-simulated-nodes"
KUBECONFIG = "/etc/kwok/kwok.kubeconfig"
STAGES = "/usr/share/kilonode/kwok-stages.yaml"
POOL = "/etc/kwok/pool.json"

TAINT = {"key": "kwok.x-k8s.io/node", "value": "fake", "effect": "NoSchedule"}
"""kwok's own mark of a node that runs nothing: only pods that say they stand it are placed there."""

ROWS = (Row("node-lease-duration-seconds", 40, "as a kubelet: a lease of 40 s, renewed every ten", "kubelet default"),)

RESOURCES = {"cpu": "96", "memory": "1900Gi", "nvidia.com/gpu": "8", "ephemeral-storage": "5Ti"}
"""A GPU node such as the 2021 post's clusters ran; the pod count is the pool's own."""


def pool_document(plan: RegionPlan, pool: SimulatedPoolSpec) -> dict[str, object]:
    """What the registration reads: whose nodes, how many, and their planned addresses."""
    return {
        "name": pool.name,
        "prefix": f"{plan.spec.name}-{pool.name}",
        "server": plan.endpoint,
        "credentials": credential(REGISTRATION, ""),
        "nodes": pool.nodes,
        "zones": list(plan.spec.cloud.zones),
        "first_address": str(pool.addresses.node(0)),
        "per_node": pool.addresses.per_node,
        "taints": [TAINT],
        "resources": RESOURCES | {"pods": str(pool.pods_per_node)},
    }


def simulator_boot(plan: RegionPlan, pool: SimulatedPoolSpec, machine: FixedMachine) -> BootData:
    """Which pool the machine plays, and where the API is."""
    flags = (
        f"--kubeconfig={KUBECONFIG}",
        f"--config={STAGES}",
        "--manage-all-nodes=false",
        f"--manage-nodes-with-label-selector={POOL_LABEL}={pool.name}",
        f"--cidr={pool.range}",
        *(row.flag for row in ROWS),
    )
    return BootData(
        hostname=machine.name,
        files=(
            File(KUBECONFIG, dump_yaml(kubeconfig(SERVICE, plan.endpoint))),
            File("/etc/kwok/kwok.env", environment("FLAGS", flags)),
            File(POOL, json.dumps(pool_document(plan, pool), indent=1) + "\n"),
        ),
        units=("kwok.service", f"{REGISTRATION}.service"),
        sysctls=fixed_machine_rows(plan.spec.ceiling, reuses_addresses=plan.spec.cloud.reuses_addresses),
    )
