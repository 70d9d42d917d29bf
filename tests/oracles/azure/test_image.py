"""The Azure tree, read by the programs it is for: systemd, cloud-init, sshd, the platform's agent, shell-less Python."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from kilonode.boot.cloudinit import user_data
from kilonode.boot.machine import File
from kilonode.boot.templates import PROGRAM_FOLDER, UNIT_FOLDER
from kilonode.clouds.azure.machine_files import SECRETS_EVERY, SECRETS_SPREAD, SNAPSHOT_EVERY, image_files
from kilonode.clouds.local.host.images import BuiltImage
from tests.clouds.azure import shipped
from tests.oracles.machine import Machine

pytestmark = [pytest.mark.tools, pytest.mark.region]

OURS = image_files()
UNIT_FILES = [
    file.path for file in OURS if file.path.startswith(UNIT_FOLDER) and file.path.endswith((".service", ".timer"))
]
PYTHON = [file for file in OURS if file.path.startswith(PROGRAM_FOLDER)]


@pytest.fixture(scope="module")
def machine(azure_image: BuiltImage) -> Iterator[Machine]:
    with Machine(azure_image, "azure") as made:
        yield made


def verified(machine: Machine, *units: str) -> str:
    done = machine.run(["systemd-analyze", "verify", "--man=no", *units])
    return (done.stdout + done.stderr).strip()


def test_systemd_finds_nothing_wrong_with_any_unit_or_drop_in(machine: Machine) -> None:
    assert len(UNIT_FILES) >= 9
    assert (
        verified(
            machine,
            *UNIT_FILES,
            f"{UNIT_FOLDER}etcd.service",
            f"{UNIT_FOLDER}containerd.service",
            "chrony.service",
            "multi-user.target",
        )
        == ""
    )


@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        (
            "kilonode-secrets.timer",
            "OnCalendar=hourly",
            "OnCalendar=hourlyish",
            "Failed to parse calendar specification",
        ),
        ("kilonode-secrets.timer", "OnCalendar=hourly\n", "", "Timer unit lacks value setting"),
        ("kilonode-secrets.timer", "RandomizedDelaySec=1h", "RandomizedDelaySec=an hour", "Failed to parse"),
        ("kilonode-disk.service", "ConditionVirtualization=!container", "ConditionVirtualisation=no", "Unknown key"),
        ("kilonode-health.service", "node-health 10260", "node-helth 10260", "is not executable"),
        ("kilonode-health.service", "DynamicUser=yes", "DynamicUsers=yes", "Unknown key"),
        ("kilonode-marks.service", "etcd-marks pull", "etcd-mark pull", "is not executable"),
        ("etcd.service.d/azure.conf", "RequiresMountsFor=/var", "RequiresMountsFor=var", "is not absolute"),
    ],
)
def test_a_broken_copy_is_caught(machine: Machine, file: str, old: str, new: str, says: str) -> None:
    path = f"{UNIT_FOLDER}{file}"
    right = machine.read(path)
    assert old in right
    machine.write([File(path, right.replace(old, new, 1))])
    try:
        assert says in verified(machine, path.partition(".d/")[0])
    finally:
        machine.write([File(path, right)])


def test_systemd_reads_the_times_as_they_are_meant(machine: Machine) -> None:
    for row, minutes in ((SECRETS_EVERY, ["00:00", "00:00"]), (SNAPSHOT_EVERY, ["30:00", "00:00"])):
        base = ("--base-time=2026-01-01 00:00:01 UTC", "--iterations=2")
        done = machine.run(["systemd-analyze", "calendar", *base, str(row.value)], check=True)
        found = re.findall(r"(?:Next elapse|Iteration #2|Iter. #2): .* \d\d:(\d\d:\d\d) UTC", done.stdout)
        assert found == minutes, done.stdout
    assert machine.run(["systemd-analyze", "timespan", str(SECRETS_SPREAD.value)]).returncode == 0


@pytest.mark.parametrize("script", PYTHON, ids=lambda file: file.path)
def test_the_images_own_python_compiles(machine: Machine, script: File) -> None:
    done = machine.run(["/usr/bin/python3", "-W", "error", "-m", "py_compile", script.path])
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("program", [file.path for file in PYTHON if file.mode & 0o100])
def test_every_program_finds_what_it_imports_in_the_image(machine: Machine, program: str) -> None:
    """Without facts each stops at the first file it reads, past its imports; the one that reads none at its port."""
    done = machine.run([program, "pull"])
    stops = "FileNotFoundError: [Errno 2] No such file or directory: '/etc/kilonode/azure.json'"
    assert (
        "invalid literal for int() with base 10: 'pull'" if program.endswith("/node-health") else stops
    ) in done.stderr


def test_the_only_module_that_is_not_python_s_own_is_the_one_cloud_init_brings(machine: Machine) -> None:
    script = "import sys, json; print(json.dumps(sorted(sys.stdlib_module_names)))"
    own = set(json.loads(machine.run(["/usr/bin/python3", "-c", script], check=True).stdout))
    words = [
        line.split() for file in PYTHON for line in file.content.splitlines() if line.startswith(("import ", "from "))
    ]
    imported = {name.partition(".")[0] for _, name, *_ in words}
    assert imported - own == {"azure_machine", "yaml"}


CONFIGURATION = """\
import json
from cloudinit import util
read = util.read_conf_with_confd("/etc/cloud/cloud.cfg")
print(json.dumps(read))
"""


@pytest.fixture(scope="module")
def configuration(machine: Machine) -> Any:
    """cloud-init's, without the local tree's own last word."""
    machine.run(["rm", "/etc/cloud/cloud.cfg.d/90-local.cfg"], check=True)
    return json.loads(machine.run(["python3", "-c", CONFIGURATION], check=True).stdout)


def test_cloud_init_asks_azure_and_carries_out_what_a_machine_needs_there(configuration: Any) -> None:
    assert configuration["datasource_list"] == ["Azure"]
    assert configuration["cloud_init_modules"] == [
        "seed_random", "bootcmd", "write-files", "growpart", "resizefs", "set_hostname", "users-groups", "ssh",
    ]  # fmt: skip
    assert configuration["cloud_config_modules"] == []
    assert configuration["system_info"]["network"] == {"renderers": ["networkd"]}, "what all clouds share stays"
    assert configuration["system_info"]["default_user"]["lock_passwd"] is True
    assert configuration["users"] == ["default"]


def test_every_module_is_one_that_cloud_init_has(machine: Machine, configuration: Any) -> None:
    names = [module.replace("-", "_") for module in configuration["cloud_init_modules"]]
    assert (
        machine.run(
            ["python3", "-c", f"from cloudinit.config import {', '.join(f'cc_{name}' for name in names)}"]
        ).stderr
        == ""
    )


NETWORK = """\
import json, sys
from cloudinit import helpers
from cloudinit.sources import DataSourceAzure as azure
azure._generate_network_config_from_fallback_config = lambda: {"version": 2, "ethernets": {"eth0": {"dhcp4": True}}}
addresses = [{"privateIpAddress": f"10.66.0.{number}", "publicIpAddress": ""} for number in range(4, 35)]
nic = {"macAddress": "000D3A6B9A01", "ipv4": {"ipAddress": addresses, "subnet": [{"prefix": "16"}]}}
source = azure.DataSourceAzure({"datasource": json.loads(sys.argv[1])}, None, helpers.Paths({}))
source._metadata_imds = {"network": {"interface": [nic]}}
print(json.dumps(source._generate_network_config()))
"""


def network(machine: Machine, datasource: Any) -> Any:
    done = machine.run(["python3", "-c", NETWORK, json.dumps(datasource)])
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])["ethernets"]["eth0"]


def test_cloud_init_s_own_code_gives_a_node_one_address_of_its_nic_and_would_else_take_those_of_its_pods(
    machine: Machine, configuration: Any
) -> None:
    assert network(machine, configuration["datasource"]) == {"dhcp4": True}
    assert len(network(machine, {})["addresses"]) == 30


def test_cloud_init_s_word_for_a_zone_is_the_fault_domain_on_azure(machine: Machine) -> None:
    """Why a pool says where its nodes find their zone."""
    script = (
        "from cloudinit import helpers; from cloudinit.sources.DataSourceAzure import DataSourceAzure as A;"
        "a = A({}, None, helpers.Paths({}));"
        "a.metadata = {'imds': {'compute': {'zone': '2', 'location': 'westeurope', 'platformFaultDomain': '0'}}};"
        "print(a.availability_zone)"
    )
    assert machine.run(["python3", "-c", script], check=True).stdout.strip() == "0"


@pytest.mark.parametrize("name", [*shipped.STACKS, shipped.LARGEST])
def test_user_data_of_every_role_is_valid(machine: Machine, name: str) -> None:
    """cloud-init's own schema, on the boot data of the first machine of each role and of every pool."""
    own, seen = shipped.plan(name), set[str]()
    for each, boot in shipped.documents(name).items():
        role = shipped.role(own, each)
        if role in seen and role != "node":
            continue
        seen.add(role)
        machine.write([File("/root/user-data", user_data(boot), 0o600)])
        done = machine.run(["cloud-init", "schema", "--config-file", "/root/user-data"])
        assert (done.returncode, (done.stdout + done.stderr).strip()) == (0, "Valid cloud-config: /root/user-data")
    assert seen == {"etcd", "api", "node"}


