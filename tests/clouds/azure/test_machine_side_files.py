"""What an Azure machine's image and units have beside a local one's: the disk, the secrets, the marks, and nothing of theirs twice."""

import json
import re
from ipaddress import IPv4Network

from kilonode.boot.image import machine_image
from kilonode.boot.machine import UNITS as CONDITIONS
from kilonode.boot.templates import PROGRAM_FOLDER, UNIT_FOLDER
from kilonode.clouds.azure import cni
from kilonode.clouds.azure.machine_files import FACTS, image_files
from kilonode.clouds.local.host import images, layer
from tests.clouds.azure.roles import AZURE, LOCAL

FILES = {file.path: file.content for file in image_files()}
SERVICES = {
    path.removeprefix(UNIT_FOLDER): text for path, text in FILES.items() if path.endswith((".service", ".timer"))
}


def test_facts_name_only_what_a_machine_has() -> None:
    told = {role: json.loads(next(f.content for f in boot.files if f.path == FACTS)) for role, boot in AZURE.items()}
    assert set(told["api"]) == {"vault", "secret", "identity"}
    assert set(told["node"]) == {"vault", "secret", "identity", "disk"}
    assert set(told["etcd"]) == {"vault", "secret", "identity", "disk", "marks", "snapshots"}
    assert told["etcd"]["disk"] == {"selector": "nvme-direct", "mount": "/var/lib/etcd"}
    assert told["node"]["disk"] == {"selector": "nvme-direct", "mount": "/var/lib/containerd"}
    assert told["api"]["identity"].endswith("/userAssignedIdentities/west-api-1")


def test_every_unit_that_takes_credentials_starts_after_the_machine_s_secrets() -> None:
    taking = {
        file.path.removeprefix(UNIT_FOLDER).partition(".service")[0] + ".service"
        for file in machine_image().files
        if "LoadCredential=" in file.content
    }
    before = {
        unit
        for line in re.findall(r"^Before=(.+)$", SERVICES["kilonode-secrets.service"], re.M)
        for unit in line.split()
    }
    assert len(taking) > 5
    assert before == taking


def test_the_disk_is_mounted_before_every_unit_that_needs_a_mount() -> None:
    needing = {
        file.path.removeprefix(UNIT_FOLDER)
        for file in machine_image().files
        if "AssertPathIsMountPoint=" in file.content
    }
    before = set(re.findall(r"^Before=(.+)$", SERVICES["kilonode-disk.service"], re.M)[0].split())
    assert before == needing == {"etcd.service", "containerd.service"}
    for unit in needing:
        mount = re.search(r"^AssertPathIsMountPoint=(.+)$", image_text(unit), re.M)
        assert mount
        assert f"\nRequiresMountsFor={mount[1]}\n" in FILES[f"{UNIT_FOLDER}{unit}.d/azure.conf"]


def image_text(unit: str) -> str:
    return next(file.content for file in machine_image().files if file.path == f"{UNIT_FOLDER}{unit}")


def test_etcd_waits_for_its_marks_and_pushes_its_own_after_it_has_settled() -> None:
    drop_in = FILES[f"{UNIT_FOLDER}etcd.service.d/azure.conf"]
    for line in ("Requires=kilonode-marks.service", "After=kilonode-marks.service"):
        assert f"\n{line}\n" in drop_in
    posts = [line for line in (image_text("etcd.service") + drop_in).splitlines() if line.startswith("ExecStartPost=")]
    assert posts == [
        "ExecStartPost=+/usr/lib/kilonode/etcd-member settle",
        "ExecStartPost=+/usr/lib/kilonode/etcd-marks push",
    ]


def test_every_unit_starts_only_where_boot_data_names_it_or_needs_none() -> None:
    owners = {
        "kilonode-secrets-renew.service": "kilonode-secrets.timer",
        "kilonode-snapshot.service": "kilonode-snapshot.timer",
    }
    for unit, text in SERVICES.items():
        if unit == "kilonode-metadata.service":
            continue
        assert f"\nConditionPathExists={CONDITIONS}/{owners.get(unit, '%n')}\n" in text, unit
        # The file is there once cloud-init has written it: a unit that looks before finds nothing.
        assert unit in owners or re.search(r"^After=.*\bcloud-init\.service\b", text, re.M), unit


