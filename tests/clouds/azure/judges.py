"""Which test has each rendered file of the Azure side read by the program it is for."""

from kilonode.apiserver.boot import FLAGS as API_FLAGS
from kilonode.boot.templates import UNIT_FOLDER
from kilonode.clouds.azure import cni, machine_files
from kilonode.nodes import boot, containerd, kubelet, kubeproxy

_IMAGE = "tests/oracles/azure/test_image.py"
_BOOT = "tests/oracles/azure/test_boot.py"
_NODE = "tests/oracles/azure/test_node_files.py"
_PACKETS = "tests/oracles/azure/test_packets.py"

SYSTEMD = f"{_IMAGE}::test_systemd_finds_nothing_wrong_with_any_unit_or_drop_in"
PYTHON = f"{_IMAGE}::test_the_images_own_python_compiles"
CLOUD_INIT = f"{_IMAGE}::test_user_data_of_every_role_is_valid"

_LIB = "/usr/lib/kilonode"
_MODULES = ("__init__", "blobs", "delivery", "disks", "identity", "patience", "vault", "web")
_UNITS = (
    "chrony.service.d/azure.conf", "containerd.service.d/azure.conf", "etcd.service.d/azure.conf", "kilonode-disk.service", "kilonode-health.service", "kilonode-marks.service",
    "kilonode-metadata.service", "kilonode-pod-egress.service", "kilonode-secrets-renew.service", "kilonode-secrets.service",
    "kilonode-secrets.timer", "kilonode-snapshot.service", "kilonode-snapshot.timer", "multi-user.target.d/30-azure.conf",
)  # fmt: skip
_DOES = {
    "etcd-marks": "tests/oracles/azure/test_marks.py",
    "etcd-snapshot": "tests/oracles/azure/test_snapshot.py",
    "node-health": "tests/oracles/azure/test_health.py::test_a_node_says_that_it_serves_and_what_is_wrong_when_it_does_not",
    "machine-disk": "tests/oracles/azure/test_disk.py",
    "machine-secrets": f"{_BOOT}::test_a_machine_has_exactly_the_files_of_its_own_secret_for_root_alone",
}

IMAGE: dict[str, tuple[str, ...]] = {
    "/etc/chrony/chrony.conf": (f"{_IMAGE}::test_chrony_follows_the_host_s_clock_and_asks_nobody_else",),
    "/etc/cloud/cloud.cfg.d/90-azure.cfg": (
        f"{_IMAGE}::test_cloud_init_asks_azure_and_carries_out_what_a_machine_needs_there",
    ),
    "/etc/ssh/sshd_config.d/10-kilonode.conf": (f"{_IMAGE}::test_sshd_takes_keys_only",),
    "/etc/waagent.conf": (f"{_IMAGE}::test_the_platform_s_agent_leaves_the_temporary_disk_alone_and_runs_extensions",),
    "/usr/share/kilonode/metadata.nft": (f"{_PACKETS}::test_only_root_of_the_machine_reaches_what_tells_its_identity",),
    **{f"{UNIT_FOLDER}{unit}": (SYSTEMD,) for unit in _UNITS},
    **{f"{_LIB}/azure_machine/{module}.py": (PYTHON,) for module in _MODULES},
    **{f"{_LIB}/{program}": (PYTHON, does) for program, does in _DOES.items()},
}
"""By path in the image."""

BOOT_DATA: dict[str, tuple[str, ...]] = {
    machine_files.FACTS: (f"{_BOOT}::test_the_services_of_each_role_are_up",),
    cni.PATH: (f"{_BOOT}::test_the_api_is_ready_on_its_etcd_and_its_node_has_joined_through_the_front_end",),
    cni.EGRESS: (f"{_PACKETS}::test_a_pod_keeps_its_address_in_the_region_and_leaves_it_under_its_node_s",),
    API_FLAGS: (f"{_BOOT}::test_the_services_of_each_role_are_up",),
    boot.POOL: (f"{_BOOT}::test_a_node_s_cni_configuration_is_boot_data_s_and_its_kubelet_knows_its_address",),
    boot.KUBELET_FLAGS: (f"{_NODE}::test_kubelet_takes_its_file_and_its_flags_and_every_value_is_in_force",),
    kubelet.PATH: (f"{_NODE}::test_kubelet_takes_its_file_and_its_flags_and_every_value_is_in_force",),
    kubeproxy.PATH: (f"{_NODE}::test_kube_proxy_knows_pods_by_azure_s_links",),
    containerd.PATH: (f"{_NODE}::test_containerd_takes_its_file_and_every_value_is_in_force",),
}
"""By path, of what boot data has on Azure alone or otherwise; conditions of units are empty files."""
