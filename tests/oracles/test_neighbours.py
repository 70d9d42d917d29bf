"""Neighbour tables on a real kernel: the kernel's own thresholds overflow with 7,500 nodes, ours hold them.

The thresholds belong to the first network namespace and one table serves all, so these tests change the host's and put
them back. The neighbours are those of a throw-away network.
"""

import fcntl
import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface, IPv6Address
from pathlib import Path

import pytest

from kilonode.boot.machine import File
from kilonode.boot.neighbours import KERNEL_DEFAULT
from kilonode.boot.sysctl import neighbour_rows
from kilonode.boot.templates import tree
from tests.clouds.local.conftest import sysctls
from tests.oracles.machine import wait_for
from tests.oracles.network import BRIDGE, Network

pytestmark = pytest.mark.region

NODES = 7_500
SETTINGS = ("net.ipv4.neigh.default.", "net.ipv6.neigh.default.")


@dataclass(frozen=True)
class Table:
    """One family's neighbour table; its first neighbour has the address ``first``, the others follow."""

    name: str
    family: str
    first: IPv4Address | IPv6Address

    def batch(self, count: int, state: str) -> str:
        """Commands of ip(8) that make ``count`` neighbours the collector may take, unlike permanent ones."""
        link = f"lladdr 02:00:00:00:00:01 dev {BRIDGE} nud {state}"
        return "".join(f"neighbour add {self.first + index} {link}\n" for index in range(count))

    def counted(self, column: str) -> int:
        """A statistic of the whole table, summed over the processors."""
        head, *processors = Path(f"/proc/net/stat/{self.name}").read_text().splitlines()
        place = head.split().index(column)
        return sum(int(line.split()[place], 16) for line in processors)


V4 = Table("arp_cache", "ipv4", IPv4Address("10.0.1.0"))
V6 = Table("ndisc_cache", "ipv6", IPv6Address("fd00::1:0"))
TABLES = pytest.mark.parametrize("table", [V4, V6], ids=lambda table: table.family)


def setting(key: str) -> Path:
    return Path("/proc/sys", *key.split("."))


def thresholds(table: Table) -> list[int]:
    return [int(setting(f"net.{table.family}.neigh.default.gc_thresh{step}").read_text()) for step in (1, 2, 3)]


def settings() -> dict[str, str]:
    return {key: value for key, value in sysctls().items() if key.startswith(SETTINGS)}


@contextmanager
def borrowed() -> Iterator[None]:
    """The host's thresholds to change, one borrower at a time.

    A process of its own puts them back once this one lets go of its input, also by being killed.
    """
    with setting("net.ipv4.neigh.default.gc_thresh3").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        before = settings()
        changed = [key for key in before if "gc_thresh" in key]
        assert len(changed) == 6, "the first network namespace is not this one"
        back = "; ".join(f"echo {before[key]} >{setting(key)}" for key in changed)
        keeper = subprocess.Popen(
            ["sh", "-c", f"read -r _; {back}"],
            stdin=subprocess.PIPE, start_new_session=True, pass_fds=[lock.fileno()],
        )  # fmt: skip
        try:
            yield
        finally:
            keeper.communicate()
            assert settings() == before


@pytest.fixture
def network() -> Iterator[Network]:
    """A network whose neighbours are gone before the host's thresholds are back."""
    with borrowed(), Network(IPv4Interface("10.0.0.1/16")) as made:
        made.run(["ip", "address", "add", "fd00::1/64", "dev", BRIDGE, "nodad"], check=True)
        try:
            yield made
        finally:
            made.run(["ip", "link", "delete", BRIDGE], check=True)


def as_the_kernel_has_it(table: Table) -> None:
    for step, value in enumerate(KERNEL_DEFAULT, start=1):
        setting(f"net.{table.family}.neigh.default.gc_thresh{step}").write_text(str(value))


def as_boot_data_has_it(network: Network, *, reuses_addresses: bool = False) -> None:
    """What a machine of such a region does when it boots."""
    rows = neighbour_rows(NODES, reuses_addresses=reuses_addresses)
    program = tree("fixed")["/usr/lib/kilonode/sysctl-floors"]
    network.write([File("rows", "".join(row.line for row in rows))])
    subprocess.run(["sh", "-c", program, "sysctl-floors", network.folder / "rows"], check=True, capture_output=True)


def fill(network: Network, table: Table, count: int, state: str = "reachable") -> None:
    network.write([File("batch", table.batch(count, state))])
    network.run(["ip", "-force", "-batch", "batch"])


def remembered(network: Network, table: Table) -> int:
    flag = "-4" if table is V4 else "-6"
    return len(network.run(["ip", flag, "neighbour", "show", "dev", BRIDGE], check=True).stdout.splitlines())


@TABLES
def test_7500_nodes_overflow_what_the_kernel_has(network: Network, table: Table) -> None:
    refused = table.counted("table_fulls")
    as_the_kernel_has_it(table)
    fill(network, table, NODES)
    assert remembered(network, table) <= KERNEL_DEFAULT[2]
    assert table.counted("table_fulls") > refused


@TABLES
def test_7500_nodes_are_all_remembered_with_what_boot_data_has(network: Network, table: Table) -> None:
    as_boot_data_has_it(network)
    refused = table.counted("table_fulls")
    fill(network, table, NODES)
    assert remembered(network, table) == NODES
    assert table.counted("table_fulls") == refused


def test_an_unused_neighbour_is_kept_for_ever_unless_addresses_are_reused(network: Network) -> None:
    tables = (V4, V6)
    for table in tables:
        # Unused for any time at all is long enough; the collector comes by four times a minute.
        network.run(["sysctl", "--write", f"net.{table.family}.neigh.{BRIDGE}.gc_stale_time=0"], check=True)
        fill(network, table, 10, "stale")
    as_boot_data_has_it(network)
    before = collections(tables)
    wait_for(lambda: all(now > then for now, then in zip(collections(tables), before, strict=True)), "a collection")
    assert [remembered(network, table) for table in tables] == [10, 10]

    as_boot_data_has_it(network, reuses_addresses=True)
    assert [thresholds(table)[0] for table in tables] == [0, 0]
    wait_for(lambda: not any(remembered(network, table) for table in tables), "a collection that takes them")


def collections(tables: Sequence[Table]) -> list[int]:
    return [table.counted("periodic_gc_runs") for table in tables]


def test_the_host_s_thresholds_are_put_back_even_after_a_kill() -> None:
    before = settings()
    child = os.fork()
    if not child:
        try:
            with borrowed():
                setting("net.ipv4.neigh.default.gc_thresh3").write_text("54321")
                os.kill(os.getpid(), signal.SIGKILL)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    wait_for(lambda: settings() == before, "the host's thresholds")
