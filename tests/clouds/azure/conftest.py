"""A little Azure in threads of the test, and pauses that are written down in place of being slept."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.oracles.azure import metadata, storage, vault
from tests.oracles.azure.cloud import State, serve
from tests.oracles.azure.programs import FOLDER  # noqa: F401 - puts the machine's modules on the path

OWN = "resourceGroups/west/providers/Microsoft.ManagedIdentity/userAssignedIdentities/me"
ME = {"client": "me", "identity": OWN, "others": True, "secrets": ["mine"], "containers": ["marks", "snapshots"]}


MANY = 100


class WaitsForEverError(BaseException):
    """No program of a machine catches it."""


@dataclass
class Cloud:
    """One machine's cloud."""

    state: State
    vault: str
    storage: str
    pauses: list[float] = field(default_factory=list)

    def put(self, name: str, value: str) -> None:
        self.state.write("secrets", self.state.read("secrets") | {name: value})

    def trouble(self, **services: int) -> None:
        self.state.write("trouble", services)

    def sleep(self, seconds: float) -> None:
        """In place of time.sleep; who asks so often would ask for ever."""
        self.pauses.append(seconds)
        if len(self.pauses) > MANY:
            raise WaitsForEverError

    @property
    def blobs(self) -> Path:
        return self.state.folder / "blobs"


@pytest.fixture
def cloud(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cloud]:
    from azure_machine import identity, patience

    state = State(tmp_path / "cloud")
    for container in ("marks", "snapshots"):
        (state.folder / "blobs" / container).mkdir(parents=True)
    state.write("machines", {"*": ME})
    servers = [serve(state, service, "127.0.0.1", 0) for service in (metadata, vault, storage)]
    ports = [server.server_address[1] for server in servers]
    monkeypatch.setattr(identity, "SERVICE", f"http://127.0.0.1:{ports[0]}/metadata")
    made = Cloud(state, f"http://127.0.0.1:{ports[1]}", f"http://127.0.0.1:{ports[2]}")
    monkeypatch.setattr(patience.time, "sleep", made.sleep)
    yield made
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch, cloud: Cloud) -> list[float]:
    """Time goes as pauses say."""
    from azure_machine import patience

    monkeypatch.setattr(patience.time, "monotonic", lambda: sum(cloud.pauses))
    return cloud.pauses


def asked(cloud: Cloud, service: str) -> list[Any]:
    """Statuses of the answers so far."""
    return [row["status"] for row in cloud.state.requests(service)]
