"""How the authorities of a region are called, and the users and groups that its certificates are for."""

ETCD = "etcd"
KUBERNETES = "kubernetes"
FRONT_PROXY = "front-proxy"
NODES = "nodes"
"""Signs what kubelets are and serve as; API servers trust it beside the authority ``kubernetes``, nobody else does."""

ADMINS = "kilonode:admins"
"""The operator's group, bound to cluster-admin by the bootstrap objects; unlike system:masters it can be revoked."""

SIMULATORS = "kilonode:simulators"

APPROVER = "kilonode-node-approver"
"""The service on the API servers that holds the key of :data:`NODES`."""

APPROVER_USER = "kilonode:node-approver"
PROXY_USER = "system:kube-proxy"
"""Bound to ``system:node-proxier`` by kube-apiserver itself."""

JOINING = "kilonode:joining"
"""The group of machines that may ask to become a node, and nothing else.

A member is called ``kilonode:joining:<node>``, or ``kilonode:joining:<pool>`` where a cloud chooses names and addresses.
"""

POOL_GROUP = "kilonode:pool:"
ADDRESS_GROUP = "kilonode:address:"
RANGE_GROUP = "kilonode:range:"
NAMES_GROUP = "kilonode:names:"
"""What a node's credential is for stands in the groups of its user, where a request for the next one is judged by it.

The approver adds ``kilonode:joined:<seconds>``, Unix time: a Node made long after that is not that machine's.
"""

NAMES_MAX = 44
"""Characters a pool's names may begin with: with eight more and ``system:node:`` they are a common name (X.509: 64)."""


def peers(cluster: str) -> str:
    """The authority of one etcd cluster's peers: a member of one cluster is nobody in another."""
    return f"etcd-{cluster}-peers"