def test_chrony_follows_the_host_s_clock_and_asks_nobody_else(machine: Machine) -> None:
    done = machine.run(["/usr/sbin/chronyd", "-p", "-f", "/etc/chrony/chrony.conf"])
    assert done.returncode == 0, done.stderr
    words = [line.split() for line in done.stdout.splitlines()]
    assert [line[:3] for line in words if line[0] in {"refclock", "server", "pool", "peer", "include"}] == [
        ["refclock", "PHC", "/dev/ptp_hyperv"]
    ]
    broken = machine.run(
        ["sh", "-c", "sed 's/ poll / pol /' /etc/chrony/chrony.conf | tee /tmp/c && chronyd -p -f /tmp/c"]
    )
    assert "refclock" in broken.stderr


def test_sshd_takes_keys_only(machine: Machine) -> None:
    machine.run(["mkdir", "-p", "/run/sshd"], check=True)
    said = machine.run(["/usr/sbin/sshd", "-T"], check=True).stdout.splitlines()
    assert {"passwordauthentication no", "kbdinteractiveauthentication no", "permitrootlogin no"} <= set(said)
    assert "pubkeyauthentication yes" in said


AGENT = """\
import json
from azurelinuxagent.common import conf
conf.load_conf_from_file("/etc/waagent.conf")
print(json.dumps([conf.get_resourcedisk_format(), conf.get_resourcedisk_enable_swap(), conf.get_provisioning_agent(),
                  conf.get_extensions_enabled(), conf.get_autoupdate_enabled(), conf.get_monitor_hostname()]))
"""


def test_the_platform_s_agent_leaves_the_temporary_disk_alone_and_runs_extensions(machine: Machine) -> None:
    said = machine.run(["python3", "-W", "ignore", "-c", AGENT], check=True).stdout.splitlines()[-1]
    assert json.loads(said) == [False, False, "cloud-init", True, False, False]
