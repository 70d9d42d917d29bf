"""Cluster DNS: CoreDNS as objects, applied by the API servers with the other objects a cluster cannot start without."""

from ipaddress import IPv4Address

from kilonode.network.spec import NetworkSpec
from kilonode.nodes.images import COREDNS
from kilonode.tuning import Row

PATH = "/etc/kubernetes/dns.yaml"
NAMESPACE = "kube-system"
NAME = "coredns"
LABELS = {"k8s-app": "kube-dns"}
"""What every tool looks for, whatever serves DNS."""

PORT, HEALTH, READY, METRICS = 53, 8080, 8181, 9153
SERVICE_OFFSET = 10
"""The address that installers give cluster DNS, counted from the start of the Service range."""

REPLICAS_MIN = 2
NODES_PER_REPLICA = Row(
    "nodesPerReplica",
    512,
    "jobs of big clusters ask little (one pod per node, MPI over SSH); a server answers some ten thousand queries a second",
    "cluster-proportional-autoscaler's own DNS example: one replica for 16 nodes or 256 cores; 2021 post: little HTTP",
)
CACHE_SECONDS = Row(
    "cache", 30, "one query of a name in half a minute, however many pods start at once", "CoreDNS default deployment"
)
LAMEDUCK = Row(
    "lameduck", "5s", "a replica answers until every node has taken it out of its tables", "CoreDNS health plugin"
)


def service_address(network: NetworkSpec) -> IPv4Address:
    """The ClusterIP of cluster DNS."""
    return network.services[SERVICE_OFFSET]


def replicas(ceiling: int) -> int:
    """How many servers a region of ``ceiling`` nodes has once it has as many nodes that take any pod."""
    return max(REPLICAS_MIN, -(-ceiling // int(NODES_PER_REPLICA.value)))


def corefile(network: NetworkSpec) -> str:
    """The server's configuration, in its own format."""
    return f"""\
.:{PORT} {{
    errors
    health {{
        lameduck {LAMEDUCK.value}
    }}
    ready
    kubernetes {network.domain} in-addr.arpa ip6.arpa {{
        pods disabled
        ttl {CACHE_SECONDS.value}
    }}
    prometheus :{METRICS}
    forward . /etc/resolv.conf {{
        max_concurrent 1000
    }}
    cache {CACHE_SECONDS.value}
    loop
    reload
    loadbalance
}}
"""


def objects(network: NetworkSpec, ceiling: int) -> tuple[dict[str, object], ...]:
    """Identity, rights, configuration, servers and Service, in the order they are applied."""
    return (
        _named("v1", "ServiceAccount"),
        _role(),
        {
            **_named("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", namespaced=False),
            "roleRef": {
                "apiGroup": "rbac.authorization.k8s.io",
                "kind": "ClusterRole",
                "name": f"kilonode:{NAME}",
            },
            "subjects": [{"kind": "ServiceAccount", "name": NAME, "namespace": NAMESPACE}],
        },
        {**_named("v1", "ConfigMap"), "data": {"Corefile": corefile(network)}},
        _deployment(replicas(ceiling)),
        {
            **_named("policy/v1", "PodDisruptionBudget"),
            "spec": {"maxUnavailable": 1, "selector": {"matchLabels": LABELS}},
        },
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": "kube-dns", "namespace": NAMESPACE, "labels": LABELS},
            "spec": {
                "clusterIP": str(service_address(network)),
                "selector": LABELS,
                "ports": [
                    {"name": "dns", "port": PORT, "protocol": "UDP"},
                    {"name": "dns-tcp", "port": PORT, "protocol": "TCP"},
                    {"name": "metrics", "port": METRICS, "protocol": "TCP"},
                ],
            },
        },
    )


def _named(version: str, kind: str, *, namespaced: bool = True) -> dict[str, object]:
    place = {"namespace": NAMESPACE} if namespaced else {}
    name = NAME if namespaced else f"kilonode:{NAME}"
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, **place, "labels": LABELS}}


def _role() -> dict[str, object]:
    rules: list[dict[str, object]] = [
        {"apiGroups": [""], "resources": ["services", "namespaces"], "verbs": ["list", "watch"]},
        {"apiGroups": ["discovery.k8s.io"], "resources": ["endpointslices"], "verbs": ["list", "watch"]},
    ]
    return {**_named("rbac.authorization.k8s.io/v1", "ClusterRole", namespaced=False), "rules": rules}


def _deployment(count: int) -> dict[str, object]:
    selector = {"matchLabels": LABELS}
    return {
        **_named("apps/v1", "Deployment"),
        "spec": {
            "replicas": count,
            "selector": selector,
            "strategy": {"rollingUpdate": {"maxUnavailable": 1, "maxSurge": "10%"}},
            "template": {
                "metadata": {"labels": LABELS},
                "spec": {
                    "serviceAccountName": NAME,
                    "priorityClassName": "system-cluster-critical",
                    "dnsPolicy": "Default",
                    "nodeSelector": {"kubernetes.io/os": "linux"},
                    "tolerations": [{"key": "CriticalAddonsOnly", "operator": "Exists"}],
                    # One on a machine: one cloud's limit is 200 queries a second for each, and a scheduler that packs puts
                    # all servers on one (2018 post). Nothing moves them later, so those for whom there is no node yet wait.
                    "affinity": {
                        "podAntiAffinity": {
                            "requiredDuringSchedulingIgnoredDuringExecution": [
                                {
                                    "labelSelector": selector,
                                    "matchLabelKeys": ["pod-template-hash"],
                                    "topologyKey": "kubernetes.io/hostname",
                                }
                            ]
                        }
                    },
                    "topologySpreadConstraints": [
                        {
                            "maxSkew": 1,
                            "labelSelector": selector,
                            "matchLabelKeys": ["pod-template-hash"],
                            "nodeTaintsPolicy": "Honor",
                            "topologyKey": "topology.kubernetes.io/zone",
                            "whenUnsatisfiable": "ScheduleAnyway",
                        }
                    ],
                    "containers": [_server()],
                    "volumes": [
                        {
                            "name": "config",
                            "configMap": {"name": NAME, "items": [{"key": "Corefile", "path": "Corefile"}]},
                        }
                    ],
                },
            },
        },
    }


def _server() -> dict[str, object]:
    def probe(path: str, port: int) -> dict[str, object]:
        return {"httpGet": {"path": path, "port": port}}

    return {
        "name": NAME,
        "image": COREDNS,
        "imagePullPolicy": "IfNotPresent",
        "args": ["-conf", "/etc/coredns/Corefile"],
        "resources": {"requests": {"cpu": "100m", "memory": "70Mi"}, "limits": {"memory": "512Mi"}},
        "ports": [
            {"name": "dns", "containerPort": PORT, "protocol": "UDP"},
            {"name": "dns-tcp", "containerPort": PORT, "protocol": "TCP"},
            {"name": "metrics", "containerPort": METRICS, "protocol": "TCP"},
        ],
        "livenessProbe": {**probe("/health", HEALTH), "initialDelaySeconds": 60, "failureThreshold": 5},
        "readinessProbe": {**probe("/ready", READY), "periodSeconds": 2},
        "volumeMounts": [{"name": "config", "mountPath": "/etc/coredns", "readOnly": True}],
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"add": ["NET_BIND_SERVICE"], "drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
        },
    }
