"""Regions that pure tests look at, and everything their machines are given."""

from copy import deepcopy
from pathlib import Path
from typing import Any

from kilonode.apiserver.boot import api_server_boot
from kilonode.boot.machine import BootData
from kilonode.etcd.boot import member_boot
from kilonode.loadbalancer.haproxy import load_balancer_boot
from kilonode.nodes.boot import node_pool_boot
from kilonode.nodes.images import FOLDER, IMAGES_MAX, SYSTEM, PreloadedImage
from kilonode.nodes.labels import LABELS_MAX, TAINTS_MAX
from kilonode.nodes.pulls import ENDPOINTS_MAX, MIRRORS_MAX
from kilonode.nodes.simulated import simulator_boot
from kilonode.nodes.spec import MachinePoolSpec
from kilonode.pki.credentials import (
    api_server_credentials,
    load_balancer_credentials,
    member_credentials,
    node_credentials,
    operator_credentials,
    simulator_credentials,
)
from kilonode.pki.kinds import Credential
from kilonode.region.plan import RegionPlan, plan_region
from kilonode.region.spec import RegionSpec

SETTINGS: dict[str, Any] = {
    "name": "west",
    "cloud": {"kind": "local"},
    "ceiling": 1000,
    "network": {"range": "10.64.0.0/14"},
    "etcd": [{"name": "main", "members": 3}, {"name": "events", "members": 3}],
    "apiServers": {"count": 3},
    "nodePools": [
        {"name": "sim", "kind": "simulated", "nodes": 98, "range": "10.65.0.0/16"},
        {"name": "workers", "kind": "machines", "nodes": 2, "range": "10.66.0.0/16"},
    ],
}

LONGEST_LABEL = "a-name-of-20-letters"
BIGGEST: dict[str, Any] = {
    "name": LONGEST_LABEL,
    "cloud": {"kind": "local"},
    "ceiling": 10_000,
    "network": {
        "range": "10.0.0.0/8",
        "services": "192.168.128.0/17",
        "domain": ".".join(["a" * 63, "b" * 63, "c" * 63, "d" * 8]),
    },
    "etcd": [{"name": name, "members": 7, "quota": "16GiB"} for name in ("main", "events", "leases")],
    "apiServers": {"count": 9},
    "nodePools": [
        {
            "name": f"{LONGEST_LABEL[:-2]}{number:02}", "kind": "simulated", "nodes": 625, "podsPerNode": 250,
            "simulator": number, "range": f"10.{100 + 4 * number}.0.0/14",
        }
        for number in range(15)
    ] + [
        {
            "name": f"{LONGEST_LABEL[:-2]}no", "kind": "machines", "nodes": 625, "podsPerNode": 250, "range": "10.200.0.0/14",
            "images": [
                {"reference": f"registry.example.com/team/training-{number:02}:v1@sha256:{number:02}{'c0ffee' * 10}00",
                 "archive": f"/srv/images/training-{number:02}.tar"}
                for number in range(IMAGES_MAX)
            ],
            "mirrors": [
                {"registry": f"registry-{number}.example.com", "endpoints": [
                    f"https://mirror-{number}-{each}.example.com" for each in range(ENDPOINTS_MAX)]}
                for number in range(MIRRORS_MAX)
            ],
            "labels": {f"example.com/label-{number}": "a" * 63 for number in range(LABELS_MAX)},
            "taints": [
                {"key": f"example.com/taint-{number}", "value": "b" * 63, "effect": "NoSchedule"}
                for number in range(TAINTS_MAX)
            ],
        },
    ],
}  # fmt: skip
"""Every count at its limit and every name as long as it may be."""


def settings(**changes: Any) -> dict[str, Any]:
    """The settings of an ordinary region, some of them changed."""
    return deepcopy(SETTINGS) | changes


def spec(**changes: Any) -> RegionSpec:
    return RegionSpec.model_validate(settings(**changes))


def plan(**changes: Any) -> RegionPlan:
    return plan_region(spec(**changes))


def biggest() -> RegionPlan:
    return plan_region(RegionSpec.model_validate(BIGGEST))


def pool(name: str, number: int, address_range: str, **changes: Any) -> dict[str, Any]:
    """The settings of one more simulated pool."""
    return {"name": name, "kind": "simulated", "nodes": 10, "simulator": number, "range": address_range} | changes


def boots(of: RegionPlan) -> dict[str, BootData]:
    """The boot data of every machine, by its name."""
    members = {machine.name: member_boot(cluster, machine) for cluster in of.etcd for machine in cluster.members}
    servers = {machine.name: api_server_boot(of, machine) for machine in of.api_servers}
    pools = zip(of.spec.simulated_pools, of.simulators, strict=True)
    simulators = {machine.name: simulator_boot(of, pool, machine) for pool, machine in pools}
    return members | servers | {of.load_balancer.name: load_balancer_boot(of)} | simulators


def images(of: MachinePoolSpec) -> tuple[PreloadedImage, ...]:
    """The images of a pool's nodes; the system's have digests of no archive."""
    system = [PreloadedImage(name, f"sha256:{'0' * 64}", f"{FOLDER}/system.tar") for name in SYSTEM]
    asked = [PreloadedImage(image.name, image.digest, f"{FOLDER}/{Path(image.archive).name}") for image in of.images]
    return (*system, *asked)


def node_boots(of: RegionPlan) -> dict[str, BootData]:
    """The boot data of every pool of machines, by the pool's name."""
    return {pool.spec.name: node_pool_boot(of, pool.spec, images(pool.spec)) for pool in of.machine_pools}


def credentials(of: RegionPlan) -> dict[str, tuple[Credential, ...]]:
    """The credential rows of every machine and of the operator, by name."""
    members = {machine.name: member_credentials(cluster, machine) for cluster in of.etcd for machine in cluster.members}
    servers = {machine.name: api_server_credentials(of, machine) for machine in of.api_servers}
    pools = zip(of.spec.simulated_pools, of.simulators, strict=True)
    simulators = {machine.name: simulator_credentials(pool.name) for pool, machine in pools}
    nodes = {
        node.name: node_credentials(pool.spec.name, node.name, node.address)
        for pool in of.machine_pools
        for node in pool.nodes
    }
    others = {of.load_balancer.name: load_balancer_credentials(), "operator": operator_credentials()}
    return members | servers | simulators | nodes | others
