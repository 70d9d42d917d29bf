"""What the image carries, judged by the image's own systemd, shell and Python."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kilonode.boot.image import machine_image
from kilonode.boot.machine import File
from kilonode.boot.templates import PROGRAM_FOLDER, UNIT_FOLDER
from kilonode.clouds.local.host import images, layer
from kilonode.clouds.local.host.images import BuiltImage
from tests.oracles.machine import Machine

pytestmark = [pytest.mark.tools, pytest.mark.region]

OURS = machine_image().files
SERVICES = [
    file for file in OURS if file.path.startswith(UNIT_FOLDER) and file.path.endswith(".service") and file.content
]
SCRIPTS = [file for file in OURS if file.path.startswith(PROGRAM_FOLDER)]
LOCAL = [file for file in layer.read_tree(images.LOCAL_TREE) if file.path.startswith(PROGRAM_FOLDER)]
SHELL = [file for file in (*SCRIPTS, *LOCAL) if file.content.startswith("#!/bin/sh")]
PYTHON = [file for file in SCRIPTS if file.content.startswith("#!/usr/bin/python3") or file.path.endswith(".py")]


@pytest.fixture(scope="module")
def machine(image: BuiltImage) -> Iterator[Machine]:
    with Machine(image, "files") as made:
        yield made


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
    path = f"{UNIT_FOLDER}{unit}.service"
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
    copy.write_text(f"{script.content}rm $1\n")
    broken = subprocess.run([shellcheck, "--shell=sh", copy], capture_output=True, text=True, check=False)
    assert broken.returncode == 1


@pytest.mark.parametrize("script", PYTHON, ids=lambda file: file.path)
def test_the_images_own_python_compiles(machine: Machine, script: File) -> None:
    done = machine.run(["/usr/bin/python3", "-W", "error", "-m", "py_compile", script.path])
    assert (done.returncode, done.stderr) == (0, "")
    machine.write([File("/root/broken", f"{script.content}\ndef broken((:\n")])
    assert machine.run(["/usr/bin/python3", "-m", "py_compile", "/root/broken"]).returncode == 1


def test_no_script_is_left_unjudged() -> None:
    assert {file.path for file in (*SCRIPTS, *LOCAL)} == {file.path for file in (*SHELL, *PYTHON)}
