"""What the programs of a stack nobody made with this library are told."""

from typing import Any

THRESHOLDS = {
    f"net.{family}.neigh.default.gc_thresh{step}": value
    for family in ("ipv4", "ipv6")
    for step, value in ((1, 8192), (2, 32768), (3, 65536))
}
LARGE = dict(zip(THRESHOLDS, 2 * (80_000, 90_000, 100_000), strict=True))
URL = "https://10.0.{cluster}.{number}:{port}"


def member_flags(cluster: int, number: int, count: int) -> dict[str, str]:
    urls = [URL.format(cluster=cluster, number=each, port=2380) for each in range(1, count + 1)]
    client = URL.format(cluster=cluster, number=number, port=2379)
    peers = ("/etc/etcd/pki/peer.crt", "/etc/etcd/pki/peer.key", "/etc/etcd/pki/peer-ca.crt")
    own = ("/etc/etcd/pki/server.crt", "/etc/etcd/pki/server.key", "/etc/etcd/pki/ca.crt")
    return {
        "name": f"m{cluster}-{number}",
        "data-dir": "/var/lib/etcd/data",
        "initial-cluster": ",".join(f"m{cluster}-{each + 1}={url}" for each, url in enumerate(urls)),
        "initial-advertise-peer-urls": urls[number - 1] if number <= count else "https://10.0.9.9:2380",
        "listen-peer-urls": urls[number - 1] if number <= count else "https://10.0.9.9:2380",
        "listen-client-urls": client,
        "advertise-client-urls": client,
        "quota-backend-bytes": str(8 * 1024**3),
        "auto-compaction-mode": "periodic",
        "auto-compaction-retention": "5m",
        **dict(zip(("cert-file", "key-file", "trusted-ca-file"), own, strict=True)),
        "client-cert-auth": "true",
        **dict(zip(("peer-cert-file", "peer-key-file", "peer-trusted-ca-file"), peers, strict=True)),
        "peer-client-cert-auth": "true",
    }


def server_flags() -> dict[str, str]:
    main, events = ([URL.format(cluster=c, number=n, port=2379) for n in (1, 2, 3)] for c in (1, 2))
    return {
        "etcd-servers": ",".join(main),
        "etcd-servers-overrides": f"/events#{';'.join(events)}",
        "anonymous-auth": "false",
        "enable-admission-plugins": "NodeRestriction",
        "authorization-mode": "Node,RBAC",
        "audit-policy-file": "/etc/kubernetes/audit.yaml",
        "audit-log-path": "/var/log/audit.log",
        "audit-log-maxage": "30",
        "audit-log-maxbackup": "10",
        "audit-log-maxsize": "100",
        "encryption-provider-config": "/etc/kubernetes/encryption.yaml",
        "profiling": "false",
        "event-ttl": "1h",
        "max-requests-inflight": "1500",
        "max-mutating-requests-inflight": "500",
        "goaway-chance": "0.001",
    }


KUBELET: dict[str, Any] = {
    "kind": "KubeletConfiguration",
    "authentication": {"anonymous": {"enabled": False}},
    "authorization": {"mode": "Webhook"},
    "serializeImagePulls": False,
    "maxParallelImagePulls": 10,
}
AUTOSCALER = {
    "max-nodes-total": "500",
    "max-scale-down-parallelism": "10",
    "max-total-unready-percentage": "45",
    "max-nodes-per-scaleup": "50",
}
