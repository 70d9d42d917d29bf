"""kube-proxy's configuration: the same for every node, in kube-proxy's own keys."""

from kilonode.boot.kubeconfig import KUBECONFIG
from kilonode.tuning import Row

SERVICE = "kube-proxy"
PATH = "/etc/kubernetes/kube-proxy.yaml"
POD_INTERFACES = "veth"
"""How the host's side of a pod's link is named by the CNI plugin ptp."""

_STATED = "kube-proxy default, stated"
_NODE = "kubernetes/kops#2223, kubernetes-retired/kube-aws#711"

CLIENT = (
    Row("qps", 5, "it watches and hardly asks; thousands of nodes do so at once", _STATED),
    Row("burst", 10, "twice the rate", _STATED),
)
CONNTRACK = (
    Row("maxPerCore", 0, "0 leaves the kernel's limit to the machine's own sysctl row; the default, 32,768 for each core, overwrites it", _NODE),
    Row("min", 0, "the same; it counts only beside the line above", _NODE),
    Row("tcpEstablishedTimeout", "24h0m0s", "the kernel forgets an idle connection after five days only", _STATED),
    Row("tcpCloseWaitTimeout", "1h0m0s", "as long as programs leave a half-closed connection", _STATED),
)  # fmt: skip


def kube_proxy_config() -> dict[str, object]:
    """What kube-proxy reads from :data:`PATH`."""
    return {
        "apiVersion": "kubeproxy.config.k8s.io/v1alpha1",
        "kind": "KubeProxyConfiguration",
        "clientConnection": {
            "kubeconfig": KUBECONFIG.format(service=SERVICE),
            **{row.key: row.value for row in CLIENT},
        },
        # Rules by lookup: a Service more costs the same as the first, where iptables reads them in a row.
        "mode": "nftables",
        # Pods' addresses are native, slices of one flat range: no range says which of them are this node's.
        "detectLocalMode": "InterfaceNamePrefix",
        "detectLocal": {"interfaceNamePrefix": POD_INTERFACES},
        "conntrack": {row.key: row.value for row in CONNTRACK},
        "nodePortAddresses": ["primary"],
        # A load balancer of the cloud asks here whether a node serves; metrics are for the machine itself.
        "healthzBindAddress": "0.0.0.0:10256",
        "metricsBindAddress": "127.0.0.1:10249",
        "enableProfiling": False,
        "logging": {"format": "text", "verbosity": 2},
    }
