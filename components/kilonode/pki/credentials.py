"""Who signs what for whom: the credentials of every machine and of the operator, as rows."""

import re
from ipaddress import IPv4Address, IPv4Network

from kilonode.etcd.plan import EtcdClusterPlan
from kilonode.machines.plan import FixedMachine
from kilonode.nodes.plan import MachinePoolPlan
from kilonode.pki.kinds import Authority, Certificate, Credential, SharedKey, SigningAuthority
from kilonode.pki.users import (
    ADDRESS_GROUP,
    ADMINS,
    APPROVER,
    APPROVER_USER,
    ETCD,
    FRONT_PROXY,
    JOINING,
    KUBERNETES,
    NAMES_GROUP,
    NAMES_MAX,
    NODES,
    POOL_GROUP,
    PROXY_USER,
    RANGE_GROUP,
    SIMULATORS,
    peers,
)
from kilonode.refusal import refuse
from kilonode.region.plan import RegionPlan


def authorities(plan: RegionPlan) -> tuple[str, ...]:
    """Every certificate authority of the region."""
    return (ETCD, KUBERNETES, FRONT_PROXY, NODES, *(peers(cluster.spec.name) for cluster in plan.etcd))


def member_credentials(cluster: EtcdClusterPlan, member: FixedMachine) -> tuple[Credential, ...]:
    """What one etcd member holds.

    ``client`` is for its own membership calls. Its signer is the cluster's own: every client certificate of the shared
    authority is root in every cluster, and a machine of one must be nobody in another.
    """
    service, own = "etcd", str(member.address)
    own_authority = peers(cluster.spec.name)
    server_names = ("localhost", member.name)
    return (
        Authority(service, "ca", ETCD),
        Authority(service, "peer-ca", own_authority),
        Authority(service, "client-ca", ETCD, also=own_authority),
        Certificate(
            service, "server", ETCD, member.name, ("server",), names=server_names, addresses=(own, "127.0.0.1")
        ),
        Certificate(
            service,
            "peer",
            own_authority,
            member.name,
            ("server", "client"),
            names=(member.name,),
            addresses=(own,),
        ),
        Certificate(service, "client", own_authority, f"{member.name}-membership", ("client",)),
    )


def api_server_credentials(plan: RegionPlan, machine: FixedMachine) -> tuple[Credential, ...]:
    """What one API server machine holds, a folder per service."""
    service = "kube-apiserver"
    domain = plan.spec.network.domain
    names = (
        "localhost",
        machine.name,
        plan.api_name,
        "kubernetes",
        "kubernetes.default",
        "kubernetes.default.svc",
        f"kubernetes.default.svc.{domain}",
    )
    addresses = (str(machine.address), str(plan.load_balancer.address), str(plan.service_address), "127.0.0.1")
    return (
        Authority(service, "client-ca", KUBERNETES, also=NODES),
        Authority(service, "kubelet-ca", NODES),
        Authority(service, "etcd-ca", ETCD),
        Authority(service, "front-proxy-ca", FRONT_PROXY),
        Certificate(service, "server", KUBERNETES, "kube-apiserver", ("server",), names=names, addresses=addresses),
        Certificate(service, "etcd-client", ETCD, f"{machine.name}", ("client",)),
        Certificate(service, "kubelet-client", KUBERNETES, "kube-apiserver-kubelet-client", ("client",)),
        Certificate(service, "front-proxy-client", FRONT_PROXY, "front-proxy-client", ("client",)),
        SharedKey(service, "service-account.key", "service-account"),
        SharedKey(service, "encryption.yaml", "encryption"),
        *_client("kube-controller-manager", "system:kube-controller-manager"),
        *_client("kube-scheduler", "system:kube-scheduler"),
        *_client("kilonode-bootstrap", "kilonode:bootstrap", "system:masters"),
        *_client(APPROVER, APPROVER_USER),
        SigningAuthority(APPROVER, "nodes", NODES),
    )


def load_balancer_credentials() -> tuple[Credential, ...]:
    """The load balancer passes TLS through; it only has to know a real API server when it probes one."""
    return (Authority("haproxy", "ca", KUBERNETES),)


def simulator_credentials(pool: str) -> tuple[Credential, ...]:
    """What the machine that plays a simulated pool holds."""
    return _client("kwok", f"{SIMULATORS}:{pool}", SIMULATORS)


def node_credentials(pool: str, name: str, address: IPv4Address, folder: str = "") -> tuple[Credential, ...]:
    """What one node holds before it has joined, a folder per service, below ``folder`` where one is given.

    The bootstrap certificate is good for one request, in which kubelet asks to be the node of this name; its groups say
    of which pool and at which address. No authority of servers is in here but the API's own.
    """
    return _joining(name, (JOINING, f"{POOL_GROUP}{pool}", f"{ADDRESS_GROUP}{address}"), folder)


def unplanned_pool_credentials(
    pool: str, prefix: str, addresses: IPv4Network, folder: str = ""
) -> tuple[Credential, ...]:
    """What every machine of a pool holds before it has joined where a cloud chooses its name and address.

    The bootstrap certificate lets its holder ask to be any node whose name is ``prefix`` and eight of 0-9 and a-z, at one
    address of ``addresses``: each machine of the pool is as good as the pool's secret.

    Raises:
        PydanticCustomError: when no node's name can begin with ``prefix``.
    """
    if len(prefix) > NAMES_MAX or not re.fullmatch(r"[a-z][a-z0-9-]*", prefix):
        raise refuse(
            field="prefix",
            given=prefix,
            allowed=f"a lower-case letter, then letters, digits and dashes; at most {NAMES_MAX} characters",
            why="with eight characters of the cloud's it becomes the names of nodes, which are common names of certificates",
            fix="write one like 'west-workers-'",
        )
    groups = (JOINING, f"{POOL_GROUP}{pool}", f"{NAMES_GROUP}{prefix}", f"{RANGE_GROUP}{addresses}")
    return _joining(pool, groups, folder)


def pool_credentials(pool: MachinePoolPlan) -> tuple[Credential, ...]:
    """What the nodes of a pool hold, each below a folder of its name."""
    return tuple(
        row
        for node in pool.nodes
        for row in node_credentials(pool.spec.name, node.name, node.address, folder=node.name)
    )


def operator_credentials() -> tuple[Credential, ...]:
    """What the operator's own tools use: the API as admin, and etcd for verification and repair."""
    return (
        *_client("operator", "operator", ADMINS),
        Authority("operator", "etcd-ca", ETCD),
        Certificate("operator", "etcd-client", ETCD, "operator", ("client",)),
    )


def _joining(name: str, groups: tuple[str, ...], folder: str) -> tuple[Credential, ...]:
    below = f"{folder}/" if folder else ""
    return (
        Authority(f"{below}kubelet", "ca", KUBERNETES),
        Certificate(f"{below}kubelet", "bootstrap", KUBERNETES, f"{JOINING}:{name}", ("client",), organizations=groups),
        *_client(f"{below}kube-proxy", PROXY_USER),
    )


def _client(service: str, common_name: str, *organizations: str) -> tuple[Credential, ...]:
    return (
        Authority(service, "ca", KUBERNETES),
        Certificate(service, "client", KUBERNETES, common_name, ("client",), organizations=organizations),
    )
