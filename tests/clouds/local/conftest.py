"""Regions for tests: unique names, ranges of their own, a home of their own, and nothing left behind."""

import secrets
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Interface, IPv4Network
from pathlib import Path

import pytest

import kilonode.boot
from kilonode.clouds.local.host import images, inside, layer, machines, netns, sweep
from kilonode.clouds.local.host.machines import MachineSpec
from kilonode.clouds.local.host.nspawn import Bind
from kilonode.refusal import RefusedError

PATIENCE = 300.0  # seconds; seconds on an idle host are minutes on a slow one that is busy

BASE = Path(kilonode.boot.__file__).parent / "rootfs" / "base"

USER_DATA = """#cloud-config
write_files:
  - path: /etc/kilonode-test/written
    content: by cloud-init
  - path: /etc/systemd/system/probe.service
    content: |
      [Service]
      Type=oneshot
      LoadCredential=word:/etc/kilonode-test/written
      ExecStart=/bin/sh -c 'cat $CREDENTIALS_DIRECTORY/word >/run/credential-read'
runcmd:
  - [sh, -c, 'echo ran >>/etc/kilonode-test/ran']
  - [systemctl, daemon-reload]
  - [systemctl, start, probe.service]
"""


@dataclass(frozen=True)
class Region:
    """A region of one test and what a test does with it."""

    name: str
    network: netns.NetworkSpec
    image: images.BuiltImage

    def spec(self, machine: str = "m1", number: int = 10, *, user_data: str = USER_DATA, **more: object) -> MachineSpec:
        known = {"region": self.name, "image": self.image.id, "layers": tuple(map(str, self.image.layers))}
        place = {"address": f"{self.network.ranges[0][number]}/24", "gateway": str(self.network.gateway.ip)}
        return MachineSpec(machine=machine, user_data=user_data, **known, **place, **more)  # type: ignore[arg-type]

    def boot(self, machine: str = "m1", number: int = 10, *, binds: tuple[Bind, ...] = ()) -> MachineSpec:
        """Start a machine and wait until cloud-init has done all of its boot data."""
        spec = self.spec(machine, number, binds=binds)
        machines.ensure(spec)
        self.wait_booted(machine)
        return spec

    def wait_booted(self, machine: str = "m1") -> None:
        wait_until(lambda: self.says(machine, "systemctl is-active cloud-init.target") == "active")

    def says(self, machine: str, command: str) -> str:
        return inside.run_in(self.name, machine, ["sh", "-c", command]).stdout.strip()


def wait_until(true: Callable[[], bool], seconds: float = PATIENCE) -> None:
    """Poll until ``true``. Nobody needs less patience than the slowest machine of the project's."""
    give_up = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < give_up, f"not within {seconds} s"
        time.sleep(0.02)


def free_network(region: str, draw: Callable[[], str] | None = None) -> netns.NetworkSpec:
    """A block that this host does not use: one that ``draw`` proposes, or a /24 of 10.250.0.0/16."""
    for _ in range(100):
        base = IPv4Network(draw() if draw else f"10.250.{secrets.randbelow(256)}.0/24")
        first, second = (IPv4Interface(f"{base[place]}/{base.prefixlen}") for place in (1, 2))
        spec = netns.NetworkSpec(region, (base,), first, second)
        try:
            netns.refuse_overlaps(spec)
        except RefusedError:
            continue
        return spec
    raise AssertionError("a hundred blocks drawn, and this host uses them all")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of the test's own; folders of machines hold files no ordinary path limit fits, so it is near the root."""
    monkeypatch.setenv("KILONODE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture(scope="session")
def image() -> images.BuiltImage:
    """The base image, from the host's cache or made once."""
    return images.build(images.ImageSpec(files=layer.read_tree(BASE)), lambda _line: None)


@pytest.fixture
def make_region(home: Path, image: images.BuiltImage) -> Iterator[Callable[[str], Region]]:
    """Make regions with networks; each is swept afterwards, whatever happened."""
    made: list[str] = []

    def make(name: str) -> Region:
        made.append(name)
        network = free_network(name)
        netns.ensure(network)
        return Region(name, network, image)

    try:
        yield make
    finally:
        for name in made:
            sweep.sweep(name)
        assert [sweep.leftovers(name) for name in made] == [[] for _ in made]


@pytest.fixture
def region(make_region: Callable[[str], Region]) -> Region:
    """One region with a network."""
    return make_region(unique())


def unique() -> str:
    return f"t{secrets.token_hex(4)}"


def sysctls() -> dict[str, str]:
    """The host's settings, without those that count or draw lots and so never stand still."""
    moving = (
        "kernel.random",
        "fs.dentry-state",
        "fs.inode",
        "fs.file-nr",
        "kernel.ns_last_pid",
        "kernel.pty.nr",
        "fs.aio-nr",
        "fs.quota.",
        "net.netfilter.nf_conntrack_count",
        "kernel.hung_task_detect_count",
        "kernel.perf_event_max_sample_rate",  # the kernel lowers it on a machine that is too slow for it
    )
    printed = subprocess.run(["sysctl", "-a"], capture_output=True, text=True, check=False).stdout
    rows = (line.split(" = ", 1) for line in printed.splitlines() if " = " in line)
    return {key: value for key, value in rows if not key.startswith(moving)}
