"""The configuration file of an etcd member, in etcd's own keys."""

from kilonode.boot.secrets import credential
from kilonode.etcd.plan import CLIENT_PORT, METRICS_PORT, PEER_PORT, EtcdClusterPlan
from kilonode.machines.plan import FixedMachine

PATH = "/etc/etcd/etcd.yaml"
MOUNT = "/var/lib/etcd"
DATA = f"{MOUNT}/data"
SERVICE = "etcd"

COMPACTION = "5m"
"""Periodic, as kube-apiserver compacts itself every five minutes; this is the backstop when no API server lives."""

HEARTBEAT_MS = 100
ELECTION_MS = 1000
"""etcd's tuning guide: election timeout ten times the round trip, heartbeat about one round trip; zones are near."""

SNAPSHOT_COUNT = 10_000
"""Raft entries kept before a snapshot; more cost memory on every member (etcd 3.6 lowered its default to this)."""


def member_config(cluster: EtcdClusterPlan, member: FixedMachine) -> dict[str, object]:
    """What ``member`` reads from ``/etc/etcd/etcd.yaml``.

    ``initial-cluster`` is the first bootstrap's for ever: etcd ignores it once there is data.
    """
    own = str(member.address)
    return {
        "name": member.name,
        "data-dir": DATA,
        "listen-peer-urls": f"https://{own}:{PEER_PORT}",
        "initial-advertise-peer-urls": f"https://{own}:{PEER_PORT}",
        "listen-client-urls": f"https://{own}:{CLIENT_PORT},https://127.0.0.1:{CLIENT_PORT}",
        "advertise-client-urls": f"https://{own}:{CLIENT_PORT}",
        "listen-metrics-urls": f"https://{own}:{METRICS_PORT}",
        "initial-cluster": cluster.initial_cluster,
        "initial-cluster-token": cluster.name,
        "initial-cluster-state": "new",
        "strict-reconfig-check": True,
        "heartbeat-interval": HEARTBEAT_MS,
        "election-timeout": ELECTION_MS,
        "snapshot-count": SNAPSHOT_COUNT,
        "quota-backend-bytes": cluster.spec.quota,
        "auto-compaction-mode": "periodic",
        "auto-compaction-retention": COMPACTION,
        # The gateway would dial the member itself with the server certificate, which may not act as a client.
        "enable-grpc-gateway": False,
        "client-transport-security": {
            "cert-file": credential(SERVICE, "server.crt"),
            "key-file": credential(SERVICE, "server.key"),
            "client-cert-auth": True,
            "trusted-ca-file": credential(SERVICE, "client-ca.crt"),
            "auto-tls": False,
        },
        "peer-transport-security": {
            "cert-file": credential(SERVICE, "peer.crt"),
            "key-file": credential(SERVICE, "peer.key"),
            "client-cert-auth": True,
            "trusted-ca-file": credential(SERVICE, "peer-ca.crt"),
            "auto-tls": False,
        },
        "tls-min-version": "TLS1.2",
        "logger": "zap",
        "log-level": "warn",
        "log-outputs": ["stderr"],
    }
