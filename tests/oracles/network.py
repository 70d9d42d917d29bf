"""A throw-away network: a bridge in a network namespace of its own, for machines and the operator."""

import shutil
import subprocess
import tempfile
from ipaddress import IPv4Interface
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Self

from kilonode.boot.machine import File
from tests.oracles.machine import HOLD, PATIENCE, Machine, wait_for

BRIDGE = "switch"


class Network:
    """Use as a context manager; the host's own network sees nothing of it."""

    def __init__(self, operator: IPv4Interface) -> None:
        self.operator = operator
        self._ports = count()

    def __enter__(self) -> Self:
        self.folder = Path(tempfile.mkdtemp(prefix="kilonode-oracle-"))
        setup = [
            "set -e",
            "ip link set lo up",
            f"ip link add {BRIDGE} type bridge",
            f"ip link set {BRIDGE} up",
            f"ip address add {self.operator} dev {BRIDGE}",
            f"touch {self.folder}/ready",
            "exec sleep infinity",
        ]
        self.holder = subprocess.Popen(
            [*HOLD, "unshare", "--net", "sh", "-c", "\n".join(setup)], stdin=subprocess.DEVNULL, start_new_session=True
        )
        wait_for((self.folder / "ready").exists, "the network's namespace")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.holder.kill()
        self.holder.wait()
        shutil.rmtree(self.folder)

    def join(self, machine: Machine, address: str) -> None:
        """Plug a machine in under ``address``."""
        port = f"port{next(self._ports)}"
        inside = ["nsenter", f"--target={machine.pid}", "--net", "ip"]
        for words in (
            ["link", "add", port, "type", "veth", "peer", "name", "host0", "netns", str(machine.pid)],
            ["link", "set", port, "master", BRIDGE, "up"],
        ):
            self.run(["ip", *words], check=True)
        subprocess.run([*inside, "link", "set", "host0", "up"], check=True)
        length = self.operator.network.prefixlen
        subprocess.run([*inside, "address", "add", f"{address}/{length}", "dev", "host0"], check=True)

    def write(self, files: list[File]) -> None:
        """Put the operator's files into the operator's folder."""
        for file in files:
            path = self.folder / Path(file.path).name
            path.write_text(file.content)
            path.chmod(0o600)

    def run(self, words: list[str], check: bool = False) -> subprocess.CompletedProcess[str]:
        """Run one of the host's programs as the operator, in the operator's folder."""
        return subprocess.run(
            ["nsenter", f"--target={self.holder.pid}", "--net", *words],
            capture_output=True, text=True, errors="replace", check=check, timeout=PATIENCE, cwd=self.folder,
        )  # fmt: skip
