"""The program that applies kernel settings, on a real kernel: in a network namespace whose settings are its own."""

import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from kilonode.boot.machine import File
from kilonode.boot.sysctl import Sysctl, machine_pool_rows
from kilonode.boot.templates import PROGRAM_FOLDER
from kilonode.clouds.local.host.images import BuiltImage
from kilonode.limits import NODES
from tests.clouds.local.conftest import sysctls
from tests.oracles.machine import PATH, Machine

pytestmark = [pytest.mark.tools, pytest.mark.region]

FLOORS = f"{PROGRAM_FOLDER}sysctl-floors"
ROWS = machine_pool_rows(NODES.value, reuses_addresses=True)
OWN = [row for row in ROWS if row.scope == "network namespace"]
BACKLOG, FORWARD, PORTS, BUFFER = (
    "net.core.somaxconn",
    "net.ipv4.ip_forward",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_rmem",
)


@pytest.fixture
def machine(image: BuiltImage) -> Iterator[Machine]:
    with Machine(image, "floors") as made:
        yield made


def value(machine: Machine, key: str) -> str:
    return machine.run(["sysctl", "--values", key], check=True).stdout.strip().replace("\t", " ")


def image_has(machine: Machine, key: str, numbers: str) -> None:
    machine.run(["sysctl", "--write", f"{key}={numbers}"], check=True)


def apply(machine: Machine, text: str, *, virtual_machine: bool = False) -> subprocess.CompletedProcess[str]:
    """Run the program; a virtual machine is where systemd finds no container."""
    machine.write([File("/root/rows", text), File("/root/vm/systemd-detect-virt", "#!/bin/sh\nexit 1\n", 0o755)])
    environment = {"PATH": f"/root/vm:{PATH}"} if virtual_machine else {}
    return machine.run([FLOORS, "/root/rows"], environment=environment)


def text_of(rows: Iterable[Sysctl]) -> str:
    return "".join(row.line for row in rows)


def test_an_image_with_less_gets_ours_and_one_with_more_keeps_its_own(machine: Machine) -> None:
    for now, afterwards in (("128", "32768"), ("32768", "32768"), ("65535", "65535")):
        image_has(machine, BACKLOG, now)
        assert apply(machine, f"{BACKLOG} = 32768\n").returncode == 0
        assert value(machine, BACKLOG) == afterwards


def test_of_several_numbers_each_is_raised_by_itself(machine: Machine) -> None:
    image_has(machine, BUFFER, "8192 65536 6291456")
    done = apply(machine, f"{BUFFER} = 4096 131072 16777216\n")
    assert (done.returncode, done.stdout) == (0, f"{BUFFER}: 8192 65536 6291456 -> 8192 131072 16777216\n")
    assert value(machine, BUFFER) == "8192 131072 16777216"


def test_an_exact_value_is_set_over_more_and_over_less(machine: Machine) -> None:
    for now in ("1024 65000", "40000 50001"):
        image_has(machine, PORTS, now)
        assert apply(machine, f"{PORTS} := 32768 60999\n").returncode == 0
        assert value(machine, PORTS) == "32768 60999"
    image_has(machine, FORWARD, "1")
    assert apply(machine, f"{FORWARD} := 0\n").stdout == f"{FORWARD}: 1 -> 0\n"
    assert value(machine, FORWARD) == "0"


def test_a_node_s_rows_land_and_a_second_run_changes_nothing(machine: Machine) -> None:
    first, second = (apply(machine, text_of(ROWS)) for _ in range(2))
    assert (first.returncode, second.returncode) == (0, 0)
    assert " -> " in first.stdout
    assert " -> " not in second.stdout
    for row in OWN:
        landed, asked = ([int(number) for number in text.split()] for text in (value(machine, row.key), str(row.value)))
        assert landed == asked if row.rule == "exact" else all(map(int.__ge__, landed, asked)), row.key


def test_each_row_of_the_network_is_whose_it_says(machine: Machine) -> None:
    """The kernel's own settings are missing or read-only in a network namespace, the namespace's own are neither."""
    for row in (row for row in ROWS if row.key.startswith("net.")):
        file = f"/proc/sys/{row.key.replace('.', '/')}"
        writable = machine.run(["test", "-w", file]).returncode == 0
        assert writable == (row.scope == "network namespace"), row.key


def test_the_host_keeps_every_setting_of_its_own(machine: Machine) -> None:
    asked = {row.key for row in ROWS}
    before = {key: found for key, found in sysctls().items() if key in asked}
    assert {row.key for row in OWN} <= before.keys()
    assert apply(machine, text_of(ROWS)).returncode == 0
    assert {key: found for key, found in sysctls().items() if key in asked} == before


def test_in_a_container_what_is_the_host_s_is_said_and_passed_over(machine: Machine) -> None:
    image_has(machine, BACKLOG, "128")
    done = apply(machine, f"net.core.no_such_key = 1\nkernel.pid_max = 99999999\n{BACKLOG} = 32768\n")
    assert (done.returncode, done.stderr) == (0, "")
    said = done.stdout.splitlines()
    assert said[0] == "net.core.no_such_key: not in this kernel namespace"
    assert said[1].startswith("kernel.pid_max: ")
    assert said[1].endswith(", the host's to set")
    assert value(machine, BACKLOG) == "32768"


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("net.netfilter.no_such_key = 1", "this kernel has no such key; is its module loaded?"),
        ("kernel.pid_max = 99999999", "read-only"),
    ],
)
def test_on_a_machine_of_its_own_the_same_is_a_failure_after_all_others_are_set(
    machine: Machine, row: str, says: str
) -> None:
    image_has(machine, BACKLOG, "128")
    done = apply(machine, f"{row}\n{BACKLOG} = 32768\n", virtual_machine=True)
    assert done.returncode == 1
    assert row.split(maxsplit=1)[0] in done.stderr
    assert says in done.stderr
    assert value(machine, BACKLOG) == "32768"


def test_a_value_the_kernel_refuses_is_a_failure_everywhere(machine: Machine) -> None:
    image_has(machine, PORTS, "32768 60999")
    image_has(machine, BACKLOG, "128")
    done = apply(machine, f"{PORTS} := 60999 32768\n{BACKLOG} = 32768\n")
    assert (done.returncode, done.stderr) == (1, f"{PORTS}: 32768 60999, could not be set to 60999 32768\n")
    assert value(machine, BACKLOG) == "32768"


def test_a_line_that_is_no_row_is_a_failure(machine: Machine) -> None:
    done = apply(machine, f"{BACKLOG} == 32768\n")
    assert (done.returncode, done.stderr) == (1, f"{BACKLOG} == 32768: no row\n")


def test_a_node_s_copies_of_the_host_s_settings_are_set(machine: Machine) -> None:
    """A local node has files of its own in place of what kubelet demands of a kernel."""
    file = "/proc/sys/vm/panic_on_oom"
    machine.write([File("/root/copy", "2\n")])
    machine.run(["mount", "--bind", "/root/copy", file], check=True)
    host = Path(file).read_text()
    assert apply(machine, "vm.panic_on_oom := 0\n").stdout == "vm.panic_on_oom: 2 -> 0\n"
    assert machine.run(["cat", file]).stdout == "0"
    assert Path(file).read_text() == host
