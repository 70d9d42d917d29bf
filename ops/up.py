"""`make up`: tools, image, engine, and then wait until the region serves."""

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager

import toolchain
from kilonode.clouds.local.cloud import image_spec, network_spec
from kilonode.clouds.local.host.netns import refuse_overlaps
from kilonode.clouds.local.host.sweep import leftovers, sweep
from kilonode.clouds.local.image import build
from ops.engine import TOOLS, Engine, EngineError
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


PROGRAMS = ("systemd-nspawn", "mmdebstrap", "ip", "nsenter", "unshare", "setpriv")


class HostError(RuntimeError):
    """This host, or this user, cannot run machines; the text says what is missing and how to get it."""


def require_host() -> None:
    """Refuse at once where machines cannot be run.

    Raises:
        HostError: naming everything that is missing.
    """
    if os.geteuid() != 0:
        raise HostError("machines, namespaces and mounts need root; run it again as root")
    lacking = [name for name in PROGRAMS if not shutil.which(name)]
    if lacking:
        raise HostError(f"not on PATH: {', '.join(lacking)}; `make setup` installs what is missing (Debian 12)")


def up(stack: Stack) -> None:
    """Bring the stack's region to what its file says; safe to run again at any time."""
    require_host()
    phases = Phases()
    with stack.alone():
        stack.claim()
        refuse_overlaps(network_spec(stack.plan))
        with phases.phase("tools"):
            toolchain.ensure(TOOLS)
            engine = Engine(stack)
            os.environ["PATH"] = engine.environment()["PATH"]
        with phases.phase("image"):
            build(image_spec(), lambda line: print(f"   {line}", flush=True))
        with phases.phase("machines"):
            engine.select()
            engine.act("up", "--yes", "--refresh", "--skip-preview", "--suppress-outputs")
        region = Region(stack)
        with phases.phase("control plane"):
            region.wait_control_plane()
        with phases.phase("nodes"):
            region.wait_nodes()
    print(table(region, phases.seconds))


def down(stack: Stack) -> None:
    """Remove everything of the stack's region, whatever state a stopped run left it in."""
    require_host()
    with stack.alone():
        stack.refuse_taken()
        toolchain.ensure(["pulumi"])
        engine, said = Engine(stack, ("pulumi",)), ""
        try:
            if engine.exists():
                engine.select()
                engine.destroy()
        except EngineError as fault:
            said = f"{fault}; what it could not delete was removed without it"
        for line in sweep(stack.spec.name):
            print(f"   removed {line}")
        left = leftovers(stack.spec.name)
        if left:
            raise RuntimeError("still there: " + "; ".join(left))
        if said:
            engine.forget()
            print(f"   {said}")
        stack.forget()
    print(f"{stack.spec.name}: nothing is left")
