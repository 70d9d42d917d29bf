"""A script that lies in a file is read where the machine runs it, whoever asks for it, and nowhere else."""

import pytest
import yaml

from kilonode.rules.facts.machines import UserData
from kilonode.rules.read.scripts import DEPTH_MAX, run
from kilonode.rules.read.userdata import read
from kilonode.rules.unknown import Unknown
from tests.rules.written import cloud_config, programs

BOOT = "/opt/boot.sh"
SCRIPT = "#!/bin/bash\nset -e\nexec etcd --name=one\n"
UNIT = "/etc/systemd/system/boot.service"


def found(text: str) -> UserData:
    given = read(text, encoded=False)
    assert isinstance(given, UserData)
    return given


@pytest.mark.parametrize(
    "line",
    [
        "bash /opt/boot.sh", "/opt/boot.sh", "sh -ex /opt/boot.sh --now", ". /opt/boot.sh", "source /opt/boot.sh",
        "chmod +x /opt/boot.sh && /opt/boot.sh", "cd /opt; ./boot.sh", "sudo bash -c '/opt/boot.sh | tee /log'", "nohup /opt/boot.sh &",
    ],
)  # fmt: skip
def test_a_script_that_a_command_runs_is_read(line: str) -> None:
    assert found(cloud_config({BOOT: SCRIPT}, line)).programs == {"etcd": {"name": "one"}}


@pytest.mark.parametrize("shebang", ["#!/bin/sh", "#! /usr/bin/env bash", "#!/bin/bash -e", "#!/usr/bin/dash"])
def test_a_script_that_a_unit_runs_is_read_with_the_units_variables(shebang: str) -> None:
    unit = "[Service]\nEnvironment=ETCD_CORS=x FLAG=--auto-tls\nExecStart=-/opt/boot.sh\n"
    files = {UNIT: unit, BOOT: f"{shebang}\netcd $FLAG \\\n  --name=one\n"}
    assert programs(files, [])[0] == {"etcd": {"name": "one", "cors": "x", "auto-tls": "true"}}


@pytest.mark.parametrize(
    "path", ["/var/lib/cloud/scripts/per-boot/x", "/var/lib/cloud/scripts/per-instance/x.sh", "/etc/rc.local", "/etc/rc.d/rc.local"]
)  # fmt: skip
def test_a_script_that_the_system_runs_by_itself_is_read(path: str) -> None:
    assert found(cloud_config({path: SCRIPT})).programs == {"etcd": {"name": "one"}}


@pytest.mark.parametrize(
    "line",
    ["chmod +x /opt/boot.sh", "cp /opt/boot.sh /srv", "cat /opt/boot.sh", "bash /srv/boot.sh", "/srv/boot.sh", "echo; true", "/"],
)  # fmt: skip
def test_a_script_that_is_only_there_runs_nothing(line: str) -> None:
    assert found(cloud_config({BOOT: SCRIPT}, line)).programs == {}


@pytest.mark.parametrize("text", ["#!/usr/bin/python3\netcd --name=one\n", "etcd --name=one\n"])
def test_a_file_of_another_language_is_no_script_of_a_shell_unless_a_shell_reads_it(text: str) -> None:
    assert found(cloud_config({BOOT: text}, BOOT)).programs == {}
    assert found(cloud_config({BOOT: text}, f"sh {BOOT}")).programs == {"etcd": {"name": "one"}}


def test_a_shells_argument_that_is_a_file_too_is_none_of_its_scripts() -> None:
    files = {BOOT: "true\n", "/opt/other.sh": SCRIPT}
    assert found(cloud_config(files, "bash /opt/boot.sh /opt/other.sh")).programs == {}


def test_what_a_script_writes_and_sets_is_the_machines() -> None:
    script = (
        f"#!/bin/sh\ncat > {UNIT} <<'E'\n[Service]\nExecStart=/opt/inner.sh\nE\n"
        "cat > /opt/inner.sh <<'E'\n#!/bin/sh\nsysctl -w \\\n net.core.somaxconn=7\nE\nsystemctl start boot\n"
    )
    given = found(cloud_config({BOOT: script}, f"bash {BOOT}"))
    assert given.files[UNIT] == "[Service]\nExecStart=/opt/inner.sh\n"
    assert given.sysctls == {"net.core.somaxconn": "7"}
    assert "systemctl start boot" in given.commands
    assert found(cloud_config({BOOT: script})).sysctls == {}


def test_a_script_that_runs_itself_is_read_once_and_a_long_chain_is_undecided() -> None:
    _, commands = run({BOOT: f"#!/bin/sh\n{BOOT}\n"}, [BOOT])
    assert [each.line for each in commands] == [BOOT, "#!/bin/sh", BOOT]
    chain = {f"/s{each}": f"sh /s{each + 1}\n" for each in range(DEPTH_MAX)}
    row = [{"path": path, "content": text} for path, text in chain.items()]
    text = "#cloud-config\n" + yaml.safe_dump({"write_files": row, "runcmd": ["sh /s0"]})
    assert read(text, encoded=False) == Unknown("scripts that run scripts")
    shorter = text.replace(f"sh /s{DEPTH_MAX - 1}\n", "true\n")
    assert isinstance(read(shorter, encoded=False), UserData)
