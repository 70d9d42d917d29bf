"""The resources in the real engine: what states hold, what refresh sees, what an interrupted run leaves."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import kilonode
import toolchain
from kilonode.clouds.local.host import cgroup, images, inside, machines, netns, paths, sweep
from ops.record import mend
from tests.clouds.local.conftest import free_network, unique, wait_until

pytestmark = [pytest.mark.region, pytest.mark.engine]

CANARY = "canary-0f6e2b"

PROGRAM = """
import json, os
import pulumi
from kilonode.clouds.local.disk import Disk, SharedFolder
from kilonode.clouds.local.host import paths
from kilonode.clouds.local.host.nspawn import Bind
from kilonode.clouds.local.machine import Machine
from kilonode.clouds.local.network import Network
from kilonode.clouds.local.secrets import MachineSecrets

given = json.loads(os.environ["GIVEN"])
region = given["region"]
network = Network("network", region=region, **given["network"])
shared = SharedFolder("shared", region=region, folder="marks")
for machine, address in given["machines"].items():
    disk = Disk(f"{machine}-disk", region=region, disk=machine)
    secrets = MachineSecrets(f"{machine}-secrets", region=region, machine=machine, files={"key": given["secret"]})
    binds = [
        Bind(str(paths.disk(region, machine)), "/var/lib/etcd"),
        Bind(str(paths.secrets(region, machine)), "/run/secrets", read_only=True),
    ]
    Machine(
        machine, region=region, machine=machine, address=address, gateway=given["gateway"], image=given["image"],
        layers=given["layers"], user_data=given["user_data"], binds=binds,
        opts=pulumi.ResourceOptions(depends_on=[network, disk, secrets, shared]),
    )
