"""A broken copy of each rendered file is caught by the program that reads it.

Each row is one small fault: the program, or the unit's own step before it, must end by itself with a failure and say why.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from kilonode.apiserver.controllers import SCHEDULER_CONFIG
from kilonode.apiserver.flags import AUDIT_POLICY, AUTHENTICATION
from kilonode.boot.kubeconfig import KUBECONFIG
from kilonode.boot.machine import File
from kilonode.boot.secrets import CLUSTER, delivered
from kilonode.clouds.local.host.images import BuiltImage
from kilonode.etcd.config import MOUNT, PATH, member_config
from kilonode.loadbalancer import haproxy
from kilonode.nodes import simulated
from tests.oracles.control_plane import ControlPlane
from tests.oracles.machine import PATIENCE, Machine
from tests.oracles.region import Rendered
from tests.oracles.unit import RefusedStartError, Unit

pytestmark = [pytest.mark.tools, pytest.mark.region]

API_FLAGS = "/etc/kubernetes/kube-apiserver.env"
CONTROLLER_FLAGS = "/etc/kubernetes/kube-controller-manager.env"
ENCRYPTION = delivered("kube-apiserver", "encryption.yaml")


@dataclass(frozen=True)
class Broken:
    """``old`` in a file becomes ``new`` (no ``old``: the file is gone), and the unit says ``says``."""

    unit: str
    path: str
    old: str
    new: str
    says: str


def api(path: str, old: str, new: str, says: str) -> Broken:
    return Broken("kube-apiserver", path, old, new, says)


ROWS = [
    Broken("etcd", PATH, "quota-backend-bytes: 8589934592", "quota-backend-bytes: 8GiB", "cannot unmarshal string"),
    Broken("etcd", PATH, "initial-cluster-state: new", "initial-cluster-state: [new]", "cannot unmarshal array"),
    Broken("etcd", PATH, "heartbeat-interval: 100", "heartbeat-interval: 900", "election-timeout"),
    Broken("etcd", PATH, "auto-compaction-mode: periodic", "auto-compaction-mode: sometimes", "auto-compaction-mode"),
    Broken("etcd", PATH, "listen-peer-urls: https", "listen-peer-urls: ftp", "URL scheme must be"),
    Broken("etcd", PATH, "listen-client-urls: https://10", "listen-client-urls: https://11", "cannot assign requested address"),
    Broken("etcd", PATH, "initial-advertise-peer-urls: https://10", "initial-advertise-peer-urls: https://11", "initial-cluster"),
    Broken("etcd", PATH, "tls-min-version: TLS1.2", "tls-min-version: TLS9", "TLS9"),
    Broken("etcd", PATH, "data-dir: ", "data-dir ", "could not find expected ':'"),
    Broken("etcd", delivered("etcd", "server.key"), "", "", "server.key: no such file"),
    Broken("etcd", delivered("etcd", "peer-ca.crt"), "", "", "peer-ca.crt: no such file"),
    api(API_FLAGS, "--etcd-servers-overrides=/events#", "--etcd-servers-overrides=/events#https://10.0.0.1:2379,", "etcd-servers-overrides"),
    api(API_FLAGS, "--goaway-chance=0", "--goaway-chance=0.05", "goaway-chance"),
    api(API_FLAGS, "--max-requests-inflight=", "--max-request-inflight=", "unknown flag: --max-request-inflight"),
    api(API_FLAGS, "--event-ttl=1h0m0s", "--event-ttl=1hour", "invalid argument"),
    api(API_FLAGS, "--enable-admission-plugins=NodeRestriction", "--enable-admission-plugins=NodeRestrictions", "NodeRestrictions"),
    api(API_FLAGS, "--authorization-mode=Node,RBAC", "--authorization-mode=Node,Rbac", "Rbac"),
    api(API_FLAGS, "--service-cluster-ip-range=", "--service-cluster-ip-range=300.", "service-cluster-ip-range[0] is not a valid cidr"),
    api(API_FLAGS, "--advertise-address=10.200", "--advertise-address=127.0", "127.0.1.4"),
    api(API_FLAGS, "--tls-min-version=VersionTLS12", "--tls-min-version=TLS1.2", "TLS1.2"),
    api(AUDIT_POLICY, "rules:", "rule:", "unknown field \"rule\""),
    api(AUDIT_POLICY, "level: Metadata", "level: Metadatum", "Metadatum"),
    api(AUTHENTICATION, "conditions:", "condition:", "unknown field \"anonymous.condition\""),
    api(AUTHENTICATION, "- path: /livez", "- paths: /livez", "unknown field \"anonymous.conditions[0].paths\""),
    api(ENCRYPTION, "secretbox:", "secretboxes:", "unknown field"),
    api(ENCRYPTION, "secret: A", "secret: ", "secret"),
    api(ENCRYPTION, "", "", "encryption.yaml: no such file"),
    api(delivered("kube-apiserver", "etcd-client.key"), "", "", "etcd-client.key: no such file"),
    api(delivered("kube-apiserver", "client-ca.crt"), "BEGIN CERTIFICATE", "BEGIN CERTIFICAT", "client-ca.crt"),
    api(delivered("kube-apiserver", "kubelet-ca.crt"), "", "", "kubelet-ca.crt"),
    api(delivered("kube-apiserver", "service-account.key"), "BEGIN EC PRIVATE", "BEGIN EC PRIVAT", "service-account.key"),
    Broken("kube-controller-manager", CONTROLLER_FLAGS, "--kube-api-qps=", "--kube-api-rate=", "unknown flag: --kube-api-rate"),
    Broken("kube-controller-manager", CONTROLLER_FLAGS, "--controllers=*,-cert", "--controllers=*,-zert", "zertificatesigning"),
    Broken("kube-controller-manager", CONTROLLER_FLAGS, "--leader-elect=true", "--leader-elect=yes", "invalid argument"),
    Broken("kube-controller-manager", KUBECONFIG.format(service="kube-controller-manager"), "current-context: region", "current-context: regions", "regions"),
    Broken("kube-controller-manager", delivered("kube-controller-manager", "client.key"), "", "", "client.key: no such file"),
    Broken("kube-scheduler", SCHEDULER_CONFIG, "leaderElect:", "leaderElected:", "unknown field \"leaderElection.leaderElected\""),
    Broken("kube-scheduler", SCHEDULER_CONFIG, "config.k8s.io/v1", "config.k8s.io/v9", "no kind \"KubeSchedulerConfiguration\""),
    Broken("kube-scheduler", SCHEDULER_CONFIG, "qps: 100", "qps: many", "qps"),
    Broken("kube-scheduler", KUBECONFIG.format(service="kube-scheduler"), "server: https", "servers: https", "no server found for cluster"),
    Broken("kube-scheduler", delivered("kube-scheduler", "client.crt"), "", "", "client.crt: no such file"),
    Broken("haproxy", haproxy.PATH, "default_backend api-servers", "default_backend api-server", "unable to find required default_backend"),
    Broken("haproxy", haproxy.PATH, "balance leastconn", "balance leastcon", "leastcon"),
    Broken("haproxy", haproxy.PATH, "option redispatch", "option redispatched", "unknown option"),
    Broken("haproxy", haproxy.PATH, "timeout connect 2s", "timeout connects 2s", "timeout"),
    Broken("haproxy", haproxy.PATH, "check-ssl", "check-tls", "unknown keyword 'check-tls'"),
    Broken("haproxy", haproxy.PATH, "bind 10.200", "bind 10.201", "cannot bind socket"),
    Broken("haproxy", delivered("haproxy", "ca.crt"), "", "", "ca.crt"),
    Broken("kwok", "/etc/kwok/kwok.env", "--manage-all-nodes", "--manage-every-node", "unknown flag"),
    Broken("kwok", "/etc/kwok/kwok.env", "--node-lease-duration-seconds=40", "--node-lease-duration-seconds=40s", "invalid argument"),
    Broken("kwok", simulated.STAGES, "", "", "kwok-stages.yaml"),
    Broken("kwok", simulated.STAGES, "kind: Stage", "kind: Stages", "Stages"),
    Broken("kwok", delivered("kwok", "client.key"), "", "", "client.key: no such file"),
    Broken("kilonode-simulated-nodes", simulated.POOL, "\"server\"", "\"servers\"", "KeyError: 'server'"),
    Broken("kilonode-simulated-nodes", simulated.POOL, "\"nodes\": 3,", "\"nodes\": 3", "JSONDecodeError"),
    Broken("kilonode-simulated-nodes", delivered("kwok", "ca.crt"), "", "", "No such file"),
    Broken("kilonode-bootstrap", "/usr/share/kilonode/bootstrap.yaml", "kind: ClusterRole\n", "kind ClusterRole\n", "error parsing"),
    Broken("kilonode-bootstrap", delivered("kilonode-bootstrap", "client.key"), "", "", "client.key: no such file"),
    Broken("kilonode-node-approver", delivered("kilonode-node-approver", "nodes.key"), "", "", "No such file"),
    Broken("kilonode-node-approver", delivered("kilonode-node-approver", "nodes.key"), "BEGIN PRIVATE", "BEGIN PRIVAT", "node-approver"),
    Broken("kilonode-node-approver", delivered("kilonode-node-approver", "ca.crt"), "BEGIN CERTIFICATE", "BEGIN CERTIFICAT", "node-approver"),
]  # fmt: skip


@pytest.fixture(scope="module")
def machines(image: BuiltImage, rendered: Rendered, plane: ControlPlane) -> Iterator[dict[str, Machine]]:
    """A machine per role; only the API server's reaches the living etcd members, as some faults show after those."""
    plan = rendered.plan
    member = rendered.cluster("main").members[0]
    with (
        Machine(image, member.name, own=str(member.address), disk=MOUNT) as etcd,
        Machine(image, plan.api_servers[0].name) as server,
        Machine(image, plan.load_balancer.name, own=str(plan.load_balancer.address)) as balancer,
        Machine(image, plan.simulators[0].name, own=str(plan.simulators[0].address)) as simulator,
    ):
        plane.network.join(server, str(plan.api_servers[0].address + 100))
        etcd.write(rendered.member("main"))
        server.write(rendered.api_server())
        balancer.write(rendered.load_balancer())
        simulator.write(rendered.simulator())
        etcd.path(CLUSTER).mkdir(parents=True)
        controllers = dict.fromkeys(
            (
                "kube-apiserver",
                "kube-controller-manager",
                "kube-scheduler",
                "kilonode-bootstrap",
                "kilonode-node-approver",
            ),
            server,
        )
        simulators = dict.fromkeys(("kwok", "kilonode-simulated-nodes"), simulator)
        yield {"etcd": etcd, "haproxy": balancer, **controllers, **simulators}


