"""A region of a benchmark's own: a name, a range and a home that nothing else on this host has, and nothing left behind."""

import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from pathlib import Path
from typing import Any

from kilonode.clouds.local.host import cgroup, netns, sweep
from kilonode.network.slots import OPERATOR_OFFSET, edge_address
from kilonode.refusal import RefusedError
from kilonode.region.settings import KEY
from ops.ready import Region
from ops.stack import CLONE, open_stack
from ops.variable import variable

PLACE_PREFIX = 20
"""Each pool's part of the range, room for 4,091 addresses; the first part is the fixed machines'."""

Settings = Callable[[IPv4Address], dict[str, Any]]
"""A region's settings, given the operator's address, where this host can serve the region; ranges are filled in."""

DRAWS = 100
TAIL = 3000  # characters of a failed command that are shown


class Throwaway:
    """A region that may go up and down several times."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        name = f"b{secrets.token_hex(3)}"
        block = _free_block(name)
        wanted = settings(edge_address(block, OPERATOR_OFFSET))
        places = list(block.subnets(new_prefix=PLACE_PREFIX))[1:]
        pools = [pool | {"range": str(place)} for pool, place in zip(wanted["nodePools"], places, strict=False)]
        whole = wanted | {"name": name, "network": {"range": str(block)}, "nodePools": pools}
        file = folder / f"Pulumi.{name}.yaml"
        # JSON is YAML without aliases, which stack files may not have.
        file.write_text(json.dumps({"config": {KEY: whole}}, indent=1), encoding="utf-8")
        self.name, self.stack = name, open_stack(file)

    @property
    def region(self) -> Region:
        """The running region as its operator sees it."""
        return Region(self.stack)

    def up(self) -> float:
        """Make it; seconds it took."""
        return self._ops("up")

    def down(self) -> float:
        """Remove it; seconds it took."""
        return self._ops("down")

    def memory(self) -> int:
        """Bytes its machines use, less the page cache."""
        return cgroup.memory_bytes(self.name)

    def _ops(self, verb: str) -> float:
        command = [sys.executable, "-m", "ops", verb, str(self.stack.file)]
        begin = time.monotonic()
        # A session of its own: Ctrl-C at the terminal reaches it once, from here.
        child = subprocess.Popen(
            command,
            cwd=CLONE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            start_new_session=True,
        )
        try:
            said, _ = child.communicate()
        except KeyboardInterrupt:
            with undisturbed():
                os.killpg(child.pid, signal.SIGINT)
                child.communicate()
            raise
        if child.returncode:
            raise RuntimeError(f"{verb} {self.name} ended with {child.returncode}\n{said[-TAIL:]}")
        return time.monotonic() - begin


@contextmanager
def throwaway(settings: Settings) -> Iterator[Throwaway]:
    """A region that is not up yet; whatever happens, nothing of it stays."""
    with (
        tempfile.TemporaryDirectory(prefix="kilonode-bench-") as folder,
        variable("KILONODE_HOME", str(Path(folder) / "home")),
    ):
        made = Throwaway(Path(folder), settings)
        try:
            yield made
        finally:
            with undisturbed():
                try:
                    made.down()
                finally:
                    sweep.sweep(made.name)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Ctrl-C is not heard meanwhile: half a clean-up is none."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _free_block(name: str) -> IPv4Network:
    """A /17 that this host does not use.

    Raises:
        RefusedError: when a hundred draws were all taken.
    """
    for draw in range(1, DRAWS + 1):
        block = IPv4Network(f"10.{100 + secrets.randbelow(30)}.{128 * secrets.randbelow(2)}.0/17")
        first, second = (IPv4Interface(f"{block[place]}/{block.prefixlen}") for place in (1, 2))
        try:
            netns.refuse_overlaps(netns.NetworkSpec(name, (block,), first, second))
        except RefusedError:
            if draw == DRAWS:
                raise
            continue
        break
    return block
