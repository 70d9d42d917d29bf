"""Faults of kube-apiserver: one for each rule."""

from tests.rules.broken import Break
from tests.rules.changes import MAIN, machine, server, two_servers_fewer, update

BREAKS = (
    Break("apiserver-count", two_servers_fewer, ("api-1",), "API servers", "1", "3 or more"),
    Break("apiserver-zones", machine("api-1", zones=["2"]), ("api-1",), "zones", "2, 3", "3 zones"),
    Break(
        "apiserver-probe", update("probe", requestPath="/healthz"),
        ("api",), "probe", "HTTPS /healthz", "HTTPS /readyz",
    ),
    Break(
        "apiserver-probe-events", update("probe", requestPath="/readyz"),
        ("api",), "probe", "/readyz", "without the checks of --etcd-servers-overrides",
    ),
    Break("apiserver-anonymous", server("anonymous-auth", None), ("api-1",), "anonymous-auth", "nothing", "false"),
    Break(
        "apiserver-node-restriction", server("enable-admission-plugins", "ServiceAccount"),
        ("api-1",), "enable-admission-plugins", "ServiceAccount", "with NodeRestriction",
    ),
    Break(
        "apiserver-authorization", server("authorization-mode", "AlwaysAllow"),
        ("api-1",), "authorization-mode", "AlwaysAllow", "Node,RBAC",
    ),
    Break("apiserver-audit", server("audit-log-maxage", "7"), ("api-1",), "audit-log-maxage", "7", "30 or more"),
    Break(
        "apiserver-encryption", server("encryption-provider-config", None),
        ("api-1",), "encryption-provider-config", "nothing", "a file",
    ),
    Break("apiserver-profiling", server("profiling", None), ("api-1",), "profiling", "nothing", "false"),
    Break(
        "apiserver-always-pull", server("enable-admission-plugins", "NodeRestriction,AlwaysPullImages"),
        ("api-1",), "enable-admission-plugins", "NodeRestriction,AlwaysPullImages", "without AlwaysPullImages",
    ),
    Break("apiserver-event-ttl", server("event-ttl", "25h"), ("api-1",), "event-ttl", "25h", "at most 24h, and at least 1s"),
    Break(
        "apiserver-compaction", server("etcd-compaction-interval", "0"),
        ("api-1",), "etcd-compaction-interval", "0", "more than 0, at most 30m",
    ),
    Break(
        "apiserver-in-flight", server("max-requests-inflight", "400"),
        ("api-1",), "max-requests-inflight", "400", "1500 or more for 2500 nodes",
        settings=(("nodes", 2_500),),
    ),
    Break("apiserver-goaway", server("goaway-chance", "0.05"), ("api-1",), "goaway-chance", "0.05", "at most 0.02"),
    Break(
        "apiserver-override-syntax", server("etcd-servers-overrides", "/events#https://10.0.2.1:2379,https://10.0.2.2:2379"),
        ("api-1",), "etcd-servers-overrides", "/events#https://10.0.2.1:2379,https://10.0.2.2:2379", "resource#url;url, and commas between resources",
    ),
    Break(
        "etcd-events-apart", server("etcd-servers-overrides", f"/events#{MAIN}"),
        ("api-1",), "etcd-servers-overrides", "10.0.1.1 has both", "machines that etcd-servers does not name",
    ),
)  # fmt: skip
