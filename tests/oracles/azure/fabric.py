"""The fabric of a test's region: its bridge, which also has the metadata service's address, and a little Azure on it."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from kilonode.clouds.azure.bundle import bundle
from kilonode.clouds.local.host import netns, sweep
from kilonode.clouds.local.host.images import BuiltImage
from kilonode.clouds.local.host.netns import NetworkSpec
from kilonode.clouds.local.host.nspawn import Bind
from kilonode.pki.issue import issue, new_authority
from kilonode.pki.kinds import Certificate
from tests.clouds.local.conftest import wait_until
from tests.oracles.azure import region
from tests.oracles.azure.cloud import State

METADATA = "169.254.169.254"
TRUST = "/etc/ssl/certs/ca-certificates.crt"
CLONE = Path(__file__).parents[3]
CONTAINERS = ("marks-main", "marks-events", "snapshots")


class Fabric:
    """Its folder is what the cloud has; the machines of ``image`` trust its certificate and know its names."""

    def __init__(self, folder: Path, network: NetworkSpec, image: BuiltImage) -> None:
        self.folder, self.network, self.image = folder, network, image
        self.state = State(folder / "cloud")
        for container in CONTAINERS:
            (self.state.folder / "blobs" / container).mkdir(parents=True)
        self._cloud: subprocess.Popen[bytes] | None = None

    def begin(self) -> None:
        """Make the network and start the cloud in its namespace."""
        netns.ensure(self.network)
        self._certify()
        inside = ["nsenter", f"--net={netns.path(self.network.region)}"]
        subprocess.run([*inside, "ip", "address", "add", f"{METADATA}/32", "dev", netns.BRIDGE], check=True)
        cloud = [sys.executable, "-m", "tests.oracles.azure.cloud", str(self.state.folder), METADATA]
        with (self.folder / "cloud.log").open("w") as log:
            self._cloud = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *inside, *cloud, str(self.network.gateway.ip)],
                cwd=CLONE,
                env=os.environ | {"PYTHONPATH": f"{CLONE}:{CLONE / 'components'}"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        wait_until((self.state.folder / "ready").exists)

    def end(self) -> None:
        """Stop the cloud and remove all that the region has on this host."""
        if self._cloud:
            self._cloud.kill()
            self._cloud.wait()
        sweep.sweep(self.network.region)
        assert sweep.leftovers(self.network.region) == []

    def admit(self, address: str, client: str, identity: str, secret: str, containers: list[str]) -> None:
        """Give the machine at an address its identity and, as policies do, another, with rights to one secret and some containers."""
        known: dict[str, Any] = self.state.read("machines")
        known[address] = {
            "client": client,
            "identity": identity,
            "others": True,
            "secrets": [secret],
            "containers": containers,
        }
        self.state.write("machines", known)

    def put(self, secret: str, files: dict[str, str]) -> None:
        """Set a secret of the vault."""
        self.state.write("secrets", self.state.read("secrets") | {secret: bundle(secret, files)})

    def blobs(self, container: str) -> list[Path]:
        """The blobs of a container."""
        return sorted(each for each in (self.state.folder / "blobs" / container).iterdir() if each.is_file())

    @property
    def binds(self) -> tuple[Bind, ...]:
        """What a machine sees, so that it believes the cloud."""
        files = ((self.folder / "trust.crt", TRUST), (self.folder / "hosts", "/etc/hosts"))
        return tuple(Bind(str(source), target, read_only=True) for source, target in files)

    def _certify(self) -> None:
        authority = new_authority("test-cloud")
        pair = issue(Certificate("cloud", "server", "test-cloud", "cloud", ("server",), names=region.HOSTS), authority)
        (self.state.folder / "tls.pem").write_text(pair.certificate + pair.key)
        common = (self.image.layers[-1] / TRUST.lstrip("/")).read_text()
        (self.folder / "trust.crt").write_text(common + authority.certificate)
        hosts = f"127.0.0.1 localhost\n{self.network.gateway.ip} {' '.join(region.HOSTS)}\n"
        (self.folder / "hosts").write_text(hosts)
