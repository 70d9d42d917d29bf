"""`make up` killed with -9, engine and provider with it, at any of its points; `make down` then leaves nothing."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from kilonode.clouds.local.host import cgroup, netns, paths, sweep
from ops.ready import Region
from ops.stack import CLONE, Stack
from tests.clouds.local.conftest import PATIENCE, wait_until
from tests.regions.conftest import ONE_OF_EACH, Home, HostSettings

pytestmark = [pytest.mark.region, pytest.mark.engine]

MACHINES = 5


class Run:
    """A `make up` under way."""

    def __init__(self, home: Home, stack: Stack) -> None:
        self.stack, self.home = stack, home
        self.output = home.folder / f"up-{time.monotonic_ns()}.log"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ops", "up", str(stack.file)], cwd=CLONE, env=home.environment, stdin=subprocess.DEVNULL,
            stdout=self.output.open("w"), stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip

    def printed(self, text: str) -> bool:
        return text in self.output.read_text()

    def nodes(self) -> list[str]:
        """Nodes whose machines run."""
        region, pools = self.stack.spec.name, self.stack.plan.machine_pools
        return [node.name for pool in pools for node in pool.nodes if cgroup.leader(region, node.name) is not None]

    def runs(self, program: str) -> bool:
        """Whether a node has a process of that name."""
        return any(program == command(pid) for name in self.nodes() for pid in cgroup.pids(self.stack.spec.name, name))

    def running(self) -> int:
        region = self.stack.spec.name
        return sum(cgroup.leader(region, machine.name) is not None for machine in self.stack.plan.machines)

    def recorded(self) -> int:
        """Machines in the engine's own record."""
        return self.resources("local:Machine")

    def resources(self, kind: str) -> int:
        """Resources of a type in the engine's own record."""
        file = self.home.folder / "home/state/.pulumi/stacks/kilonode" / f"{self.stack.name}.json"
        try:
            resources = json.loads(file.read_text())["checkpoint"]["latest"].get("resources") or []
        except (OSError, ValueError, KeyError, AttributeError):
            return 0
        return sum(resource["type"].endswith(kind) for resource in resources)

    def kill(self) -> None:
        """Kill the command, the engine, the program and the provider; the machines have a session of their own."""
        if self.process.poll() is not None:
            return
        for pid in [self.process.pid, *descendants(self.process.pid)]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.process.wait()


def command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def descendants(root: int) -> list[int]:
    parents: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, IndexError):
            continue
    found = [root]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return found[1:]


POINTS: dict[str, Callable[[Run], bool]] = {
    "before the engine starts": lambda run: run.printed("== machines"),
    "when the engine begins": lambda run: run.printed("Updating"),
    "when the network is there": lambda run: netns.exists(run.stack.spec.name),
    "when key material is being made": lambda run: run.printed("MachineCredentials"),
    "when the first machine's folder is there": lambda run: any(
        (paths.region(run.stack.spec.name) / "machines").glob("*")
    ),
    "between making a machine and recording it": lambda run: run.running() > run.recorded(),
    "when half of the machines run": lambda run: run.running() * 2 >= MACHINES,
    "when the first machine is recorded": lambda run: run.recorded() > 0,
    "between making a node and recording its pool": lambda run: (
        bool(run.nodes()) and not run.resources("local:NodePool")
    ),
    "when the engine is done": lambda run: run.printed("== control plane"),
    "when nodes register": lambda run: run.printed("== nodes"),
    "when a node loads its images": lambda run: run.runs("preload-images"),
    "when a node joins": lambda run: run.runs("kubelet"),
}


def reach(run: Run, point: Callable[[Run], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not point(run):
        assert run.process.poll() is None, run.output.read_text()[-3000:]
        assert time.monotonic() < end, run.output.read_text()[-3000:]
        time.sleep(0.005)


@pytest.mark.parametrize("point", POINTS)
def test_down_leaves_nothing_after_up_was_killed(home: Home, point: str) -> None:
    host, stack = HostSettings(), home.stack(ONE_OF_EACH)
    run = Run(home, stack)
    try:
        reach(run, POINTS[point])
        run.kill()
        home.ops("down", stack)
        assert sweep.leftovers(stack.spec.name) == []
        assert host.changes() == {}
    finally:
        run.kill()
        sweep.sweep(stack.spec.name)


def test_up_completes_what_a_killed_up_began(home: Home) -> None:
    stack = home.stack(ONE_OF_EACH)
    run = Run(home, stack)
    try:
        reach(run, POINTS["between making a machine and recording it"])
        run.kill()
        home.ops("up", stack)
        wait_until(lambda: Region(stack).members().complete)
        assert "unchanged" in home.ops("up", stack).stdout
    finally:
        run.kill()
        home.ops("down", stack, check=False)
        sweep.sweep(stack.spec.name)
