"""What kubelet is told."""

from ipaddress import IPv4Address
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilonode.boot.machine import environment
from kilonode.nodes.containerd import containerd_settings
from kilonode.nodes.kubelet import ROWS, kubelet_config, kubelet_flags, node_labels
from kilonode.nodes.platform import CONTAINER, MACHINE, NodePlatform
from kilonode.nodes.spec import PODS_MAX
from kilonode.refusal import RefusedError
from tests.nodes.pools import machine_pool

DNS = IPv4Address("172.20.0.10")
DEFAULT_EVICTION = {
    "memory.available",
    "nodefs.available",
    "nodefs.inodesFree",
    "imagefs.available",
    "imagefs.inodesFree",
}
"""The signals of kubelet's own default, which ends as soon as one is stated (pkg/kubelet/eviction/defaults_linux.go)."""


def config(platform: NodePlatform = MACHINE, **changes: Any) -> Any:
    return kubelet_config(machine_pool(**changes), platform, dns=DNS, domain="cluster.local")


def flags(**changes: Any) -> dict[str, str]:
    return dict(flag.removeprefix("--").split("=", 1) for flag in kubelet_flags(machine_pool(**changes)))


def test_only_clients_of_the_region_s_authority_are_known_and_what_they_may_is_asked_for() -> None:
    made = config()
    assert made["authentication"]["x509"] == {"clientCAFile": "/run/credentials/kubelet.service/ca.crt"}
    assert made["authentication"]["anonymous"] == {"enabled": False}
    assert made["authentication"]["webhook"] == {"enabled": True}
    assert made["authorization"] == {"mode": "Webhook"}
    assert made["readOnlyPort"] == 0
    assert made["healthzBindAddress"] == "127.0.0.1"


def test_its_certificates_are_signed_and_renewed() -> None:
    assert config()["serverTLSBootstrap"] is True
    assert config()["rotateCertificates"] is True


def test_a_node_takes_as_many_pods_as_it_has_addresses_for() -> None:
    for pods in (1, 30, PODS_MAX):
        pool = machine_pool(podsPerNode=pods)
        first, last = pool.addresses.pods(0)
        assert config(podsPerNode=pods)["maxPods"] == int(last) - int(first) + 1 == pods


@given(st.integers(1, 100))
def test_serial_and_parallel_never_contradict(parallel: int) -> None:
    """Case K01: kubelet refuses more than one at once beside serialize, and none at all."""
    made = config(pulls={"parallel": parallel})
    assert made["maxParallelImagePulls"] == parallel
    assert made["serializeImagePulls"] is (parallel == 1)


def test_pull_rates_are_above_kubelet_s_defaults() -> None:
    """Case K02."""
    assert (config()["registryPullQPS"], config()["registryBurst"]) == (20, 40)
    assert "registryBurst" not in config(pulls={"qps": 0})
    assert config(pulls={"qps": 0})["registryPullQPS"] == 0


@given(st.integers(1, 100), st.integers(0, 99))
def test_unused_images_always_go_before_pods_do(high: int, low: int) -> None:
    """Case K07, on the file as rendered."""
    try:
        made = config(imageGc={"highPercent": high, "lowPercent": low})
    except RefusedError:
        return
    assert made["imageGCLowThresholdPercent"] < made["imageGCHighThresholdPercent"]
    assert made["imageGCHighThresholdPercent"] + int(made["evictionHard"]["imagefs.available"].rstrip("%")) <= 100


@pytest.mark.parametrize("platform", [MACHINE, CONTAINER])
def test_no_signal_for_eviction_is_left_out(platform: NodePlatform) -> None:
    assert set(config(platform)["evictionHard"]) == DEFAULT_EVICTION


def test_pods_do_not_go_for_a_disk_that_is_the_host_s() -> None:
    assert {value for key, value in config(CONTAINER)["evictionHard"].items() if "fs." in key} == {"0%"}
    assert config(CONTAINER)["evictionHard"]["memory.available"] == "500Mi"


def test_nothing_is_enforced_in_cgroups_that_nobody_makes() -> None:
    """Case K13."""
    made = config()
    assert made["enforceNodeAllocatable"] == ["pods"]
    assert not {"systemReservedCgroup", "kubeReservedCgroup"} & set(made)
    assert set(made["systemReserved"]) == set(made["kubeReserved"]) == {"cpu", "memory"}


