"""What the image carries, judged by the image's own systemd, shell and Python."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kilonode.boot.image import EXECUTABLES, UNITS, machine_image
from kilonode.boot.machine import File
from kilonode.boot.sysctl import fixed_machine_rows
from kilonode.clouds.local.host import images
from kilonode.clouds.local.host.images import BuiltImage
from tests.oracles.machine import Machine

pytestmark = [pytest.mark.tools, pytest.mark.region]

FLOORS = f"{EXECUTABLES}sysctl-floors"
OURS = machine_image().files
SERVICES = [file for file in OURS if file.path.startswith(UNITS) and file.path.endswith(".service") and file.content]
SCRIPTS = [file for file in OURS if file.path.startswith(EXECUTABLES)]
SHELL = [file for file in SCRIPTS if file.content.startswith("#!/bin/sh")]
PYTHON = [file for file in SCRIPTS if file.content.startswith("#!/usr/bin/python3")]


@pytest.fixture(scope="module")
def machine(image: BuiltImage) -> Iterator[Machine]:
    with Machine(image, "files") as made:
        yield made


def host_value(key: str) -> int:
    return int(Path("/proc/sys", *key.split(".")).read_text())


def verified(machine: Machine, *units: str) -> str:
    """All that systemd-analyze has to say; nothing when all is well."""
    done = machine.run(["systemd-analyze", "verify", "--man=no", *units])
    said = (done.stdout + done.stderr).strip()
    assert said or not done.returncode
    return said


def test_systemd_finds_nothing_wrong_with_any_unit(machine: Machine) -> None:
    local = [f"/{file.relative_to(images.LOCAL_TREE)}" for file in images.LOCAL_TREE.rglob("*.service")]
    laid = [path for path in local if machine.read(path)]
    paths = [file.path for file in SERVICES] + laid + ["/lib/systemd/system/haproxy.service"]
    assert len(paths) > 8
    assert verified(machine, *paths, "multi-user.target") == ""


@pytest.mark.parametrize(
    ("unit", "old", "new", "says"),
    [
        ("etcd", "AssertPathIsMountPoint=", "AssertPathIsMounted=", "Unknown key 'AssertPathIsMounted'"),
        ("etcd", "[Service]", "[Servce]", "Unknown section 'Servce'"),
        ("etcd", "Type=notify", "Type=notified", "Failed to parse service type"),
        ("etcd", "RestartSec=2s", "RestartSec=2 blinks", "Failed to parse"),
        ("etcd", "ExecStart=/usr/local/bin/etcd ", "ExecStart=/usr/local/bin/etcdd ", "is not executable"),
        (
            "etcd",
            "ExecStart=/usr/local/bin/etcd ",
            "ExecStart=",
            "Neither a valid executable name nor an absolute path",
        ),
        ("kube-apiserver", "LimitNOFILE=1048576", "LimitNOFILE=many", "Failed to parse"),
        ("kube-apiserver", "NoNewPrivileges=yes", "NoNewPrivileges=perhaps", "Failed to parse"),
        ("kube-scheduler", "Restart=always", "Restart=allways", "Failed to parse"),
        ("kube-controller-manager", "ExecStart=", "ExecStarts=", "Unknown key 'ExecStarts'"),
    ],
)
def test_a_broken_unit_is_caught(machine: Machine, unit: str, old: str, new: str, says: str) -> None:
    path = f"{UNITS}{unit}.service"
    right = machine.read(path)
    assert old in right
    machine.write([File(path, right.replace(old, new, 1))])
    try:
        assert says in verified(machine, path)
    finally:
        machine.write([File(path, right)])


def test_each_service_in_the_image_runs_a_program_that_is_in_the_image(machine: Machine) -> None:
    for file in SERVICES:
        for line in file.content.splitlines():
            if line.startswith("ExecStart"):
                program = line.partition("=")[2].lstrip("+").split()[0]
                assert machine.path(program).stat().st_mode & 0o111, f"{file.path}: {program}"


@pytest.mark.parametrize("script", SHELL, ids=lambda file: file.path)
def test_shellcheck_finds_nothing_wrong(script: File, tmp_path: Path) -> None:
    copy = tmp_path / "script.sh"
    copy.write_text(script.content)
    shellcheck = Path(sys.executable).with_name("shellcheck")
    done = subprocess.run([shellcheck, "--shell=sh", copy], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
    copy.write_text(script.content.replace('"$1"', "$1"))
    broken = subprocess.run([shellcheck, "--shell=sh", copy], capture_output=True, text=True, check=False)
    assert broken.returncode == 1


@pytest.mark.parametrize("script", PYTHON, ids=lambda file: file.path)
def test_the_images_own_python_compiles(machine: Machine, script: File) -> None:
    done = machine.run(["/usr/bin/python3", "-W", "error", "-m", "py_compile", script.path])
    assert (done.returncode, done.stderr) == (0, "")
    machine.write(
        [File("/root/broken", script.content.replace("def main(", "def main((").replace("def say(", "def say(("))]
    )
    assert machine.run(["/usr/bin/python3", "-m", "py_compile", "/root/broken"]).returncode == 1


def test_no_script_is_left_unjudged() -> None:
    assert {file.path for file in SCRIPTS} == {file.path for file in (*SHELL, *PYTHON)}


class TestSysctlFloors:
    """On a machine with a network namespace of its own; the keys are that namespace's."""

    KEY = "net.core.somaxconn"

    def value(self, machine: Machine, key: str = KEY) -> int:
        return int(machine.run(["sysctl", "--values", key], check=True).stdout)

    def floors(self, machine: Machine, text: str, now: int) -> subprocess.CompletedProcess[str]:
        machine.run(["sysctl", "--write", f"{self.KEY}={now}"], check=True)
        machine.write([File("/root/floors", text)])
        return machine.run([FLOORS, "/root/floors"])

    def test_a_lower_value_is_raised(self, machine: Machine) -> None:
        done = self.floors(machine, f"{self.KEY} = 32768\n", now=4096)
        assert (done.returncode, done.stdout) == (0, f"{self.KEY}: 4096 -> 32768\n")
        assert self.value(machine) == 32_768

    def test_a_higher_value_is_never_lowered(self, machine: Machine) -> None:
        done = self.floors(machine, f"{self.KEY} = 32768\n", now=65535)
        assert (done.returncode, done.stdout) == (0, "")
        assert self.value(machine) == 65_535

    def test_a_missing_key_is_said_and_the_next_one_is_still_applied(self, machine: Machine) -> None:
        done = self.floors(machine, f"net.core.no_such_key = 1\n{self.KEY} = 32768\n", now=128)
        assert done.returncode == 0
        assert "net.core.no_such_key: not in this kernel namespace" in done.stdout
        assert self.value(machine) == 32_768

    def test_a_key_of_the_host_is_passed_over_in_a_container(self, machine: Machine) -> None:
        done = self.floors(machine, f"kernel.pid_max = 99999999\n{self.KEY} = 32768\n", now=128)
        assert done.returncode == 0
        assert "the host's to set" in done.stdout
        assert self.value(machine) == 32_768

    def test_the_rows_of_boot_data_are_what_it_reads(self, machine: Machine) -> None:
        rows = [row for row in fixed_machine_rows(100, reuses_addresses=False) if row.key.startswith("net.")]
        text = "".join(f"{row.key} = {row.value}\n" for row in rows)
        done = self.floors(machine, text, now=128)
        assert done.returncode == 0
        for key in (self.KEY, "net.ipv4.tcp_max_syn_backlog"):
            assert self.value(machine, key) == next(row.value for row in rows if row.key == key)

    def test_the_host_keeps_its_own_value(self, machine: Machine) -> None:
        before = host_value(self.KEY)
        self.floors(machine, f"{self.KEY} = {before + 1}\n", now=before)
        assert self.value(machine) == before + 1
        assert host_value(self.KEY) == before
