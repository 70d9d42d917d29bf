"""The files of kubelet and kube-proxy, read by them: each value is in force, and a broken copy is caught.

Both pass over a key they do not know, so what is looked at is the configuration they end up with.
"""

from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import pytest

from kilonode.boot.machine import dump_yaml
from kilonode.nodes.kubelet import kubelet_config
from kilonode.nodes.kubeproxy import kube_proxy_config
from kilonode.nodes.labels import KUBELET_LABELS, OWN_LABELS
from kilonode.nodes.platform import CONTAINER, MACHINE, NodePlatform
from kilonode.refusal import RefusedError
from tests.nodes.pools import UNLIKE_DEFAULTS, machine_pool
from tests.oracles.effective import Broken, RefusedFileError, kube_proxy, kubelet, leaves, missing, named

pytestmark = pytest.mark.tools

LENIENT = "Using lenient decoding as strict decoding failed"


def kubelet_document(platform: NodePlatform) -> dict[str, Any]:
    return kubelet_config(UNLIKE_DEFAULTS, platform, dns=IPv4Address("172.20.0.10"), domain="cluster.local")


def test_every_value_of_ours_is_in_force_in_kubelet(tmp_path: Path) -> None:
    document = kubelet_document(CONTAINER)
    read = kubelet(dump_yaml(document), tmp_path)
    assert missing(leaves(document), read) == set()
    assert LENIENT not in read.said


def test_a_machine_s_kubelet_differs_in_what_the_kernel_must_have(tmp_path: Path) -> None:
    document = kubelet_document(MACHINE) | {"failCgroupV1": False}
    read = kubelet(dump_yaml(document), tmp_path)
    assert missing(leaves(document), read) == set()
    assert read.leaves["cgroupDriver"] == "systemd"
    assert LENIENT not in read.said


KUBELET_ROWS = [
    Broken("podPidsLimit", "podPidLimit", loses=("podPidsLimit",)),
    Broken("clientCAFile", "clientCaFiles", loses=("authentication.x509.clientCAFile",)),
    Broken("nodeStatusReportFrequency: 5m0s\n", "", loses=("nodeStatusReportFrequency",)),
    Broken("imagefs.inodesFree: 0%", "imagefs.inodeFree: 0%", loses=("evictionHard.imagefs.inodesFree",)),
    Broken("serializeImagePulls: false", "serializeImagePulls: true", says="maxParallelImagePulls cannot be larger than 1"),
    Broken("maxParallelImagePulls: 7", "maxParallelImagePulls: 0", says="maxParallelImagePulls 0 must be a positive number"),
    Broken("registryPullQPS: 30", "registryPullQPS: -1", says="registryPullQPS (--registry-qps) -1 must not be a negative number"),
    Broken("registryBurst: 45", "registryBurst: -1", says="registryBurst (--registry-burst) -1 must not be a negative number"),
    Broken("registryBurst: 45", "registryBurst: 0", loses=("registryBurst",)),
    Broken("imageGCLowThresholdPercent: 65", "imageGCLowThresholdPercent: 75", says="must be less than imageGCHighThresholdPercent"),
    Broken("- pods", "- pods\n- system-reserved", says="systemReservedCgroup (--system-reserved-cgroup) must be specified"),
    Broken("effect: NoSchedule", "effect: NoScheduled", says="invalid taint"),
    Broken("maxPods: 17", "maxPods: '17'", says="cannot unmarshal string"),
    Broken("10s", "ten", says="invalid duration \\\"ten\\\""),
    Broken("config.k8s.io/v1beta1", "config.k8s.io/v1", says="no kind \\\"KubeletConfiguration\\\" is registered"),
    Broken("VersionTLS12", "TLS1.2", says="TLS1.2"),
    Broken("failCgroupV1: false", "failCgroupV1 false", says="could not find expected ':'"),
]  # fmt: skip


