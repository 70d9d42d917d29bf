"""Who may reach whom at which port, and why; all else that comes in is denied, from the region's own machines too."""

from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Literal

from kilonode.cloudspec.azure import AzureCloudSpec
from kilonode.etcd.plan import CLIENT_PORT, METRICS_PORT, PEER_PORT
from kilonode.limits import AZURE_NSG_PRIORITY
from kilonode.network.slots import API_SERVERS, FIXED_PREFIX, slot_range
from kilonode.region.plan import API_PORT

Role = Literal["edge", "etcd", "api-servers", "pools"]
"""What lives in a subnet."""

Source = Literal["itself", "api-servers", "pools", "operators", "ssh", "probe"]
Protocol = Literal["Tcp", "*"]

PROBE = "AzureLoadBalancer"
"""The service tag of 168.63.129.16, where a load balancer's probes come from."""

SSH_PORT = 22
ANY: Literal["*"] = "*"


@dataclass(frozen=True)
class Reach:
    """One row: ``source`` may reach machines of ``target``. Priorities are never given to another row."""

    priority: int
    source: Source
    target: Role
    protocol: Protocol
    port: str
    why: str


_METRICS = (
    "metrics show whether the member keeps up; mutual TLS; in-cluster monitoring is not there yet, so nobody else asks"
)
REACHES = (
    Reach(100, "api-servers", "etcd", "Tcp", str(CLIENT_PORT), "kube-apiserver keeps every object there"),
    Reach(110, "itself", "etcd", "Tcp", str(CLIENT_PORT), "a member asks the others to be taken in, and for their members"),
    Reach(120, "itself", "etcd", "Tcp", str(PEER_PORT), "Raft, within one cluster only"),
    Reach(130, "operators", "etcd", "Tcp", str(CLIENT_PORT), "etcdctl, for verification and repair; mutual TLS"),
    Reach(140, "operators", "etcd", "Tcp", str(METRICS_PORT), _METRICS),
    Reach(200, "probe", "api-servers", "Tcp", str(API_PORT), "the load balancer sends nobody to a server whose /readyz fails"),
    Reach(210, "pools", "api-servers", "Tcp", str(API_PORT), "kubelets and pods; the load balancer keeps the caller's address"),
    Reach(220, "operators", "api-servers", "Tcp", str(API_PORT), "kubectl; the load balancer keeps the caller's address"),
    Reach(300, "api-servers", "pools", "Tcp", ANY, "kubelet at 10250 for logs and exec; webhooks and aggregated APIs are pods, at ports of their own"),
    Reach(310, "pools", "pools", ANY, ANY, "pods talk to each other at their own addresses, DNS and jobs among them"),
    *(Reach(900, "ssh", role, "Tcp", str(SSH_PORT), "asked for in cloud.sshRanges") for role in ("etcd", "api-servers", "pools")),
)  # fmt: skip

DENY_PRIORITY = AZURE_NSG_PRIORITY.value
DENY_WHY = "Azure's own rules let in everything from the virtual networks and every probe (65000, 65001)"


@dataclass(frozen=True)
class Rule:
    """One inbound rule of a network security group; it is for every address of its subnet."""

    name: str
    priority: int
    access: Literal["Allow", "Deny"]
    protocol: Protocol
    sources: tuple[str, ...]
    """Ranges, or one service tag, or ``*``."""

    port: str
    why: str


def pool_ranges(region: IPv4Network) -> tuple[IPv4Network, ...]:
    """All of a region's range but the fixed machines': where pools are and may come, so that one more changes no rule."""
    fixed = next(region.subnets(new_prefix=FIXED_PREFIX))
    return tuple(sorted(region.address_exclude(fixed)))


def rules(region: IPv4Network, cloud: AzureCloudSpec, role: Role, own: IPv4Network) -> tuple[Rule, ...]:
    """The inbound rules of the subnet ``own`` in which ``role`` lives, the denial of everything else last."""
    ranges: dict[Source, tuple[str, ...]] = {
        "itself": (str(own),),
        "api-servers": (str(slot_range(region, API_SERVERS)),),
        "pools": tuple(map(str, pool_ranges(region))),
        "operators": tuple(map(str, cloud.operator_ranges)),
        "ssh": tuple(map(str, cloud.ssh_ranges)),
        "probe": (PROBE,),
    }
    allowed = tuple(
        Rule(_name(row), row.priority, "Allow", row.protocol, ranges[row.source], row.port, row.why)
        for row in REACHES
        if row.target == role and ranges[row.source]
    )
    return (*allowed, Rule("deny-all-else", DENY_PRIORITY, "Deny", ANY, (ANY,), ANY, DENY_WHY))


def _name(row: Reach) -> str:
    port = "any" if row.port == ANY else row.port
    return f"allow-{row.source}-{port}"
