"""A node that is a machine, seen from three sides: as planned, as the API has it, and from inside."""

import json
from collections.abc import Callable
from datetime import datetime
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from kilonode.clouds.local.host import paths
from kilonode.clouds.local.host.inside import run_in
from kilonode.nodes.plan import PlannedNode
from ops.claims.api import get
from ops.claims.claim import BrokenClaimError
from ops.claims.nodes import machine_nodes
from ops.https import Answer
from ops.ready import Region
from tests.clouds.local.conftest import PATIENCE, wait_until

CTR = ("ctr", "--namespace=k8s.io")
NODES = "/api/v1/nodes"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"


class Node:
    """One node of a running region."""

    def __init__(self, region: Region, planned: PlannedNode) -> None:
        self.region, self.planned, self.name = region, planned, planned.name

    @property
    def disk(self) -> Path:
        """Its disk on the host; the machine has it at containerd's mount."""
        return paths.disk(self.region.plan.spec.name, self.name)

    @property
    def secrets(self) -> Path:
        """What it was delivered before it joined."""
        return paths.secrets(self.region.plan.spec.name, self.name)

    def object(self) -> Any:
        """Its Node."""
        return get(self.region, f"{NODES}/{self.name}")

    def call(self, method: str, body: Any = None) -> Answer:
        """Ask for its Node as the operator."""
        return self.region.api.call(f"{self.region.plan.endpoint}{NODES}/{self.name}", method, body, PATIENCE)

    def condition(self, kind: str) -> str:
        """What its kubelet last said of itself."""
        return str(next(row["status"] for row in self.object()["status"]["conditions"] if row["type"] == kind))

    def is_ready(self) -> bool:
        """Whether its kubelet last said so; on a busy host it may be late once, and then says so again."""
        return self.condition("Ready") == "True"

    def taints(self) -> set[str]:
        """Keys of its taints."""
        return {taint["key"] for taint in self.object()["spec"].get("taints", [])}

    def address(self) -> Any:
        """The address its kubelet registered."""
        rows = self.object()["status"]["addresses"]
        return ip_address(next(row["address"] for row in rows if row["type"] == "InternalIP"))

    def renewed(self) -> datetime:
        """When its kubelet last gave a sign of life."""
        return datetime.fromisoformat(get(self.region, f"{LEASES}/{self.name}")["spec"]["renewTime"])

    def inside(self, *words: str, stdin: str = "") -> str:
        """Run a command in the machine; what it printed."""
        done = run_in(self.region.plan.spec.name, self.name, words, stdin=stdin, timeout=PATIENCE)
        assert done.returncode == 0, f"{self.name}: {' '.join(words)}: {done.stdout[-500:]} {done.stderr[-500:]}"
        return done.stdout

    def unit(self, name: str) -> dict[str, str]:
        """What systemd knows of a unit."""
        return dict(line.split("=", 1) for line in self.inside("systemctl", "show", name).splitlines() if "=" in line)

    def first_start(self, unit: str) -> int:
        """When systemd of the machine first said that it starts a unit, in microseconds of its monotonic clock."""
        said = self.inside("journalctl", "--boot", "--output=json", f"UNIT={unit}")
        return int(json.loads(said.splitlines()[0])["__MONOTONIC_TIMESTAMP"])

    def images(self) -> dict[str, str]:
        """Digest of each image the runtime has, by name."""
        rows = [line.split() for line in self.inside(*CTR, "images", "list").splitlines()[1:]]
        return {row[0]: row[2] for row in rows if not row[0].startswith("sha256:")}

    def containers(self) -> set[str]:
        """Ids of containers and sandboxes that run."""
        rows = [line.split() for line in self.inside(*CTR, "tasks", "list").splitlines()[1:]]
        return {row[0] for row in rows if row[2] == "RUNNING"}


def until(true: Callable[[], bool]) -> None:
    """Wait for what the API tells; where it gave no answer once, it is asked again."""

    def told() -> bool:
        try:
            return true()
        except BrokenClaimError:
            return False

    wait_until(told)


def nodes_of(region: Region) -> list[Node]:
    """All nodes of the region that are machines."""
    return [Node(region, planned) for planned in machine_nodes(region)]


def processes_of(containers: set[str]) -> list[str]:
    """Processes of this host that are in one of the containers, or hold one."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            text = (folder / "cmdline").read_bytes().decode(errors="replace") + (folder / "cgroup").read_text()
        except OSError:
            continue
        if any(container in text for container in containers):
            found.append(f"{folder.name} {text[:200]}")
    return found
