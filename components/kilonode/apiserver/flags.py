"""The flags of kube-apiserver on one machine."""

from kilonode.apiserver.sizing import event_ttl_row, goaway_row, in_flight_rows, shutdown_row
from kilonode.boot.secrets import credential
from kilonode.machines.plan import FixedMachine
from kilonode.region.plan import API_PORT, RegionPlan
from kilonode.tuning import Row, flag

SERVICE = "kube-apiserver"
AUTHENTICATION = "/etc/kubernetes/authentication.yaml"
AUDIT_POLICY = "/etc/kubernetes/audit-policy.yaml"
AUDIT_LOG = "/var/log/kubernetes/audit.log"

ROWS = (
    Row("endpoint-reconciler-type", "lease", "a dead server leaves the Service kubernetes by itself", "kubernetes/kubernetes#108062"),
    Row("enable-admission-plugins", "NodeRestriction,DenyServiceExternalIPs", "a node may change only itself and its pods; a Service may not take over an address", "CIS Kubernetes 1.2"),
    Row("authorization-mode", "Node,RBAC", "nodes see only what their pods need", "CIS Kubernetes 1.2"),
    Row("kubelet-preferred-address-types", "InternalIP", "a node's address is planned; its name is in nobody's DNS", "kube-apiserver help; the default asks DNS for the host name first"),
    Row("enable-aggregator-routing", True, "webhooks and aggregated APIs are dialled at their pods: API servers have no kube-proxy, so a Service's address leads nowhere", "kube-apiserver: cmd/kube-apiserver/app/server.go, NewEndpointServiceResolver"),
    Row("profiling", False, "profiles show memory, and with it secrets", "CIS Kubernetes 1.2"),
    Row("allow-privileged", True, "node agents and device plugins of GPU clusters need it; limit it by namespace with pod security labels", "kilonode"),
    Row("tls-min-version", "VersionTLS12", "older TLS is broken", "CIS Kubernetes 1.2"),
    Row("service-account-extend-token-expiration", False, "a stolen token dies in an hour, not in a year", "kube-apiserver help"),
    Row("audit-log-mode", "batch", "a slow disk must not slow requests", "kube-apiserver help; blocking is the default"),
    Row("audit-log-batch-max-size", 400, "a write per record costs more than the record", "the webhook backend's own default"),
    Row("audit-log-batch-max-wait", "5s", "what a crash can lose", "kilonode"),
    Row("audit-log-truncate-enabled", True, "one huge object must not fill the log", "kube-apiserver help"),
    Row("audit-log-maxsize", 500, "megabytes; a cluster of thousands of nodes writes 100 MB in minutes", "kilonode"),
    Row("audit-log-maxbackup", 10, "5 GB of disk at most", "CIS Kubernetes 1.2 asks for 10"),
    Row("audit-log-maxage", 30, "days", "CIS Kubernetes 1.2 asks for 30"),
    Row("shutdown-send-retry-after", True, "clients go to another server instead of seeing a closed connection", "kube-apiserver help"),
)  # fmt: skip


def etcd_overrides(plan: RegionPlan) -> str:
    """The value of ``--etcd-servers-overrides``: semicolons inside one override, commas between (kubernetes#57440)."""
    return ",".join(
        f"{cluster.kind.resource}#{';'.join(cluster.server_urls)}" for cluster in plan.etcd if cluster.kind.resource
    )


def kube_apiserver_flags(plan: RegionPlan, machine: FixedMachine) -> tuple[str, ...]:
    """Every flag, in a stable order; secrets appear only as paths."""
    issuer = f"https://kubernetes.default.svc.{plan.spec.network.domain}"
    values: dict[str, str | int] = {
        "advertise-address": str(machine.address),
        "secure-port": API_PORT,
        "service-cluster-ip-range": str(plan.spec.network.services),
        "etcd-servers": ",".join(plan.main.server_urls),
        "etcd-servers-overrides": etcd_overrides(plan),
        "etcd-cafile": credential(SERVICE, "etcd-ca.crt"),
        "etcd-certfile": credential(SERVICE, "etcd-client.crt"),
        "etcd-keyfile": credential(SERVICE, "etcd-client.key"),
        "client-ca-file": credential(SERVICE, "client-ca.crt"),
        "tls-cert-file": credential(SERVICE, "server.crt"),
        "tls-private-key-file": credential(SERVICE, "server.key"),
        "kubelet-certificate-authority": credential(SERVICE, "kubelet-ca.crt"),
        "kubelet-client-certificate": credential(SERVICE, "kubelet-client.crt"),
        "kubelet-client-key": credential(SERVICE, "kubelet-client.key"),
        "requestheader-client-ca-file": credential(SERVICE, "front-proxy-ca.crt"),
        "requestheader-allowed-names": "front-proxy-client",
        "requestheader-username-headers": "X-Remote-User",
        "requestheader-group-headers": "X-Remote-Group",
        "requestheader-extra-headers-prefix": "X-Remote-Extra-",
        "proxy-client-cert-file": credential(SERVICE, "front-proxy-client.crt"),
        "proxy-client-key-file": credential(SERVICE, "front-proxy-client.key"),
        "service-account-issuer": issuer,
        "service-account-key-file": credential(SERVICE, "service-account.key"),
        "service-account-signing-key-file": credential(SERVICE, "service-account.key"),
        "encryption-provider-config": credential(SERVICE, "encryption.yaml"),
        "authentication-config": AUTHENTICATION,
        "audit-policy-file": AUDIT_POLICY,
        "audit-log-path": AUDIT_LOG,
    }
    own = plan.spec.api_servers
    tuned = (
        *ROWS,
        event_ttl_row(own.event_ttl_minutes),
        *in_flight_rows(plan.spec.ceiling, own.max_requests_inflight, own.max_mutating_requests_inflight),
        goaway_row(len(plan.api_servers)),
        shutdown_row(plan.spec.cloud.probe_seconds),
    )
    return (*(flag(key, value) for key, value in values.items()), *(row.flag for row in tuned))
