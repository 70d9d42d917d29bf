"""A small region of Azure machines on this host: real machines that boot, on a fabric that is made up.

The front end of the load balancer is the API server itself; a node has the name and address that a scale set would give it.
"""

import json
import os
import secrets
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import toolchain
from kilonode.boot.cloudinit import user_data
from kilonode.boot.image import PROGRAMS
from kilonode.boot.machine import BootData
from kilonode.boot.secrets import FOLDER
from kilonode.clouds.local.archives import preloaded, sources
from kilonode.clouds.local.cloud import network_spec
from kilonode.clouds.local.host import images, inside, machines, paths
from kilonode.clouds.local.host.images import BuiltImage, ImageSpec
from kilonode.clouds.local.host.machines import MachineSpec
from kilonode.clouds.local.host.nspawn import Bind
from kilonode.etcd.config import MOUNT
from kilonode.network.slots import FIXED_PREFIX
from kilonode.nodes import containerd
from kilonode.pki.credentials import api_server_credentials, member_credentials, node_credentials, operator_credentials
from kilonode.pki.kinds import Credential
from ops.https import Client
from tests.clouds.local.conftest import free_network, unique, wait_until
from tests.conftest import SMALL
from tests.oracles.azure import region
from tests.oracles.azure.fabric import Fabric
from tests.oracles.region import Rendered

PATIENCE = 600  # seconds; several machines boot on few processors, and one that has no vault asks for one minute


@dataclass(frozen=True)
class Wanted:
    """A machine to be: what it boots, what it may know, and where its disk is mounted."""

    name: str
    address: str
    boot: BootData
    credentials: Sequence[Credential]
    secret: str
    identity: str
    mount: str = ""
    containers: Sequence[str] = ()
    runs_containers: bool = False


def drawn() -> Rendered:
    """A region of one of everything, with a name and a range of its own."""
    name = unique()
    block = free_network(name, lambda: f"10.{130 + secrets.randbelow(110)}.0.0/20").ranges[0]
    places = [str(each) for each in block.subnets(new_prefix=FIXED_PREFIX)][1:]
    pools = [pool | {"range": place} for pool, place in zip(SMALL["nodePools"], places, strict=False)]
    return Rendered({**SMALL, "name": name, "network": {"range": str(block)}, "nodePools": pools})


