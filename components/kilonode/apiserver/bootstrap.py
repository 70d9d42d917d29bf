"""The objects a cluster cannot start without, applied by the API servers from their image."""

from kilonode.apiserver import joining
from kilonode.apiserver.rbac import Rule, binding, role
from kilonode.pki.users import ADMINS, SIMULATORS
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
    """Roles, bindings, flow control and policies, in the order they are applied."""
    return (
        binding("kilonode-admins", "cluster-admin", {"kind": "Group", "name": ADMINS}),
        binding(
            "kilonode-kubelet-client",
            "system:kubelet-api-admin",
            {"kind": "User", "name": "kube-apiserver-kubelet-client"},
        ),
        role(
            "kilonode:simulator",
            Rule(("",), ("nodes", "nodes/status"), ("get", "list", "watch", "create", "update", "patch", "delete")),
            Rule(("",), ("pods", "pods/status"), ("get", "list", "watch", "update", "patch", "delete")),
            Rule(
                ("coordination.k8s.io",), ("leases",), ("get", "list", "watch", "create", "update", "patch", "delete")
            ),
            Rule(("", "events.k8s.io"), ("events",), ("create", "update", "patch")),
        ),
        binding("kilonode-simulators", "kilonode:simulator", {"kind": "Group", "name": SIMULATORS}),
        # The label gives this apply something to own, so that a second one changes nothing.
        {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": AGENTS, "labels": {"app.kubernetes.io/managed-by": "kilonode"}},
        },
        _agents_level(),
        _agents_flow(),
        *joining.objects(),
    )


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