@pytest.mark.parametrize("row", KUBELET_ROWS, ids=named)
def test_a_broken_copy_for_kubelet_is_caught(row: Broken, tmp_path: Path) -> None:
    document = kubelet_document(CONTAINER)
    text = row.of(dump_yaml(document))
    if row.says:
        with pytest.raises(RefusedFileError) as refused:
            kubelet(text, tmp_path)
        assert row.says in str(refused.value)
    else:
        assert missing(leaves(document), kubelet(text, tmp_path)) == set(row.loses)


@pytest.mark.parametrize(
    "key",
    ["example.com/role", "node.kubernetes.io/pool", "kubelet.kubernetes.io/x", "a.node.kubernetes.io/x", "notkubernetes.io/x", *KUBELET_LABELS,
     "node-role.kubernetes.io/gpu", "foo.k8s.io/x", "k8s.io/x", "kubernetes.io/x", "topology.kubernetes.io/rack", "xnode.kubernetes.io/x", "A.com/x",
     "x" * 64],
)  # fmt: skip
def test_kubelet_takes_the_labels_we_take_and_no_other(key: str, tmp_path: Path) -> None:
    """Case K11; what each node says of itself is the one difference."""
    try:
        machine_pool(labels={key: "gpu"})
        ours = True
    except RefusedError:
        ours = key in OWN_LABELS
    text, flag = dump_yaml(kubelet_document(CONTAINER)), f"--node-labels={key}=gpu"
    if ours:
        kubelet(text, tmp_path, flag)
    else:
        with pytest.raises(RefusedFileError, match=r"specified with --node-labels|invalid node labels"):
            kubelet(text, tmp_path, flag)


def test_a_node_s_own_labels_join_those_of_its_pool(tmp_path: Path) -> None:
    flags = ("--node-labels=node.kubernetes.io/pool=gpu", "--node-labels=topology.kubernetes.io/zone=2")
    said = kubelet(dump_yaml(kubelet_document(CONTAINER)), tmp_path, *flags).said
    assert 'FLAG: --node-labels="node.kubernetes.io/pool=gpu,topology.kubernetes.io/zone=2"' in said


def test_every_value_of_ours_is_in_force_in_kube_proxy(tmp_path: Path) -> None:
    document = kube_proxy_config()
    read = kube_proxy(dump_yaml(document), tmp_path)
    assert missing(leaves(document), read) == set()
    assert LENIENT not in read.said


KUBE_PROXY_ROWS = [
    Broken("maxPerCore: 0", "maxPerCores: 0", loses=("conntrack.maxPerCore",)),
    Broken("min: 0\n", "minimum: 0\n", loses=("conntrack.min",)),
    Broken("maxPerCore: 0", "maxPerCore: -1", says="MaxPerCore: Invalid value: -1"),
    Broken("mode: nftables", "mode: nftable", says="ProxyMode: Invalid value: \\\"nftable\\\""),
    Broken("interfaceNamePrefix:", "interfacePrefix:", says="InterfacePrefix: Invalid value"),
    Broken("detectLocalMode: InterfaceNamePrefix", "detectLocalMode: InterfacePrefix", says="DetectLocalMode: Unsupported value"),
    Broken("- primary", "- first", says="NodePortAddresses[0]: Invalid value: \\\"first\\\""),
    Broken("127.0.0.1:10249", "localhost:10249", says="MetricsBindAddress: Invalid value: \\\"localhost\\\""),
    Broken("24h0m0s", "1 day", says="unknown unit"),
    Broken("qps: 5", "qps: many", says="cannot unmarshal string"),
    Broken("config.k8s.io/v1alpha1", "config.k8s.io/v1", says="no kind \\\"KubeProxyConfiguration\\\" is registered"),
]  # fmt: skip


@pytest.mark.parametrize("row", KUBE_PROXY_ROWS, ids=named)
def test_a_broken_copy_for_kube_proxy_is_caught(row: Broken, tmp_path: Path) -> None:
    document = kube_proxy_config()
    text = row.of(dump_yaml(document))
    if row.says:
        with pytest.raises(RefusedFileError) as refused:
            kube_proxy(text, tmp_path)
        assert row.says in str(refused.value)
    else:
        assert missing(leaves(document), kube_proxy(text, tmp_path)) == set(row.loses)