class Living:
    """Machines by a short name: ``main`` and ``events`` of etcd, ``api``, ``node``."""

    def __init__(self, folder: Path, spec: ImageSpec) -> None:
        self.folder, self.spec, self.rendered = folder, spec, drawn()
        self.plan, self.image = self.rendered.plan, images.build(spec, print)
        self.region = self.plan.spec.name
        self.fabric = Fabric(folder, network_spec(self.plan), self.image)
        self.specs: dict[str, MachineSpec] = {}

    def add_members(self) -> None:
        """One member of each cluster."""
        for cluster in self.plan.etcd:
            member, kind = cluster.members[0], cluster.spec.name
            wanted = Wanted(
                member.name, str(member.address), region.member(cluster), member_credentials(cluster, member),
                region.secret_of(member.name), region.identity_of(member.name), MOUNT, [region.marks_of(kind), "snapshots"],
            )  # fmt: skip
            self._add(kind, wanted, self.image)

    def add_api_server(self) -> None:
        """The API server."""
        server = self.plan.api_servers[0]
        rows = api_server_credentials(self.plan, server)
        self._add(
            "api",
            Wanted(
                server.name,
                str(server.address),
                region.api_server(self.plan),
                rows,
                region.secret_of(server.name),
                region.identity_of(server.name),
            ),
            self.image,
        )

    def have_front_end(self) -> None:
        """Let the API server answer at the load balancer's address."""
        wait_until(lambda: "/" in self.says("api", "ip -brief -4 address show host0"), PATIENCE)
        self.code("api", "ip", "address", "add", f"{self.plan.load_balancer.address}/32", "dev", "host0")

    def add_node(self) -> None:
        """A node, with the pool's secret."""
        pool = self.plan.machine_pools[0]
        before = os.environ["PATH"]
        os.environ["PATH"] = ":".join(
            [*(str(toolchain.locate(tool)) for tool in (*PROGRAMS, "pause", "coredns")), before]
        )
        try:
            preload = preloaded(pool.spec)
            image = images.build(replace(self.spec, archives=sources(pool.spec, preload)), print)
        finally:
            os.environ["PATH"] = before
        node, boot = pool.nodes[0], region.pool(self.plan, preload)
        rows = node_credentials(pool.spec.name, node.name, node.address)
        secret, who = region.secret_of(pool.spec.name), region.identity_of(pool.spec.name)
        wanted = Wanted(node.name, str(node.address), boot, rows, secret, who, containerd.MOUNT, runs_containers=True)
        self._add("node", wanted, image)

    def _add(self, key: str, wanted: Wanted, image: BuiltImage) -> None:
        self.fabric.put(wanted.secret, self.files(wanted.credentials))
        self.fabric.admit(wanted.address, f"client-of-{key}", wanted.identity, wanted.secret, list(wanted.containers))
        disk = [Bind(str(paths.make_private(self.disk(wanted.name))), wanted.mount)] if wanted.mount else []
        self.specs[key] = MachineSpec(
            region=self.region, machine=wanted.name, image=image.id, layers=tuple(map(str, image.layers)),
            address=f"{wanted.address}/{self.plan.range.prefixlen}", gateway=str(self.plan.gateway),
            user_data=user_data(wanted.boot), binds=(*self.fabric.binds, *disk), runs_containers=wanted.runs_containers,
        )  # fmt: skip

    def disk(self, name: str) -> Path:
        """The folder that is a machine's local disk."""
        return paths.disk(self.region, name)

    def files(self, rows: Sequence[Credential]) -> dict[str, str]:
        """Issued credentials as a bundle's files."""
        return {file.path.removeprefix(f"{FOLDER}/"): file.content for file in self.rendered.issued(rows)}

    def start(self, *keys: str) -> None:
        """Start machines, new or from the root they have."""
        for key in keys:
            machines.ensure(self.specs[key])

    def reboot(self, key: str) -> None:
        """Cut its power and start it again."""
        machines.stop(self.region, self.specs[key].machine)
        self.start(key)

    def renew(self, key: str) -> None:
        """Replace it: the disk of its system and its local disk are new, as is everything on them."""
        machine = self.specs[key].machine
        machines.remove(self.region, machine)
        for each in self.disk(machine).iterdir():
            shutil.rmtree(each)
        self.start(key)

    def says(self, key: str, command: str) -> str:
        """What a command prints in a machine."""
        return inside.run_in(self.region, self.specs[key].machine, ["sh", "-c", command]).stdout.strip()

    def code(self, key: str, *words: str) -> tuple[int, str]:
        """How a command ends in a machine, and all it said."""
        done = inside.run_in(self.region, self.specs[key].machine, words, timeout=PATIENCE)
        return done.returncode, done.stdout + done.stderr

    def journal(self, key: str, unit: str = "") -> str:
        """The journal of this boot, with what was said until now: the journal daemon may be late."""
        which = f"--unit={unit}" if unit else ""
        return self.says(key, f"journalctl --sync; journalctl --boot --output=cat --no-pager --quiet {which}")

    def state_of(self, key: str, unit: str) -> str:
        """Whether a unit is active, activating, failed."""
        return self.says(key, f"systemctl is-active {unit}")

    def until_active(self, key: str, *units: str) -> None:
        """Wait for units."""
        for unit in units:
            try:
                wait_until(lambda unit=unit: self.state_of(key, unit) == "active", PATIENCE)  # type: ignore[misc]
            except AssertionError:
                raise AssertionError(
                    f"{unit} on {key}: {self.state_of(key, unit)}\n{self.journal(key)[-6000:]}"
                ) from None

    def operator(self) -> Client:
        """The operator's client of the API."""
        for file in self.rendered.issued(operator_credentials()):
            (self.folder / Path(file.path).name).write_text(file.content)
        return Client(*(self.folder / name for name in ("ca.crt", "client.crt", "client.key")))

    def etcdctl(self, key: str, *words: str) -> Any:
        """The answer of a member, as its own machine's root; None where there is none."""
        own, address = f"{FOLDER}/etcd", self.specs[key].address.partition("/")[0]
        tls = f"--cacert={own}/ca.crt --cert={own}/client.crt --key={own}/client.key"
        text = self.says(
            key,
            f"etcdctl --command-timeout=20s --write-out=json --endpoints=https://{address}:2379 {tls} {' '.join(words)}",
        )
        return json.loads(text) if text else None

    def until_healthy(self, key: str) -> None:
        """Wait until a member serves: it asks its quorum, and a busy host may be late once."""
        wait_until(lambda: [row["health"] for row in self.etcdctl(key, "endpoint", "health") or []] == [True], PATIENCE)
