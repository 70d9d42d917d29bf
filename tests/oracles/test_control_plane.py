"""The control plane's programs reach ready with the very files a machine gets, and refuse broken copies."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import replace

import pytest

from kilonode.boot.machine import File
from tests.conftest import SMALL
from tests.oracles.machine import Machine, Running
from tests.oracles.region import Rendered

pytestmark = [pytest.mark.tools, pytest.mark.region]

OPERATOR = "/run/credentials/operator.service"


class ControlPlane:
    """One etcd member of each cluster, one API server, controller manager, scheduler and haproxy on one machine."""

    def __init__(self, machine: Machine, rendered: Rendered) -> None:
        self.machine, self.rendered = machine, rendered
        self.api = str(rendered.plan.api_servers[0].address)
        self.running: dict[str, Running] = {}

    def curl(self, url: str, *words: str) -> str:
        """The body of an answer, with the operator's certificate."""
        tls = ["--cacert", f"{OPERATOR}/ca.crt", "--cert", f"{OPERATOR}/client.crt", "--key", f"{OPERATOR}/client.key"]
        return self.machine.run(["curl", "-s", *(words or tls), url]).stdout

    def etcd_ready(self, address: str) -> bool:
        """Whether the member's metrics endpoint says it is healthy."""
        tls = [
            "--cacert", f"{OPERATOR}/etcd-ca.crt", "--cert", f"{OPERATOR}/etcd-client.crt",
            "--key", f"{OPERATOR}/etcd-client.key",
        ]  # fmt: skip
        return '"health":"true"' in self.curl(f"https://{address}:2381/health", *tls)

    def command(self, program: str) -> list[str]:
        """The command line of a unit in the image, with its environment file's flags."""
        units = {file.path: file.content for file in self.rendered.image()}
        line = re.search(r"^ExecStart=(.*)$", units[f"/etc/systemd/system/{program}.service"], re.MULTILINE)
        assert line
        words = shlex.split(line[1])
        boot = self.rendered.api_server()[0]
        flags = [file for file in boot.files if file.path == f"/etc/kubernetes/{program}.env"]
        if flags:
            text = flags[0].content.removeprefix('FLAGS="').removesuffix('"\n')
            words = [*words[:-1], *text.split()]
        return [words[0].rpartition("/")[2], *words[1:]]


@pytest.fixture(scope="module")
def plane() -> Iterator[ControlPlane]:
    rendered = Rendered(SMALL)
    plan = rendered.plan
    with Machine(str(machine.address) for machine in plan.machines) as machine:
        made = ControlPlane(machine, rendered)
        machine.write(rendered.image())
        machine.write(rendered.operator())
        for cluster in ("main", "events"):
            boot, secrets = rendered.member(cluster)
            folder = f"/run/credentials/etcd-{cluster}.service"
            moved = [replace(file, path=file.path.replace("/run/credentials/etcd.service", folder)) for file in secrets]
            config = boot.files[0].content.replace("/run/credentials/etcd.service", folder)
            # Two members on one machine: only the folders and the loopback listener differ from a real machine's file.
            config = config.replace("/var/lib/etcd/data", f"/var/lib/etcd-{cluster}/data")
            config = config.replace(",https://127.0.0.1:2379", "")
            machine.write([*moved, File(f"/etc/etcd/{cluster}.yaml", config)])
            machine.run(["mkdir", "-p", "-m", "700", f"/var/lib/etcd-{cluster}/data"])
            made.running[cluster] = machine.start(["etcd", f"--config-file=/etc/etcd/{cluster}.yaml"])
        for cluster in plan.etcd:
            address = str(cluster.members[0].address)
            made.running[cluster.spec.name].until(lambda address=address: made.etcd_ready(address), f"etcd {cluster.name}")  # type: ignore[misc]
        boot, secrets = rendered.api_server()
        machine.write([*boot.files, *secrets])
        machine.run(["mkdir", "-p", "/var/log/kubernetes"])
        made.running["api"] = machine.start(made.command("kube-apiserver"))
        made.running["api"].until(lambda: made.curl(f"https://{made.api}:6443/readyz") == "ok", "kube-apiserver")
        yield made


def test_kube_apiserver_is_ready_with_its_very_flags_and_files(plane: ControlPlane) -> None:
    assert plane.curl(f"https://{plane.api}:6443/readyz") == "ok"


def test_controller_manager_and_scheduler_lead_with_their_very_files(plane: ControlPlane) -> None:
    for program, port in (("kube-controller-manager", 10257), ("kube-scheduler", 10259)):
        running = plane.machine.start(plane.command(program))
        running.until(lambda port=port: plane.curl(f"https://127.0.0.1:{port}/healthz", "-k") == "ok", program)  # type: ignore[misc]
        lease = f"https://{plane.api}:6443/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/{program}"
        running.until(lambda lease=lease: "holderIdentity" in plane.curl(lease), f"{program}'s lease")  # type: ignore[misc]