def named(row: Broken) -> str:
    change = f"{row.old} -> {row.new}" if row.old else "gone"
    return f"{row.unit} {row.path.rpartition('/')[2]} {change}"


@pytest.mark.parametrize("row", ROWS, ids=named)
def test_is_caught(machines: dict[str, Machine], row: Broken) -> None:
    unit = Unit(machines[row.unit], row.unit)
    with broken(unit.machine, row):
        try:
            running = unit.start()
        except RefusedStartError as refused:
            said = str(refused)
        else:
            running.fails(PATIENCE)
            said = running.text()
    assert row.says in said.replace('\\"', '"')


def test_etcd_passes_over_a_misspelt_key_so_each_is_held_against_its_own_help(
    image: BuiltImage, rendered: Rendered
) -> None:
    cluster = rendered.cluster("main")
    config = member_config(cluster, cluster.members[0])
    with Machine(image, "etcd-help") as machine:
        help_text = machine.run(["etcd", "--help"], check=True).stdout
    flags = set(re.findall(r"^\s*--([a-z0-9-]+)", help_text, re.MULTILINE))
    sections = {"client-transport-security": "", "peer-transport-security": "peer-"}
    keys = set(config) - set(sections)
    for section, prefix in sections.items():
        inner = config[section]
        assert isinstance(inner, dict)
        keys |= {f"{prefix}{key}" for key in inner}
    assert keys <= flags
    assert "quota-backend-byte" not in flags


@contextmanager
def broken(machine: Machine, row: Broken) -> Iterator[None]:
    """The file with its fault, and as it was again afterwards."""
    path = machine.path(row.path)
    right, mode = path.read_text(), path.stat().st_mode
    path.unlink()
    if row.old:
        assert row.old in right
        machine.write([File(row.path, right.replace(row.old, row.new), mode & 0o777)])
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        machine.write([File(row.path, right, mode & 0o777)])
