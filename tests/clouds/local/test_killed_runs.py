"""Runs killed with SIGKILL at any point, and what cleans up after them."""

import os
import pickle
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from kilonode.clouds.local.host import cgroup, images, layer, machines, sweep
from tests.clouds.local.conftest import BASE, PATIENCE, Region, wait_until

pytestmark = pytest.mark.region

MAKE_REGION = """
import pickle, sys
from kilonode.clouds.local.host import machines, netns
network, specs = pickle.load(sys.stdin.buffer)
print("begin", flush=True)
netns.ensure(network)
for spec in specs:
    machines.ensure(spec)
print("end", flush=True)
"""

BUILD = """
import pickle, sys
from kilonode.clouds.local.host import images
images.build(pickle.load(sys.stdin.buffer), lambda line: print(line, flush=True))
"""


def start(script: str, argument: object) -> subprocess.Popen[bytes]:
    run = subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )
    assert run.stdin is not None
    run.stdin.write(pickle.dumps(argument))
    run.stdin.close()
    return run


def kill_after(run: subprocess.Popen[bytes], milliseconds: int) -> None:
    with suppress(subprocess.TimeoutExpired):
        run.wait(milliseconds / 1000)
    with suppress(ProcessLookupError):
        os.killpg(run.pid, signal.SIGKILL)
    run.wait()


@pytest.mark.parametrize("milliseconds", [0, 10, 20, 30, 45, 60, 80, 110, 150, 250])
def test_a_run_killed_at_any_point_is_swept_without_a_trace(region: Region, milliseconds: int) -> None:
    sweep.sweep(region.name)
    run = start(MAKE_REGION, (region.network, [region.spec(f"m{each}", 10 + each) for each in range(4)]))
    assert run.stdout is not None
    assert run.stdout.readline() == b"begin\n"
    kill_after(run, milliseconds)
    sweep.sweep(region.name)
    assert sweep.leftovers(region.name) == []


@pytest.mark.parametrize("milliseconds", [15, 40, 70, 120])
def test_the_next_run_completes_what_a_killed_one_began(region: Region, milliseconds: int) -> None:
    specs = [region.spec(f"m{each}", 10 + each) for each in range(3)]
    run = start(MAKE_REGION, (region.network, specs))
    assert run.stdout is not None
    assert run.stdout.readline() == b"begin\n"
    kill_after(run, milliseconds)
    again = start(MAKE_REGION, (region.network, specs))
    assert again.wait(PATIENCE) == 0
    assert all(machines.running(region.name, spec.machine) for spec in specs)


def test_two_runs_at_once_start_one_machine(region: Region) -> None:
    runs = [start(MAKE_REGION, (region.network, [region.spec()])) for _ in range(2)]
    assert [run.wait(PATIENCE) for run in runs] == [0, 0]
    leaders = [pid for pid in cgroup.pids(region.name) if cgroup.namespaced_pids(pid)[1:] == [1]]
    assert len(leaders) == 1


def test_a_killed_build_of_debian_stops_and_leaves_no_layer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KILONODE_CACHE", str(tmp_path / "cache"))
    spec = images.ImageSpec(files=layer.read_tree(BASE))
    run = start(BUILD, spec)
    assert run.stdout is not None
    for line in run.stdout:
        if b"extracting" in line:
            break
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    wait_until(lambda: not _users_of(tmp_path))
    assert not images.present(images.describe(spec))


def _users_of(folder: Path) -> list[str]:
    """Processes whose command line or root names the folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().decode(errors="replace")
            root = str((process / "root").readlink())
        except OSError:
            continue
        if str(folder) in words or root.startswith(str(folder)):
            found.append(f"{process.name} {words}")
    return found