def test_every_unit_that_boot_data_names_is_in_the_image_and_asked_for_at_boot() -> None:
    named = {unit for role, boot in AZURE.items() for unit in boot.units} - {u for b in LOCAL.values() for u in b.units}
    wanted = set(re.findall(r"[\w-]+\.(?:service|timer)", FILES[f"{UNIT_FOLDER}multi-user.target.d/30-azure.conf"]))
    assert named <= set(SERVICES)
    assert named | {"kilonode-metadata.service", "chrony.service", "walinuxagent.service", "ssh.service"} == wanted


def test_a_unit_that_waits_is_not_ended_by_a_time_limit() -> None:
    for unit in ("kilonode-secrets", "kilonode-disk", "kilonode-marks"):
        assert "\nTimeoutStartSec=infinity\n" in SERVICES[f"{unit}.service"]
        assert "\nRemainAfterExit=yes\n" in SERVICES[f"{unit}.service"]


def test_the_disk_s_unit_has_no_mounts_of_its_own() -> None:
    """Any of these would hide from the machine what it mounts (systemd.exec)."""
    private = (
        "Private",
        "Protect",
        "ReadOnly",
        "ReadWrite",
        "Inaccessible",
        "MountFlags",
        "TemporaryFileSystem",
        "DynamicUser",
    )
    assert not [line for line in SERVICES["kilonode-disk.service"].splitlines() if line.startswith(private)]


def test_programs_are_executable_and_what_they_import_is_not() -> None:
    for file in image_files():
        program = file.path.startswith(PROGRAM_FOLDER) and not file.path.endswith(".py")
        assert file.mode == (0o755 if program else 0o644), file.path


def test_no_file_is_in_two_trees() -> None:
    trees = [
        {file.path for file in machine_image().files},
        {file.path for file in layer.read_tree(images.LOCAL_TREE)},
        set(FILES),
    ]
    for number, one in enumerate(trees):
        assert not [path for other in trees[number + 1 :] for path in one & other]


def test_no_template_is_left_unrendered() -> None:
    assert not [path for path, text in FILES.items() if "{{" in text or "{%" in text]


def test_nothing_of_the_network_s_addresses_is_the_machine_s_but_its_first() -> None:
    assert "apply_network_config: false" in FILES["/etc/cloud/cloud.cfg.d/90-azure.cfg"]


def test_neither_cloud_init_nor_the_agent_touches_the_temporary_disk() -> None:
    modules = re.search(r"^cloud_init_modules: \[(.+)\]$", FILES["/etc/cloud/cloud.cfg.d/90-azure.cfg"], re.M)
    assert modules
    assert not {"disk_setup", "mounts"} & set(modules[1].split(", "))
    assert "\nResourceDisk.Format=n\n" in FILES["/etc/waagent.conf"]


def test_pods_get_addresses_from_the_node_s_nic_and_nowhere_else() -> None:
    (plugin,) = json.loads(cni.conflist())["plugins"]
    assert (plugin["type"], plugin["mode"], plugin["ipam"]) == (
        "azure-vnet",
        "transparent",
        {"type": "azure-vnet-ipam"},
    )


def test_what_stays_in_the_region_keeps_its_address() -> None:
    text = cni.egress([IPv4Network("10.64.0.0/14"), IPv4Network("172.20.0.0/16")])
    rules = [each["add"]["rule"]["expr"] for each in json.loads(text)["nftables"] if "rule" in each.get("add", {})]
    (rule,) = rules
    prefixes = [each["prefix"] for each in rule[1]["match"]["right"]["set"]]
    assert prefixes == [{"addr": "10.64.0.0", "len": 14}, {"addr": "172.20.0.0", "len": 16}]
    assert rule[1]["match"]["op"] == "!="
    assert rule[-1] == {"masquerade": None}
