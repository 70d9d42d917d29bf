"""What the API needs so that machines become nodes: rights of those who ask and of the approver, and a node's own limits."""

from kilonode.apiserver import admission
from kilonode.apiserver.rbac import Rule, binding, role
from kilonode.pki.users import APPROVER, APPROVER_USER, JOINING
from kilonode.tuning import Row

SIGNERS = ("kubernetes.io/kube-apiserver-client-kubelet", "kubernetes.io/kubelet-serving")
EVENTS_NAMESPACE = "default"
"""Where Events about objects without a namespace are kept."""

LEASE_NAMESPACE = "kube-system"
"""Where the approver's own Lease is."""

NODE_LEASES = "kube-node-lease"
"""The namespace of nodes' Leases, in which Kubernetes keeps nothing else."""

APPROVER_LEVELS = (
    Row("leader-election", 150, "an approver that cannot renew its lease stops in the middle of a storm of joins", "kube-apiserver's own level for leases"),
    Row("workload-high", 850, "thousands of machines that join share the level for strangers; whom they wait for must not wait with them", "kube-apiserver's own level for controllers"),
)  # fmt: skip
"""Priority level and precedence of the approver's requests: those for its lease, then all others."""

APPROVER_LIMITS = (
    Row("REGISTRATION_SECONDS", 900, "a Node made later than this after its machine joined was made by somebody with an old certificate: it gets none", "kubelet registers within seconds of joining, and tries for minutes while the API is overloaded"),
    Row("SILENCE_SECONDS", 300, "a machine may come in place of a Node whose Lease nobody has renewed for so long: 30 renewals of a kubelet that lives are missing, and its pods are evicted by then", "kubelet renews every 10 s, a quarter of nodeLeaseDurationSeconds; pods tolerate a node that is not reached for 300 s, Kubernetes' default"),
    Row("OPEN_PER_USER", 20, "a machine has one request open, or a few after restarts; whoever makes more cannot make the approver hold them all", "kubelet has one request for a client and one for a server certificate at a time"),
    Row("OPEN_PER_POOL", 2000, "with a credential for a pool all its machines ask as one user, at worst all at once", "twice the 1,000 machines of a scale set (Azure)"),
)  # fmt: skip
"""What the approver holds requests to: variables of its unit."""


def objects() -> tuple[dict[str, object], ...]:
    """Roles, bindings, flow control and the policy, in the order they are applied."""
    approver = {"kind": "User", "name": APPROVER_USER}
    requests, leases = "certificatesigningrequests", "coordination.k8s.io"
    lease, others = APPROVER_LEVELS
    return (
        binding(JOINING, "system:node-bootstrapper", {"kind": "Group", "name": JOINING}),
        role(
            APPROVER_USER,
            Rule(("certificates.k8s.io",), (requests,), ("get", "list", "watch")),
            Rule(("certificates.k8s.io",), (f"{requests}/approval", f"{requests}/status"), ("update",)),
            Rule(("certificates.k8s.io",), ("signers",), ("approve", "sign"), SIGNERS),
            Rule(("",), ("nodes",), ("get", "delete")),
        ),
        binding(APPROVER, APPROVER_USER, approver),
        role(APPROVER_USER, Rule(("",), ("events",), ("create",)), namespace=EVENTS_NAMESPACE),
        binding(APPROVER, APPROVER_USER, approver, namespace=EVENTS_NAMESPACE),
        role(
            APPROVER_USER,
            Rule((leases,), ("leases",), ("create",)),
            Rule((leases,), ("leases",), ("get", "update"), (APPROVER,)),
            namespace=LEASE_NAMESPACE,
        ),
        binding(APPROVER, APPROVER_USER, approver, namespace=LEASE_NAMESPACE),
        role(APPROVER_USER, Rule((leases,), ("leases",), ("get",)), namespace=NODE_LEASES),
        binding(APPROVER, APPROVER_USER, approver, namespace=NODE_LEASES),
        # Leases of nodes are read with all else, so that many such reads keep its own renewal waiting no longer.
        _flow(
            f"{APPROVER}-lease",
            lease,
            {"apiGroups": [leases], "resources": ["leases"], "namespaces": [LEASE_NAMESPACE]},
        ),
        _flow(APPROVER, others, {"apiGroups": ["*"], "resources": ["*"], "namespaces": ["*"], "clusterScope": True}),
        *admission.objects(SIGNERS),
    )


def _flow(name: str, level: Row, resources: dict[str, object]) -> dict[str, object]:
    return {
        "apiVersion": "flowcontrol.apiserver.k8s.io/v1",
        "kind": "FlowSchema",
        "metadata": {"name": name},
        "spec": {
            "priorityLevelConfiguration": {"name": level.key},
            "matchingPrecedence": level.value,
            "distinguisherMethod": {"type": "ByUser"},
            "rules": [
                {
                    "subjects": [{"kind": "User", "user": {"name": APPROVER_USER}}],
                    "resourceRules": [{"verbs": ["*"], **resources}],
                }
            ],
        },
    }
