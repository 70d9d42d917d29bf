"""The plan of one etcd cluster: its members' names, zones, addresses and URLs."""

from dataclasses import dataclass
from ipaddress import IPv4Network

from kilonode.etcd.clusters import KINDS, ClusterKind
from kilonode.etcd.spec import EtcdClusterSpec
from kilonode.machines.plan import FixedMachine, fixed_machines

CLIENT_PORT = 2379
PEER_PORT = 2380
METRICS_PORT = 2381


@dataclass(frozen=True)
class EtcdClusterPlan:
    """Members in order; the first ``spec.first_members`` of them made the first bootstrap."""

    spec: EtcdClusterSpec
    kind: ClusterKind
    region: str
    members: tuple[FixedMachine, ...]

    @property
    def name(self) -> str:
        """Region and cluster, as in ``local-etcd-main``; also the bootstrap token."""
        return f"{self.region}-etcd-{self.spec.name}"

    @property
    def client_urls(self) -> tuple[str, ...]:
        """Where kube-apiserver and etcdctl reach the members."""
        return tuple(f"https://{member.address}:{CLIENT_PORT}" for member in self.members)

    @property
    def server_urls(self) -> tuple[str, ...]:
        """What API servers are given: the members of birth, so that growth does not replace them.

        A living quorum always has one of these in it while they are more than half of the members; else all are named.
        """
        first = self.spec.first_members
        return self.client_urls[:first] if first > self.spec.members // 2 else self.client_urls

    @property
    def initial_cluster(self) -> str:
        """Members of the first bootstrap in etcd's own notation; fixed at birth."""
        first = self.members[: self.spec.first_members]
        return ",".join(f"{member.name}=https://{member.address}:{PEER_PORT}" for member in first)


def plan_cluster(spec: EtcdClusterSpec, region: str, network: IPv4Network, zones: tuple[str, ...]) -> EtcdClusterPlan:
    """Plan the cluster ``spec`` of ``region``."""
    kind = KINDS[spec.name]
    members = fixed_machines(f"etcd-{spec.name}", kind.slot, spec.members, region, network, zones, role="etcd")
    return EtcdClusterPlan(spec, kind, region, members)
