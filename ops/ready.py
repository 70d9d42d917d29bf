"""Whether a region serves: every etcd member, every API server and every node, asked at its own address."""

import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from kilonode.apiserver.controllers import CONTROLLER_MANAGER, SCHEDULER
from kilonode.apiserver.probe import PROBE
from kilonode.clouds.local.host import paths
from kilonode.clouds.local.host.inside import run_in
from kilonode.etcd.plan import METRICS_PORT
from kilonode.nodes.plan import node_name
from kilonode.pki.users import APPROVER
from kilonode.region.plan import API_PORT
from ops.https import Client
from ops.stack import Stack

BOOT_ID = "/proc/sys/kernel/random/boot_id"
TIMEOUT = 5.0  # seconds for whoever is asked until he is ready, or for all that are there: one may never answer
SHOWN = 10  # names of nodes in one line
PATIENCE = 600.0  # seconds for the control plane, and again for the nodes
POLL = 0.5
OK = 200


class NotReadyError(RuntimeError):
    """Something did not become ready in time; the text says what and where to look."""


@dataclass(frozen=True)
class Count:
    """How many of a kind are ready, and who is not."""

    what: str
    ready: int
    wanted: int
    lacking: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether none is lacking."""
        return self.ready >= self.wanted

    def __str__(self) -> str:
        """As in ``members 10/10``."""
        return f"{self.what} {self.ready}/{self.wanted}"


class Region:
    """A running region as its operator sees it."""

    def __init__(self, stack: Stack) -> None:
        self.stack, self.plan, self.folder = stack, stack.plan, stack.operator

    @cached_property
    def api(self) -> Client:
        """The API as the operator."""
        return Client(self.folder / "ca.crt", self.folder / "client.crt", self.folder / "client.key")

    @cached_property
    def etcd(self) -> Client:
        """etcd as the operator."""
        return Client(self.folder / "etcd-ca.crt", self.folder / "etcd-client.crt", self.folder / "etcd-client.key")

    @cached_property
    def stranger(self) -> Client:
        """A client that trusts the region and shows nothing."""
        return Client(self.folder / "ca.crt")

    @property
    def kubeconfig(self) -> str:
        """The operator's kubeconfig."""
        return str(self.folder / "kubeconfig")

    def members(self) -> Count:
        """etcd members that can write: a member's own health check goes through its cluster's quorum."""
        members = [member for cluster in self.plan.etcd for member in cluster.members]
        lacking = [
            member.name
            for member in members
            if '"health":"true"'
            not in self.etcd.call(f"https://{member.address}:{METRICS_PORT}/health", timeout=TIMEOUT).text
        ]
        return Count("members", len(members) - len(lacking), len(members), tuple(lacking))

    def api_servers(self) -> Count:
        """API servers that are ready at their own address, asked as the load balancer asks them."""
        servers = self.plan.api_servers
        lacking = [
            server.name
            for server in servers
            if self.stranger.call(f"https://{server.address}:{API_PORT}{PROBE}", timeout=TIMEOUT).text != "ok"
        ]
        return Count("API servers", len(servers) - len(lacking), len(servers), tuple(lacking))

    def endpoint(self) -> Count:
        """The load balancer, asked for a server that is ready."""
        ready = self.stranger.call(f"{self.plan.endpoint}{PROBE}", timeout=TIMEOUT).text == "ok"
        return Count("load balancer", int(ready), 1, () if ready else (self.plan.load_balancer.name,))

    def leaders(self) -> Count:
        """Controller manager, scheduler and the approver of nodes, each with a leader that has taken its lease."""
        leases = f"{self.plan.endpoint}/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"
        names = (CONTROLLER_MANAGER, SCHEDULER, APPROVER)
        lacking = [
            name for name in names if '"holderIdentity"' not in self.api.call(f"{leases}/{name}", timeout=TIMEOUT).text
        ]
        return Count("leaders", len(names) - len(lacking), len(names), tuple(lacking))

    def nodes(self) -> Count:
        """The planned nodes that are Ready, asked through the load balancer; of a machine, as it runs now."""
        machines = {node.name for pool in self.plan.machine_pools for node in pool.nodes}
        name = self.plan.spec.name
        simulated = {
            node_name(name, pool.name, index) for pool in self.plan.spec.simulated_pools for index in range(pool.nodes)
        }
        answer = self.api.call(f"{self.plan.endpoint}/api/v1/nodes?resourceVersion=0", timeout=30)
        found = {node["metadata"]["name"]: node for node in answer.json()["items"]} if answer.status == OK else {}
        ready = {name for name, node in found.items() if _is_ready(node)}
        ready -= {name for name in ready & machines if not self._registered_since_its_boot(found[name])}
        lacking = sorted((machines | simulated) - ready)
        wanted = len(machines | simulated)
        return Count("nodes Ready", wanted - len(lacking), wanted, tuple(lacking[:SHOWN]))

    def _registered_since_its_boot(self, node: dict[str, Any]) -> bool:
        """Whether kubelet has spoken since its machine started: until its lease ends, a dead node still reads Ready."""
        try:
            now = run_in(self.plan.spec.name, node["metadata"]["name"], ["cat", BOOT_ID], timeout=TIMEOUT)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            return False
        return bool(now.stdout.strip() == node["status"].get("nodeInfo", {}).get("bootID"))

    def require_up(self) -> None:
        """Refuse a region that nobody has made: the operator's credentials come with it.

        Raises:
            NotReadyError: with the verb that makes it.
        """
        if not self.folder.is_dir():
            raise NotReadyError(f"region {self.plan.spec.name} is not up; `make up` makes it")

    def report(self) -> int:
        """Print the counts as they are now, and who is lacking; 0 when nothing is.

        Raises:
            NotReadyError: when the region is not up.
        """
        self.require_up()
        counts = [self.members(), self.api_servers(), self.endpoint(), self.leaders(), self.nodes()]
        for count in counts:
            print(f"{count}{'' if count.complete else '  lacking: ' + ', '.join(count.lacking)}")
        return 0 if all(count.complete for count in counts) else 1

    def wait_control_plane(self) -> list[Count]:
        """Wait for every member, every API server, the load balancer and the leaders behind it; the counts then.

        Raises:
            NotReadyError: naming who is lacking.
        """
        return self._wait(lambda: [self.members(), self.api_servers(), self.endpoint(), self.leaders()])

    def wait_nodes(self) -> list[Count]:
        """Wait for every node; the count then.

        Raises:
            NotReadyError: with the counts.
        """
        return self._wait(lambda: [self.nodes()])

    def _wait(self, look: Callable[[], list[Count]]) -> list[Count]:
        end, said = time.monotonic() + PATIENCE, ""
        while True:
            counts = look()
            line = ", ".join(map(str, counts))
            if line != said:
                print(f"   {line}", flush=True)
                said = line
            if all(count.complete for count in counts):
                return counts
            if time.monotonic() > end:
                lacking = [name for count in counts for name in count.lacking]
                raise NotReadyError(
                    f"{line} after {PATIENCE:.0f} s; not ready: {', '.join(lacking) or 'see the counts'}\n"
                    f"their consoles: {paths.region(self.plan.spec.name)}/machines/<name>/console.log"
                )
            time.sleep(POLL)


def table(region: Region, counts: list[Count], seconds: dict[str, float]) -> str:
    """What `make up` ends with: the counts it has waited for, and no others."""
    rows: list[tuple[str, Any]] = [("endpoint", region.plan.endpoint)]
    rows += [(f"etcd {cluster.spec.name}", ",".join(cluster.client_urls)) for cluster in region.plan.etcd]
    rows += [(count.what, f"{count.ready}/{count.wanted}") for count in counts]
    rows += [("kubeconfig", region.kubeconfig)]
    rows += [("seconds", ", ".join(f"{phase} {spent:.0f}" for phase, spent in seconds.items()))]
    width = max(len(name) for name, _ in rows)
    return "\n".join(["", *(f"{name:<{width}}  {value}" for name, value in rows)])


def _is_ready(node: dict[str, Any]) -> bool:
    return any(
        condition["type"] == "Ready" and condition["status"] == "True"
        for condition in node.get("status", {}).get("conditions", [])
    )
