"""`make up`: tools, image, engine, and then wait until the region serves."""

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager

import toolchain
from kilonode.clouds.local.archives import asked
from kilonode.clouds.local.cloud import image_spec, network_spec
from kilonode.clouds.local.host.netns import refuse_overlaps
from kilonode.clouds.local.host.paths import home, make_private
from kilonode.clouds.local.host.sweep import leftovers, sweep
from kilonode.clouds.local.image import build
from ops.engine import TOOLS, Engine, EngineError
from ops.nodes import forget_gone
from ops.ready import Region, table
from ops.stack import Stack


class Phases:
    """Seconds each phase took, in order."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Time what is done inside, and say that it begins."""
        print(f"== {name}", flush=True)
        begin = time.monotonic()
        yield
        self.seconds[name] = time.monotonic() - begin


PROGRAMS = ("systemd-nspawn", "mmdebstrap", "ip", "nsenter", "unshare", "setpriv", "busybox")
"""What the local cloud runs on this host; the Makefile's PACKAGES bring it."""

ROOM = 2 * 2**30
"""Bytes free on the disk of regions: fifteen machines write some hundred megabytes of logs and etcd data at once."""


class HostError(RuntimeError):
    """This host, or this user, cannot run machines; the text says what is missing and how to get it."""


def require_host(*, room: bool = True) -> None:
    """Refuse at once where machines cannot be run, or where there is no room for them.

    Raises:
        HostError: naming everything that is missing.
    """
    if os.geteuid() != 0:
        raise HostError("machines, namespaces and mounts need root; run it again as root")
    found = []
    if lacking := [name for name in PROGRAMS if not shutil.which(name)]:
        found.append(f"not on PATH: {', '.join(lacking)}; `make setup` installs what is missing (Debian 12)")
    free = shutil.disk_usage(make_private(home())).free
    if room and free < ROOM:
        found.append(
            f"{home()} has {free >> 20} MiB free, a region needs {ROOM >> 20}; make room, or set KILONODE_HOME"
        )
    if found:
        raise HostError("\n".join(found))


def up(stack: Stack) -> None:
    """Bring the stack's region to what its file says; safe to run again at any time."""
    require_host()
    for pool in stack.spec.machine_pools:
        asked(pool)
    phases = Phases()
    with stack.alone() as lock:
        stack.claim()
        engine = Engine(stack, lock)
        if not engine.exists():
            # A living region's own routes are there, and its record refuses another range with a better reason.
            refuse_overlaps(network_spec(stack.plan))
        with phases.phase("tools"):
            toolchain.ensure(TOOLS)
            refuse_unrecorded(engine)
            os.environ["PATH"] = engine.environment()["PATH"]
        with phases.phase("image"):
            build(image_spec(), lambda line: print(f"   {line}", flush=True))
        with phases.phase("machines"):
            engine.select()
            engine.act("up", "--yes", "--refresh", "--skip-preview", "--suppress-outputs")
        region = Region(stack)
        with phases.phase("control plane"):
            members, servers, *_ = region.wait_control_plane()
        with phases.phase("nodes"):
            for name in forget_gone(region):
                print(f"   {name}: its old machine is gone, its Node is removed", flush=True)
            (nodes,) = region.wait_nodes()
    print(table(region, [members, servers, nodes], phases.seconds))


def down(stack: Stack) -> None:
    """Remove everything of the stack's region, whatever state a stopped run left it in."""
    require_host(room=False)
    with stack.alone() as lock:
        stack.refuse_taken()
        names = sorted(stack.region_names())
        toolchain.ensure(["pulumi"])
        engine = Engine(stack, lock, ("pulumi",))
        if engine.exists():
            print("   deleting the region's resources", flush=True)
            try:
                engine.select()
                engine.destroy()
            except EngineError as fault:
                print(f"   {fault}; what is left is removed without it", flush=True)
        for line in (line for name in names for line in sweep(name)):
            print(f"   removed {line}")
        left = [line for name in names for line in leftovers(name)]
        if left:
            raise RuntimeError("still there: " + "; ".join(left))
        engine.forget()
        stack.forget()
    print(f"{stack.spec.name}: nothing is left")


def refuse_unrecorded(engine: Engine) -> None:
    """Refuse machines the engine has no record of: with new keys they would never speak to each other again.

    Raises:
        HostError: when the region has machines and the engine no record.
    """
    name = engine.stack.spec.name
    if not engine.exists() and any(line.startswith(("process", "folder")) for line in leftovers(name)):
        raise HostError(
            f"region {name} has machines on this host, but its record is gone from {home() / 'state'}; "
            "put the record back, or remove the region with `make down`"
        )
