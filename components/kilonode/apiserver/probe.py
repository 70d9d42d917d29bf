"""What a load balancer asks an API server, to know whether it may send it requests."""

from kilonode.etcd.clusters import KINDS

READY = "/readyz"
OVERRIDE_CHECKS = ("etcd-override", "etcd-override-readiness")
"""The checks of an etcd that holds one resource, each with its override's index (kubernetes/kubernetes#129438)."""

_INDICES = range(sum(1 for kind in KINDS.values() if kind.resource))

PROBE = f"{READY}?{'&'.join(f'exclude={check}-{index}' for index in _INDICES for check in OVERRIDE_CHECKS)}"
"""The path and query of the probe: whether a server is ready, whatever becomes of the etcds that hold one resource each.

All API servers share those. An outage of Events would take every server out of the load balancer at once, and with them
the API of a cluster that works. A server without ``main`` stays out: it can answer nothing. It names every kind of
cluster, not the region's own, so that a region that gets one more keeps its probe; kube-apiserver passes over a check
that it does not have (k8s.io/apiserver, pkg/server/healthz).
"""