@pytest.mark.parametrize(("pods", "memory"), [(1, "266Mi"), (30, "585Mi"), (250, "3005Mi")])
def test_what_kubelet_itself_needs_grows_with_its_pods(pods: int, memory: str) -> None:
    assert config(podsPerNode=pods)["kubeReserved"]["memory"] == memory


def test_status_is_reported_rarely_though_it_is_looked_at_often() -> None:
    """Once the update frequency is stated, kubelet's default for the report is the same ten seconds."""
    made = config()
    assert (made["nodeStatusUpdateFrequency"], made["nodeStatusReportFrequency"]) == ("10s", "5m0s")
    assert made["nodeLeaseDurationSeconds"] == 40


@pytest.mark.parametrize("platform", [MACHINE, CONTAINER])
def test_kubelet_and_containerd_ask_the_same_for_cgroups(platform: NodePlatform) -> None:
    """Case K08."""
    systemd = containerd_settings(machine_pool(), platform).systemd_cgroup
    assert (config(platform)["cgroupDriver"] == "systemd") is systemd


def test_kubelet_never_sets_the_kernel_itself() -> None:
    """In a container these settings would be the host's."""
    assert all(config(platform)["protectKernelDefaults"] is True for platform in (MACHINE, CONTAINER))


def test_platforms_differ_in_the_listed_settings_only() -> None:
    machine, container = config(MACHINE), config(CONTAINER)
    assert {key for key in machine if machine[key] != container[key]} == {
        "cgroupDriver", "failCgroupV1", "failSwapOn", "evictionHard",
    }  # fmt: skip
    assert set(machine) == set(container)
    assert [container[key] for key in ("cgroupDriver", "failCgroupV1", "failSwapOn")] == ["cgroupfs", False, False]


def test_kubelet_measures_its_disks_on_every_platform() -> None:
    """Or its eviction manager ends each round before it has looked at anything."""
    assert all(config(platform)["localStorageCapacityIsolation"] is True for platform in (MACHINE, CONTAINER))


def test_taints_are_registered_as_written() -> None:
    rows = [{"key": "example.com/team", "value": "a", "effect": "NoSchedule"}]
    assert config(taints=rows)["registerWithTaints"] == rows
    assert config()["registerWithTaints"] == []


def test_pods_find_cluster_dns() -> None:
    assert config()["clusterDNS"] == ["172.20.0.10"]
    assert config()["clusterDomain"] == "cluster.local"


def test_every_tuned_number_says_why_and_whence() -> None:
    made = config()
    assert len({row.key for row in ROWS}) == len(ROWS)
    assert all(made[row.key] == row.value and len(row.why) > 8 and row.source for row in ROWS)


def test_nodes_register_with_their_pool_and_its_labels() -> None:
    assert node_labels(machine_pool(labels={"example.com/role": "train"})) == {
        "node.kubernetes.io/pool": "gpu", "example.com/role": "train",
    }  # fmt: skip
    assert (
        flags(labels={"example.com/role": "train"})["node-labels"]
        == "example.com/role=train,node.kubernetes.io/pool=gpu"
    )
    assert flags()["node-labels"] == "node.kubernetes.io/pool=gpu"


def test_flags_are_what_has_no_field() -> None:
    assert set(flags()) == {"config", "kubeconfig", "bootstrap-kubeconfig", "cert-dir", "node-labels"}
    assert not set(flags()) & set(config())


def test_what_kubelet_has_joined_with_is_on_the_disk_and_apart_from_what_it_joins_with() -> None:
    made = flags()
    assert made["kubeconfig"].startswith("/var/lib/kubelet/")
    assert made["cert-dir"].startswith("/var/lib/kubelet/")
    assert made["kubeconfig"] != made["bootstrap-kubeconfig"]


def test_flags_with_every_character_a_label_may_have_survive_an_environment_file() -> None:
    pool = machine_pool(labels={"example.com/a_b-c.D": "x_y-z.0", "empty": ""})
    assert environment("FLAGS", kubelet_flags(pool)).count("\n") == 1
