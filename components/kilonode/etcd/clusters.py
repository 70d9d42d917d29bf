"""The etcd clusters a region may have: which keys each takes, and its slot in the address plan."""

from dataclasses import dataclass

from kilonode.network.slots import ETCD_EVENTS, ETCD_LEASES, ETCD_MAIN, Slot


@dataclass(frozen=True)
class ClusterKind:
    """One kind of etcd cluster; ``resource`` is what kube-apiserver's override names, None for the rest."""

    name: str
    resource: str | None
    key_prefix: str
    slot: Slot
    why: str


KINDS = {
    kind.name: kind
    for kind in (
        ClusterKind("main", None, "/registry/", ETCD_MAIN, "everything that no other cluster takes"),
        ClusterKind(
            "events",
            "/events",
            "/registry/events/",
            ETCD_EVENTS,
            "Events are many and short-lived; a burst of them must not slow everything else (2018 post)",
        ),
        ClusterKind(
            "leases",
            "coordination.k8s.io/leases",
            "/registry/leases/",
            ETCD_LEASES,
            "7,500 nodes renew 7,500 leases every ten seconds: most writes of an idle cluster",
        ),
    )
}
