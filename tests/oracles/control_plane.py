"""A running region: each machine with its very files, each program started by its very unit."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from ipaddress import IPv4Interface
from typing import Any

from kilonode.boot.secrets import CLUSTER, delivered
from kilonode.clouds.local.host.images import BuiltImage
from kilonode.etcd.config import MOUNT
from kilonode.region.plan import API_PORT
from tests.oracles.machine import Machine, wait_for
from tests.oracles.network import Network
from tests.oracles.region import Rendered
from tests.oracles.unit import Unit, all_settled

CERTIFICATE = ("--cacert", "ca.crt", "--cert", "client.crt", "--key", "client.key")
ETCD_CERTIFICATE = ("--cacert", "etcd-ca.crt", "--cert", "etcd-client.crt", "--key", "etcd-client.key")
ANONYMOUS = ("--cacert", "ca.crt")


class ControlPlane:
    """One etcd member of each cluster, an API server, a load balancer and a simulator; the operator drives them."""

    bootstrap: Unit
    """The run that applied the bootstrap objects first."""

    def __init__(self, network: Network, rendered: Rendered, machines: dict[str, Machine]) -> None:
        self.network, self.rendered, self.machines = network, rendered, machines
        self.api = f"https://{rendered.plan.api_servers[0].address}:{API_PORT}"
        self.units: dict[tuple[str, str], Unit] = {}

    @classmethod
    @contextmanager
    def running(cls, image: BuiltImage, rendered: Rendered) -> Iterator["ControlPlane"]:
        """Etcd and kube-apiserver are ready, the bootstrap objects applied; the rest is for tests to start."""
        plan = rendered.plan
        with ExitStack() as stack:
            network = stack.enter_context(Network(IPv4Interface(f"{plan.operator}/{plan.range.prefixlen}")))
            network.write(rendered.operator())
            rows = (
                *((cluster.spec.name, cluster.members[0], rendered.member(cluster.spec.name)) for cluster in plan.etcd),
                ("api", plan.api_servers[0], rendered.api_server()),
                ("lb", plan.load_balancer, rendered.load_balancer()),
                ("sim", plan.simulators[0], rendered.simulator()),
            )
            machines: dict[str, Machine] = {}
            for key, planned, files in rows:
                disk = MOUNT if planned.role == "etcd" else ""
                marks = network.folder / f"marks-{key}"
                marks.mkdir()
                binds = {CLUSTER: marks} if disk else {}
                machines[key] = stack.enter_context(Machine(image, planned.name, disk=disk, binds=binds))
                network.join(machines[key], str(planned.address))
                machines[key].write(files)
            made = cls(network, rendered, machines)
            members = [made.unit(cluster.spec.name, "etcd") for cluster in plan.etcd]
            for member in members:
                member.up()
            all_settled(members)
            made.unit("api", "kube-apiserver").up()
            wait_for(lambda: made.curl("/readyz") == "ok", "kube-apiserver's /readyz")
            made.bootstrap = made.unit("api", "kilonode-bootstrap")
            assert made.bootstrap.to_its_end() == 0, made.bootstrap.running.tail()
            yield made

    def unit(self, machine: str, name: str) -> Unit:
        """A unit of one of the machines."""
        self.units[machine, name] = Unit(self.machines[machine], name)
        return self.units[machine, name]

    def curl(self, url: str, *words: str, tls: tuple[str, ...] = CERTIFICATE) -> str:
        """The body of an answer; a path is the API server's."""
        whole = f"{self.api}{url}" if url.startswith("/") else url
        return self.network.run(["curl", "-s", "--max-time", "60", *tls, *words, whole]).stdout

    def status(self, url: str, *words: str, tls: tuple[str, ...] = CERTIFICATE) -> int:
        """The HTTP status of an answer; 0 when there is none."""
        return int(self.curl(url, "-o", "/dev/null", "-w", "%{http_code}", *words, tls=tls))

    def send(self, method: str, path: str, body: dict[str, Any], kind: str = "application/json") -> dict[str, Any]:
        """Change something as the operator."""
        words = ("-X", method, "-H", f"Content-Type: {kind}", "-d", json.dumps(body))
        answer: dict[str, Any] = json.loads(self.curl(path, *words))
        assert answer["kind"] != "Status", answer
        return answer

    def get(self, path: str) -> dict[str, Any]:
        """Read an object or a list as the operator."""
        answer: dict[str, Any] = json.loads(self.curl(path))
        return answer

    def etcd(self, cluster: str, *words: str) -> str:
        """What etcdctl says to the operator about one cluster."""
        endpoint = f"--endpoints={self.rendered.cluster(cluster).client_urls[0]}"
        files = (delivered("etcd", file) for file in ("ca.crt", "client.crt", "client.key"))
        tls = (f"--{flag}={file}" for flag, file in zip(("cacert", "cert", "key"), files, strict=True))
        return (
            self.machines[cluster].run(["etcdctl", "--command-timeout=60s", endpoint, *tls, *words], check=True).stdout
        )


def configmap(name: str) -> dict[str, Any]:
    """A small object."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"a": "b"}}


def metric(text: str, name: str) -> float:
    """The value of a metric without labels."""
    return float(next(line for line in text.splitlines() if line.startswith(f"{name} ")).split()[1])