"""


@dataclass
class Stack:
    """A stack of the program above and what the engine is told to do with it."""

    folder: Path
    given: dict[str, Any]

    @property
    def environment(self) -> dict[str, str]:
        path = [str(Path(sys.executable).parent), str(toolchain.locate("pulumi")), os.environ["PATH"]]
        return os.environ | {
            "PATH": os.pathsep.join(path),
            "PYTHONPATH": str(Path(kilonode.__file__).parents[1]),
            "PULUMI_HOME": str(self.folder / "home"),
            "PULUMI_BACKEND_URL": f"file://{self.folder / 'state'}",
            "PULUMI_CONFIG_PASSPHRASE": "test",
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "GIVEN": json.dumps(self.given),
        }

    def pulumi(self, *words: str) -> str:
        done = subprocess.run(
            ["pulumi", *words, "--non-interactive"],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def up(self, *words: str) -> str:
        return self.pulumi("up", "--yes", "--skip-preview", *words)

    def start_up(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            ["pulumi", "up", "--yes", "--skip-preview", "--non-interactive"],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def resources(self) -> dict[str, dict[str, Any]]:
        state = json.loads(self.pulumi("stack", "export"))
        return {each["urn"].rpartition("::")[2]: each for each in state["deployment"]["resources"]}


@pytest.fixture
def stack(tmp_path: Path, home: Path, image: images.BuiltImage) -> Iterator[Stack]:
    assert not home.exists()
    region = unique()
    network = free_network(region)
    base = network.ranges[0]
    given = {
        "region": region,
        "network": {"ranges": [str(base)], "gateway": str(network.gateway), "host_address": str(network.host_address)},
        "gateway": str(network.gateway.ip),
        "machines": {f"m{number}": f"{base[10 + number]}/24" for number in range(3)},
        "image": image.id,
        "layers": [str(layer) for layer in image.layers],
        "user_data": "#cloud-config\nruncmd: [[touch, /root/booted]]\n",
        "secret": CANARY,
    }
    made = Stack(tmp_path / "program", given)
    (made.folder / "state").mkdir(parents=True)
    (made.folder / "Pulumi.yaml").write_text("name: regions\nruntime: python\n")
    (made.folder / "__main__.py").write_text(PROGRAM)
    try:
        made.pulumi("stack", "init", "test")
        yield made
    finally:
        sweep.sweep(region)


def test_a_region_comes_up_stays_unchanged_and_goes_without_a_trace(stack: Stack) -> None:
    stack.up()
    region = stack.given["region"]
    assert [machines.running(region, machine) for machine in stack.given["machines"]] == [True] * 3
    stack.pulumi("preview", "--expect-no-changes")
    stack.pulumi("refresh", "--yes", "--expect-no-changes")
    stack.pulumi("destroy", "--yes", "--skip-preview")
    assert sweep.leftovers(region) == []


def test_a_secret_is_on_the_machine_and_nowhere_readable_in_state(stack: Stack) -> None:
    stack.up()
    key = paths.secrets(stack.given["region"], "m1") / "key"
    assert key.read_text() == CANARY
    key.unlink()
    stack.pulumi("refresh", "--yes", "--skip-preview")
    stack.up()
    assert key.read_text() == CANARY
    assert "ciphertext" in json.dumps(stack.resources()["m1-secrets"]["inputs"]["files"])
    assert "ciphertext" in json.dumps(stack.resources()["m1-secrets"]["outputs"]["files"])
    states = [path for path in (stack.folder / "state").rglob("*") if path.is_file()]
    assert states
    assert [path for path in states if CANARY.encode() in path.read_bytes()] == []


def test_refresh_sees_a_dead_machine_and_the_next_run_starts_just_that_one(stack: Stack) -> None:
    stack.up()
    region = stack.given["region"]
    before = {machine: cgroup.leader(region, machine) for machine in stack.given["machines"]}
    cgroup.end(region, "m1")
    stack.pulumi("refresh", "--yes", "--skip-preview")
    assert {name: stack.resources()[name]["outputs"]["running"] for name in before} == {
        "m0": True,
        "m1": False,
        "m2": True,
    }
    assert "1 updated" in stack.up()
    after = {machine: cgroup.leader(region, machine) for machine in before}
    assert [machine for machine in before if after[machine] != before[machine]] == ["m1"]
    assert None not in after.values()


def test_after_a_power_cut_everything_comes_back_with_its_boot_hash(stack: Stack) -> None:
    stack.up()
    region = stack.given["region"]
    hashes = {name: stack.resources()[name]["outputs"]["boot_hash"] for name in stack.given["machines"]}
    cgroup.end(region)
    netns.remove(region)
    stack.up("--refresh")
    assert {name: stack.resources()[name]["outputs"]["boot_hash"] for name in hashes} == hashes
    assert all(machines.running(region, name) for name in hashes)


def test_other_boot_data_of_one_machine_replaces_that_machine_and_keeps_its_disk(stack: Stack) -> None:
    stack.up()
    region = stack.given["region"]
    (paths.disk(region, "m1") / "data").write_text("kept")
    before = {machine: cgroup.leader(region, machine) for machine in stack.given["machines"]}
    base = stack.given["machines"]["m1"].rpartition(".")[0]
    stack.given["machines"]["m1"] = f"{base}.99/24"
    assert "1 replaced" in stack.up()
    after = {machine: cgroup.leader(region, machine) for machine in before}
    assert [machine for machine in before if after[machine] != before[machine]] == ["m1"]
    wait_until(lambda: inside.run_in(region, "m1", ["cat", "/var/lib/etcd/data"]).stdout == "kept")


def test_a_range_the_host_uses_fails_the_preview_and_makes_nothing(stack: Stack) -> None:
    other = free_network(unique())
    netns.ensure(other)
    try:
        base = other.ranges[0]
        stack.given["network"] = {
            "ranges": [str(base)],
            "gateway": f"{base[1]}/24",
            "host_address": f"{base[2]}/24",
        }
        with pytest.raises(AssertionError, match="give the region another range"):
            stack.pulumi("preview")
        assert sweep.leftovers(stack.given["region"]) == []
    finally:
        sweep.sweep(other.region)


Condition = Callable[[str], bool]
POINTS: dict[str, Condition] = {
    "the network is made": netns.exists,
    "a machine's root is being made": lambda region: paths.machine(region, "m0").exists(),
    "a machine is made and perhaps not recorded": lambda region: machines.recorded_hash(region, "m1") is not None,
    "a machine has just started": lambda region: bool(cgroup.pids(region)),
    "the last machine runs": lambda region: machines.running(region, "m2"),
}


@pytest.mark.parametrize("point", POINTS)
def test_a_run_killed_as_a_whole_is_completed_by_the_next_or_swept_away(stack: Stack, point: str) -> None:
    region = stack.given["region"]
    run = stack.start_up()
    try:
        wait_until(lambda: POINTS[point](region))
    finally:
        _kill_tree(run)
    for record in stack.folder.glob("**/.pulumi/stacks/*/*.json"):
        mend(record)
    stack.pulumi("cancel", "--yes")
    stack.up("--refresh")
    assert all(machines.running(region, name) for name in stack.given["machines"])
    leaders = [pid for pid in cgroup.pids(region) if cgroup.namespaced_pids(pid)[1:] == [1]]
    assert len(leaders) == 3
    cgroup.end(region, "m0")
    sweep.sweep(region)
    assert sweep.leftovers(region) == []


def _kill_tree(run: subprocess.Popen[bytes]) -> None:
    """Kill the engine and its plugins, which have process groups of their own, but not what they started for good."""
    children = _descendants(run.pid)
    for pid in [run.pid, *children]:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    run.wait()


def _descendants(pid: int) -> list[int]:
    found: list[int] = []
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        found += [int(child), *_descendants(int(child))]
    return found
