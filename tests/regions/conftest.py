"""Whole regions on this machine: each with its own name, range and home, and gone when its test is done."""

import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from kilonode.clouds.local.host import names, sweep
from kilonode.network.slots import FIXED_PREFIX
from ops.stack import CLONE, Stack, open_stack
from tests.clouds.local.conftest import free_network, sysctls
from tests.conftest import SMALL

POOL = SMALL["nodePools"][0] | {"nodes": 8}  # 30 pods each: room for the 200 that verification schedules
WORKERS = SMALL["nodePools"][1]
ONE_OF_EACH = SMALL | {"nodePools": [POOL, WORKERS | {"nodes": 1}]}
FULL = SMALL | {
    "nodePools": [POOL, WORKERS],
    "ceiling": 1000,
    "etcd": [{"name": "main"}, {"name": "events"}],
    "apiServers": {"count": 5},
}
UP_SECONDS = 1800  # a minute on an idle host


SHARED = ("fs.inotify.max_user_instances", "user.max_inotify_instances")
"""Raised while any region is up; the kernel shows it under both names."""


class HostSettings:
    """The host's kernel settings at one time."""

    def __init__(self) -> None:
        # Others are looked for before too: one may go while the settings are read.
        before = sweep.regions()
        self.rows, self.others = sysctls(), {*before, *sweep.regions()}

    def changes(self) -> dict[str, tuple[str | None, str | None]]:
        """What is otherwise now, without what belongs to other regions that were there then, or are now."""
        before = sweep.regions()
        now, others = sysctls(), {*self.others, *before, *sweep.regions()}
        theirs = (*SHARED, *(f".{names.host_link(region)}." for region in others)) if others else ()
        changed = {key for key in self.rows.keys() | now.keys() if self.rows.get(key) != now.get(key)}
        return {
            key: (self.rows.get(key), now.get(key))
            for key in sorted(changed)
            if not any(each in key for each in theirs)
        }


class Home:
    """A home for the state of test regions, apart from any other on this machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def environment(self) -> dict[str, str]:
        """For the commands a user would type."""
        return os.environ | {"KILONODE_HOME": str(self.folder / "home")}

    def stack(self, settings: dict[str, Any], name: str | None = None) -> Stack:
        """A stack file of a new name, with a range nothing on this host uses."""
        name = name or f"t{secrets.token_hex(3)}"
        settings = deepcopy(settings) | {"name": name}
        block = free_network(name, lambda: f"10.{130 + secrets.randbelow(110)}.0.0/20").ranges[0]
        settings["network"] = {"range": str(block)}
        ranges = list(block.subnets(new_prefix=FIXED_PREFIX))[1:]
        for pool, place in zip(settings["nodePools"], ranges, strict=False):
            pool["range"] = str(place)
        return self.write(name, settings)

    def write(self, name: str, settings: dict[str, Any]) -> Stack:
        """Write a stack file as a person would edit it."""
        file = self.folder / f"Pulumi.{name}.yaml"
        file.write_text(yaml.safe_dump({"config": {"kilonode:region": settings}}, sort_keys=False))
        return open_stack(file)

    def edited(self, stack: Stack, **changes: Any) -> Stack:
        """The stack with some of its settings changed."""
        settings = stack.spec.model_dump(by_alias=True, mode="json", exclude_none=True)
        return self.write(stack.name, settings | changes)

    def ops(self, verb: str, stack: Stack, *, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a verb of the Makefile to its end."""
        command = [sys.executable, "-m", "ops", verb, str(stack.file)]
        done = subprocess.run(
            command, cwd=CLONE, env=self.environment, capture_output=True, text=True, timeout=UP_SECONDS, check=False
        )
        if check and done.returncode:
            raise AssertionError(f"{verb} ended with {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
        return done

    @contextmanager
    def running(self, settings: dict[str, Any]) -> Iterator[tuple[Stack, str]]:
        """A region that is up, with what `up` printed; removed at the end, whatever happened."""
        stack = self.stack(settings)
        try:
            yield stack, self.ops("up", stack).stdout
        finally:
            self.ops("down", stack, check=False)
            sweep.sweep(stack.spec.name)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """A home that this process and the commands it starts use."""
    made = Home(tmp_path_factory.mktemp("regions"))
    before = os.environ.get("KILONODE_HOME")
    os.environ["KILONODE_HOME"] = made.environment["KILONODE_HOME"]
    yield made
    if before is None:
        del os.environ["KILONODE_HOME"]
    else:
        os.environ["KILONODE_HOME"] = before
