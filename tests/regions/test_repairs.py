"""What a user, a crash or another program spoils, and what `up` and `down` make of it."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kilonode.clouds.local.host import cgroup, names, netns, paths, sweep
from ops.engine import Engine
from ops.ready import Region
from ops.stack import Stack
from tests.clouds.local.conftest import wait_until
from tests.regions.conftest import ONE_OF_EACH, Home
from tests.regions.test_killed_up import Run, reach

pytestmark = [pytest.mark.region, pytest.mark.engine]


@pytest.fixture(scope="module")
def stack(home: Home) -> Iterator[Stack]:
    with home.running(ONE_OF_EACH) as (made, _):
        yield made


def whole(stack: Stack) -> bool:
    region = Region(stack)
    return all(count.complete for count in (region.members(), region.api_servers(), region.nodes()))


def without_bridge(stack: Stack) -> None:
    subprocess.run(["ip", "-n", names.netns(stack.spec.name), "link", "delete", netns.BRIDGE], check=True)


def with_a_port_unplugged(stack: Stack) -> None:
    port = names.port(stack.spec.name, stack.plan.load_balancer.name)
    subprocess.run(["ip", "-n", names.netns(stack.spec.name), "link", "set", port, "nomaster"], check=True)


def with_half_a_machine(stack: Stack) -> None:
    machine = stack.plan.load_balancer.name
    cgroup.end(stack.spec.name, machine)
    shutil.rmtree(paths.machine(stack.spec.name, machine) / "upper")


def private(stack: Stack) -> list[Path]:
    """A key of the operator, and one that a node joined with."""
    folder = paths.region(stack.spec.name) / "secrets"
    return [
        folder / "operator/client.key",
        folder / stack.plan.machine_pools[0].nodes[0].name / "kubelet/bootstrap.key",
    ]


def with_open_secrets(stack: Stack) -> None:
    for file in private(stack):
        file.chmod(0o666)


@pytest.mark.parametrize("spoil", [without_bridge, with_a_port_unplugged, with_half_a_machine, with_open_secrets])
def test_up_repairs_a_region(home: Home, stack: Stack, spoil: Callable[[Stack], None]) -> None:
    spoil(stack)
    home.ops("up", stack)
    wait_until(lambda: whole(stack))
    assert [file.stat().st_mode & 0o777 for file in private(stack)] == [0o400, 0o400]


def test_machines_without_a_record_are_refused_and_not_adopted_with_new_keys(home: Home, stack: Stack) -> None:
    hidden = home.folder / "hidden"
    hidden.mkdir()
    moved = {record: record.rename(hidden / record.name) for record in Engine(stack).records if record.is_file()}
    try:
        done = home.ops("up", stack, check=False)
        assert done.returncode == 1
        assert "its record is gone" in done.stderr
        wait_until(lambda: whole(stack))
    finally:
        for record, kept in moved.items():
            kept.rename(record)


def test_down_needs_no_readable_record(home: Home, stack: Stack) -> None:
    record = next(file for file in Engine(stack).records if file.name.endswith(".json"))
    record.write_text('{"ver')
    home.ops("down", stack)
    assert sweep.leftovers(stack.spec.name) == []
    assert Engine(stack).records == []


def test_down_waits_for_an_engine_whose_command_was_killed(home: Home) -> None:
    stack = home.stack(ONE_OF_EACH)
    run = Run(home, stack)
    try:
        reach(run, lambda run: run.printed("Updating"))
        os.kill(run.process.pid, signal.SIGKILL)
        run.process.wait()
        home.ops("down", stack)
        end = time.monotonic() + 5
        while time.monotonic() < end:
            assert sweep.leftovers(stack.spec.name) == []
            time.sleep(0.5)
    finally:
        run.kill()
        sweep.sweep(stack.spec.name)
