"""kubelet's configuration and flags: the same for all nodes of a pool, in kubelet's own keys."""

from ipaddress import IPv4Address

from kilonode.boot.secrets import credential
from kilonode.nodes.containerd import SOCKET
from kilonode.nodes.eviction import DISK, IMAGE_MINIMUM_AGE, MEMORY
from kilonode.nodes.labels import POOL_LABEL
from kilonode.nodes.platform import NodePlatform
from kilonode.nodes.spec import MachinePoolSpec
from kilonode.tuning import Row, flag

SERVICE = "kubelet"
PATH = "/etc/kubernetes/kubelet.yaml"
FOLDER = "/var/lib/kubelet"
KUBECONFIG = f"{FOLDER}/kubeconfig"
"""Written by kubelet itself when it has joined; on the disk, so that a reboot is no new join."""

BOOTSTRAP_KUBECONFIG = "/etc/kubernetes/kubelet-bootstrap.kubeconfig"
CERTIFICATES = f"{FOLDER}/pki"
RESOLVER = "/etc/resolv.conf"

_STATED = "kubelet default, stated"
_CIS = "CIS Kubernetes 4.2"

ROWS = (
    Row("readOnlyPort", 0, "it would answer anybody, without TLS", _CIS),
    Row("healthzBindAddress", "127.0.0.1", "for the machine's own service manager; nobody else has to ask", _STATED),
    Row("serverTLSBootstrap", True, "its serving certificate has a signer, so API servers can tell it from an impostor", _CIS),
    Row("rotateCertificates", True, "a certificate that ends takes its node out; kubelet asks for the next one in time", _CIS),
    Row("tlsMinVersion", "VersionTLS12", "older TLS is broken", _CIS),
    Row("protectKernelDefaults", True, "kubelet refuses a kernel set otherwise than it expects, in place of setting it itself: sysctls have one owner", _CIS),
    Row("enableProfilingHandler", False, "profiles show memory, and with it secrets", "as on the control plane"),
    Row("podPidsLimit", 65_536, "a fork bomb must not take the node's process numbers; a job with its data loaders runs some thousands", "Kubernetes docs, process ID limits; the figure is kilonode's"),
    Row("nodeStatusUpdateFrequency", "10s", "how soon a change of the node is seen", _STATED),
    Row("nodeStatusReportFrequency", "5m0s", "once the line above is stated this defaults to it, and thousands of nodes would write their whole status every ten seconds", "kubelet default while neither is stated"),
    Row("nodeLeaseDurationSeconds", 40, "renewed every ten seconds; a small object of its own, so that a sign of life costs little", _STATED),
    Row("kubeAPIQPS", 50, "enough to start all pods of a node at once", _STATED),
    Row("kubeAPIBurst", 100, "twice the rate", _STATED),
    Row("eventRecordQPS", 5, "thousands of nodes that fail alike must not fill the Events' etcd; what repeats is counted in one Event", "kubelet default until 1.26; 2018 post: Events crowd out"),
    Row("eventBurst", 10, "twice the rate", "kubelet default until 1.26"),
    Row("makeIPTablesUtilChains", False, "Services are nftables rules here; the image has no iptables", "kilonode"),
    Row("resolvConf", RESOLVER, "what pods with dnsPolicy Default get, cluster DNS among them", _STATED),
)  # fmt: skip

SYSTEM_RESERVED = (
    Row("cpu", "250m", "containerd, journal and kernel threads while pods use all the rest", "kilonode"),
    Row("memory", "512Mi", "the same", "kilonode"),
)
KUBE_CPU = Row("cpu", "250m", "kubelet and kube-proxy while pods use all the rest", "kilonode")
KUBE_MEMORY_BASE = Row("memory", 255, "MiB, whatever the number of pods", "awslabs/amazon-eks-ami")
KUBE_MEMORY_PER_POD = Row("memory", 11, "MiB for each pod the node may have", "awslabs/amazon-eks-ami")

DISABLED = "0%"
"""How a signal for eviction is turned off; leaving it out does the same, but does not say so."""


def kubelet_config(
    pool: MachinePoolSpec, platform: NodePlatform, *, dns: IPv4Address, domain: str
) -> dict[str, object]:
    """What kubelet reads from :data:`PATH`; ``dns`` is cluster DNS's ClusterIP and ``domain`` the domain of Services."""
    kube_memory = int(KUBE_MEMORY_BASE.value) + int(KUBE_MEMORY_PER_POD.value) * pool.pods_per_node
    return {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "authentication": {
            "x509": {"clientCAFile": credential(SERVICE, "ca.crt")},
            "webhook": {"enabled": True},
            "anonymous": {"enabled": False},
        },
        "authorization": {"mode": "Webhook"},
        **{row.key: row.value for row in ROWS},
        "containerRuntimeEndpoint": f"unix://{SOCKET}",
        "clusterDNS": [str(dns)],
        "clusterDomain": domain,
        "maxPods": pool.pods_per_node,
        **image_settings(pool),
        "evictionHard": eviction(platform),
        "cgroupDriver": platform.cgroup_driver,
        "failCgroupV1": platform.fail_cgroup_v1,
        "failSwapOn": platform.fail_swap_on,
        "localStorageCapacityIsolation": platform.local_storage_isolation,
        # Subtracted from what pods may ask for. To enforce them would take cgroups that somebody makes first, and
        # kubelet does not start without them (kubernetes/kops#3223).
        "systemReserved": {row.key: row.value for row in SYSTEM_RESERVED},
        "kubeReserved": {KUBE_CPU.key: KUBE_CPU.value, KUBE_MEMORY_BASE.key: f"{kube_memory}Mi"},
        "enforceNodeAllocatable": ["pods"],
        "registerWithTaints": [
            {"key": taint.key, "value": taint.value, "effect": taint.effect} for taint in pool.taints
        ],
        "logging": {"format": "text", "verbosity": 2},
    }


def image_settings(pool: MachinePoolSpec) -> dict[str, object]:
    """How images are pulled, and when unused ones go."""
    return {
        "serializeImagePulls": pool.pulls.serialize,
        "maxParallelImagePulls": pool.pulls.parallel,
        **pool.pulls.rate,
        IMAGE_MINIMUM_AGE.key: IMAGE_MINIMUM_AGE.value,
        "imageGCHighThresholdPercent": pool.image_gc.high_percent,
        "imageGCLowThresholdPercent": pool.image_gc.low_percent,
    }


def eviction(platform: NodePlatform) -> dict[str, object]:
    """Below what pods are evicted: every signal by name, as kubelet's defaults end where one of them is stated."""
    disk = {row.key: row.value if platform.owns_disk else DISABLED for row in DISK}
    return {MEMORY.key: MEMORY.value, **disk}


def node_labels(pool: MachinePoolSpec) -> dict[str, str]:
    """What all nodes of the pool register with; each adds its zone."""
    return {POOL_LABEL: pool.name, **pool.cloud_labels, **pool.labels}


def kubelet_flags(pool: MachinePoolSpec) -> tuple[str, ...]:
    """What has no field in the configuration and is the same for all nodes of the pool.

    kubelet merges ``--node-labels`` given twice, so a node may add its own.
    """
    values = {
        "config": PATH,
        "kubeconfig": KUBECONFIG,
        "bootstrap-kubeconfig": BOOTSTRAP_KUBECONFIG,
        "cert-dir": CERTIFICATES,
        "node-labels": ",".join(f"{key}={value}" for key, value in sorted(node_labels(pool).items())),
    }
    return tuple(flag(key, value) for key, value in values.items())
