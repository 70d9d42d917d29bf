"""What nodes of a scale set join with: one credential for the whole pool, as Azure chooses their names and addresses."""

from kilonode.clouds.azure.plan import AzurePool
from kilonode.nodes.kubelet import SERVICE
from kilonode.pki.credentials import JOINING, KUBERNETES, POOL_GROUP, PROXY_USER, Authority, Certificate, Credential

NAMES_GROUP = "kilonode:names:"
"""How a name must begin that may be asked for; the approver takes exactly the digits that a scale set appends."""

RANGE_GROUP = "kilonode:range:"
"""In which the node's own address must be."""

PROXY = "kube-proxy"


def joining(pool: AzurePool) -> tuple[Credential, ...]:
    """The rows of a pool's one bundle; its nodes read all of it."""
    groups = (
        JOINING,
        f"{POOL_GROUP}{pool.spec.name}",
        f"{NAMES_GROUP}{pool.node_prefix}",
        f"{RANGE_GROUP}{pool.spec.range}",
    )
    return (
        Authority(SERVICE, "ca", KUBERNETES),
        Certificate(SERVICE, "bootstrap", KUBERNETES, f"{JOINING}:{pool.spec.name}", ("client",), organizations=groups),
        Authority(PROXY, "ca", KUBERNETES),
        Certificate(PROXY, "client", KUBERNETES, PROXY_USER, ("client",)),
    )
