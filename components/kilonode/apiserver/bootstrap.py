"""The objects a cluster cannot start without, applied by the API servers from their image."""

from kilonode.pki.credentials import ADMINS, SIMULATORS
from kilonode.tuning import Row

PATH = "/usr/share/kilonode/bootstrap.yaml"

AGENTS = "kilonode-agents"
"""The namespace for agents that run on every node, and the flow schema that holds them back."""

AGENT_SEATS = Row(
    "nominalConcurrencyShares",
    10,
    "agents on every node that list too often read 500 MB/s from etcd at 1,000 nodes; they queue here instead of crowding out kubelets",
    "2018 post",
)


def objects() -> tuple[dict[str, object], ...]:
    """Roles, bindings and flow control, in the order they are applied."""
    return (
        _binding("kilonode-admins", "cluster-admin", {"kind": "Group", "name": ADMINS}),
        _binding(
            "kilonode-kubelet-client",
            "system:kubelet-api-admin",
            {"kind": "User", "name": "kube-apiserver-kubelet-client"},
        ),
        _role(
            "kilonode:simulator",
            (("",), ("nodes", "nodes/status"), ("get", "list", "watch", "create", "update", "patch", "delete")),
            (("",), ("pods", "pods/status"), ("get", "list", "watch", "update", "patch", "delete")),
            (("coordination.k8s.io",), ("leases",), ("get", "list", "watch", "create", "update", "patch", "delete")),
            (("", "events.k8s.io"), ("events",), ("create", "update", "patch")),
        ),
        _binding("kilonode-simulators", "kilonode:simulator", {"kind": "Group", "name": SIMULATORS}),
        # The label gives this apply something to own, so that a second one changes nothing.
        {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": AGENTS, "labels": {"app.kubernetes.io/managed-by": "kilonode"}},
        },
        _agents_level(),
        _agents_flow(),
    )


def _binding(name: str, role: str, subject: dict[str, str]) -> dict[str, object]:
    group = "rbac.authorization.k8s.io"
    return {
        "apiVersion": f"{group}/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": name},
        "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": role},
        "subjects": [{"apiGroup": group, **subject}],
    }


def _role(name: str, *rules: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]) -> dict[str, object]:
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": name},
        "rules": [
            {"apiGroups": list(groups), "resources": list(resources), "verbs": list(verbs)}
            for groups, resources, verbs in rules
        ],
    }


def _agents_level() -> dict[str, object]:
    return {
        "apiVersion": "flowcontrol.apiserver.k8s.io/v1",
        "kind": "PriorityLevelConfiguration",
        "metadata": {"name": AGENTS},
        "spec": {
            "type": "Limited",
            "limited": {
                AGENT_SEATS.key: AGENT_SEATS.value,
                "lendablePercent": 50,
                "limitResponse": {"type": "Queue", "queuing": {"queues": 64, "handSize": 6, "queueLengthLimit": 50}},
            },
        },
    }


def _agents_flow() -> dict[str, object]:
    everything = {
        "verbs": ["*"],
        "apiGroups": ["*"],
        "resources": ["*"],
        "clusterScope": True,
        "namespaces": ["*"],
    }
    return {
        "apiVersion": "flowcontrol.apiserver.k8s.io/v1",
        "kind": "FlowSchema",
        "metadata": {"name": AGENTS},
        "spec": {
            "priorityLevelConfiguration": {"name": AGENTS},
            "matchingPrecedence": 1_000,
            "distinguisherMethod": {"type": "ByUser"},
            "rules": [
                {
                    "subjects": [{"kind": "ServiceAccount", "serviceAccount": {"namespace": AGENTS, "name": "*"}}],
                    "resourceRules": [everything],
                }
            ],
        },
    }
