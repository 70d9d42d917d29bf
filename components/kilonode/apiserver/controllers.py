"""Settings of kube-controller-manager and kube-scheduler; each talks to the API server of its own machine."""

from kilonode.apiserver.sizing import size_for
from kilonode.boot.kubeconfig import KUBECONFIG
from kilonode.boot.secrets import credential
from kilonode.region.plan import API_PORT, RegionPlan
from kilonode.tuning import Row

CONTROLLER_MANAGER = "kube-controller-manager"
SCHEDULER = "kube-scheduler"
SCHEDULER_CONFIG = "/etc/kubernetes/kube-scheduler.yaml"

LOCAL_API = f"https://127.0.0.1:{API_PORT}"
"""Never the load balancer: from a backend machine it may be unreachable (Azure/aks-engine#2948)."""

BURST = 1.5  # of the queries per second

ROWS = (
    Row("leader-elect", True, "one of the copies acts, the others stand by", "kube-controller-manager help"),
    Row("use-service-account-credentials", True, "each controller has only its own rights", "CIS Kubernetes 1.3"),
    Row("profiling", False, "profiles show memory, and with it secrets", "CIS Kubernetes 1.3"),
    Row("allocate-node-cidrs", False, "addresses are native and planned; no controller hands out ranges", "kilonode"),
    Row("terminated-pod-gc-threshold", 1_000, "12,500 finished pods (the default) are memory in every watch cache", "CIS Kubernetes 1.3 asks for a set value"),
    Row("controllers", "*,-certificatesigningrequest-approving-controller,-certificatesigningrequest-signing-controller", "no machine holds the cluster's CA key, so nothing here may sign", "kilonode"),
)  # fmt: skip


def controller_manager_flags(plan: RegionPlan) -> tuple[str, ...]:
    """Every flag, in a stable order."""
    path = KUBECONFIG.format(service=CONTROLLER_MANAGER)
    size = size_for(plan.spec.ceiling)
    why = f"the default of 20 per second starves big clusters; this is the step for up to {size.nodes} nodes"
    source = "7,500 simulated nodes became Ready at 7 per second with the defaults, measured"
    tuned = (
        *ROWS,
        Row("kube-api-qps", size.client_qps, why, source),
        Row("kube-api-burst", int(size.client_qps * BURST), why, source),
        Row("concurrent-deployment-syncs", size.concurrent_syncs, why, source),
        Row("concurrent-replicaset-syncs", size.concurrent_syncs, why, source),
        Row("concurrent-job-syncs", size.concurrent_syncs, why, source),
        Row("kubeconfig", path, "the API server of the same machine", "design"),
        Row("authentication-kubeconfig", path, "its metrics are for the cluster's own users", "design"),
        Row("authorization-kubeconfig", path, "its metrics are for the cluster's own users", "design"),
        Row(
            "root-ca-file", credential(CONTROLLER_MANAGER, "ca.crt"), "published as kube-root-ca.crt", "Kubernetes docs"
        ),
    )
    return tuple(row.flag for row in tuned)


def scheduler_config(plan: RegionPlan) -> dict[str, object]:
    """The scheduler's component configuration."""
    size = size_for(plan.spec.ceiling)
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "clientConnection": {
            "kubeconfig": KUBECONFIG.format(service=SCHEDULER),
            "qps": size.client_qps,
            "burst": int(size.client_qps * BURST),
        },
        "leaderElection": {"leaderElect": True},
        "enableProfiling": False,
    }


def scheduler_flags() -> tuple[str, ...]:
    """Flags that have no field in the component configuration."""
    path = KUBECONFIG.format(service=SCHEDULER)
    return (
        f"--config={SCHEDULER_CONFIG}",
        f"--authentication-kubeconfig={path}",
        f"--authorization-kubeconfig={path}",
    )
