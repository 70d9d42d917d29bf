"""What machines may write beyond what their rights say: policies in the API servers themselves."""

from kilonode.nodes.labels import POOL_LABEL
from kilonode.pki.users import JOINING, POOL_GROUP, SIMULATORS
from kilonode.tuning import Row

NODE_POOL, NODE_REQUESTS, SIMULATED_POOL = "kilonode-node-pool", "kilonode-node-requests", "kilonode-simulated-pool"

REQUEST_SIZE = Row(
    "request",
    8_192,
    "bytes of a certificate request in PEM: kubelet's has some 500; one of a megabyte, again and again, fills etcd in minutes",
    "kilonode; 120 requests of 975 kB took 123 MB of etcd in eight seconds, measured",
)

_GROUPS = f"request.userInfo.groups.filter(group, group.startsWith('{POOL_GROUP}'))"
_LABEL = f"metadata.labels[?'{POOL_LABEL}'].orValue('')"


def objects(signers: tuple[str, ...]) -> tuple[dict[str, object], ...]:
    """Each policy with its binding; machines that join or have joined make requests to ``signers`` alone."""
    return (*_node_pool(), *_node_requests(signers), *_simulated_pool())


def _node_pool() -> tuple[dict[str, object], ...]:
    """A node carries the label of the pool its credential is for; NodeRestriction lets it write any it likes.

    A label that a person has changed stays: an edit must not stop the node's heartbeat, which comes as the same update.
    """
    finalizers = "?metadata.finalizers.orValue([])"
    return _policy(
        NODE_POOL,
        ("", ("nodes", "nodes/status")),  # an update of the status may change labels too
        ("CREATE", "UPDATE"),
        f"'system:nodes' in request.userInfo.groups && {_GROUPS}.size() > 0",
        {
            "pools": f"{_GROUPS}.map(group, group.substring({len(POOL_GROUP)}))",
            "label": f"object.?{_LABEL}",
            "before": f"oldObject == null ? '' : oldObject.?{_LABEL}",
        },
        (
            "variables.pools == [variables.label] || (oldObject != null && variables.label == variables.before)",
            f"'a node of the pool ' + variables.pools.join(', ') + ' does not carry {POOL_LABEL}=' + variables.label",
        ),
        (
            f"object.{finalizers} == (oldObject == null ? [] : oldObject.{finalizers})",
            "'a node does not stand in the way of its own removal: finalizers are others\\' to set'",
        ),
    )


def _node_requests(signers: tuple[str, ...]) -> tuple[dict[str, object], ...]:
    """Certificate requests of machines are small, to their own signers, and carry nothing beside."""
    named = ", ".join(f"'{signer}'" for signer in signers)
    return _policy(
        NODE_REQUESTS,
        ("certificates.k8s.io", ("certificatesigningrequests",)),
        ("CREATE",),
        f"'{JOINING}' in request.userInfo.groups || 'system:nodes' in request.userInfo.groups",
        {},
        (
            f"size(object.spec.request) <= {REQUEST_SIZE.value}",
            f"'a certificate request of a machine has at most {REQUEST_SIZE.value} bytes'",
        ),
        (f"object.spec.signerName in [{named}]", "'the signer ' + object.spec.signerName + ' is not for machines'"),
        (
            "!has(object.metadata.annotations) && !has(object.metadata.labels)",
            "'a certificate request of a machine has no labels and no annotations'",
        ),
    )


def _simulated_pool() -> tuple[dict[str, object], ...]:
    """Whoever plays a simulated pool makes, changes and removes that pool's nodes and no other."""
    return _policy(
        SIMULATED_POOL,
        ("", ("nodes", "nodes/status")),
        ("CREATE", "UPDATE", "DELETE"),
        f"'{SIMULATORS}' in request.userInfo.groups",
        {
            "own": f"request.userInfo.username.substring({len(SIMULATORS) + 1})",
            "label": f"object == null ? variables.own : object.?{_LABEL}",
            "before": f"oldObject == null ? variables.own : oldObject.?{_LABEL}",
        },
        (
            "variables.label == variables.own && variables.before == variables.own",
            "'the simulator of the pool ' + variables.own + ' has no say in other nodes'",
        ),
    )


def _policy(
    name: str,
    what: tuple[str, tuple[str, ...]],
    operations: tuple[str, ...],
    who: str,
    variables: dict[str, str],
    *rules: tuple[str, str],
) -> tuple[dict[str, object], ...]:
    """A policy and its binding; each rule is an expression that must hold and one that says what is wrong."""
    version = "admissionregistration.k8s.io/v1"
    group, resources = what
    match = {
        "apiGroups": [group],
        "apiVersions": ["v1"],
        "operations": list(operations),
        "resources": list(resources),
    }
    return (
        {
            "apiVersion": version,
            "kind": "ValidatingAdmissionPolicy",
            "metadata": {"name": name},
            "spec": {
                "failurePolicy": "Fail",
                "matchConstraints": {"resourceRules": [match]},
                "matchConditions": [{"name": "who", "expression": who}],
                "variables": [{"name": key, "expression": value} for key, value in variables.items()],
                "validations": [
                    {"expression": rule, "messageExpression": message, "reason": "Forbidden"} for rule, message in rules
                ],
            },
        },
        {
            "apiVersion": version,
            "kind": "ValidatingAdmissionPolicyBinding",
            "metadata": {"name": name},
            "spec": {"policyName": name, "validationActions": ["Deny"]},
        },
    )
