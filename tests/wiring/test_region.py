"""Wiring of a region's components: who is whose child, what is named how, how many there are."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pulumi
import pytest
from pulumi.runtime import mocks, settings

from kilonode.clouds.local import archives, cloud
from kilonode.refusal import RefusedError
from kilonode.region.region import Region
from kilonode.region.spec import RegionSpec
from tests.conftest import SMALL

COMPONENTS = ("Region", "Pki", "EtcdCluster", "ApiServers", "SimulatedPool", "MachinePool", "FixedMachine")
SIMULATED, MACHINES = SMALL["nodePools"]


class Recorder(pulumi.runtime.Mocks):
    """Gives every resource its inputs back, and what key material must have."""

    def new_resource(self, args: pulumi.runtime.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        files = dict.fromkeys(("operator/ca.crt", "operator/client.crt", "operator/client.key"), "text")
        made = {"certificate": "c", "key": "k", "content": "c", "files": files, "folder": "/f"}
        return f"{args.name}-id", {**made, **{key: value for key, value in args.inputs.items() if value is not None}}

    def call(self, args: pulumi.runtime.MockCallArgs) -> dict[str, Any]:
        return {}


class Monitor(mocks.MockMonitor):
    """Records what was registered, and which components registered their outputs."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__(recorder)
        self.registered: list[Any] = []
        self.finished: dict[str, set[str]] = {}

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802 - the engine's own name
        self.registered.append(request)
        return super().RegisterResource(request)

    def RegisterResourceOutputs(self, request: Any) -> Any:  # noqa: N802 - the engine's own name
        self.finished[request.urn] = set(request.outputs)
        return super().RegisterResourceOutputs(request)


def registered(region_settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch, folder: Path) -> Monitor:
    """Run the program of a region against the mock engine, to its end."""
    monkeypatch.setattr(cloud, "program", lambda name: Path("/bin/true"))
    monkeypatch.setattr(cloud, "kwok_stages", lambda: "stages")
    monkeypatch.setattr(archives, "program", lambda name: Path("/bin/true"))
    monkeypatch.setattr(archives, "is_static", lambda program: True)
    monkeypatch.setenv("KILONODE_CACHE", str(folder))
    monitor = Monitor(Recorder())
    mocks.set_mocks(monitor.mocks, monitor=monitor)
    spec = RegionSpec.read(region_settings, "region")

    @pulumi.runtime.test
    def program() -> None:
        Region(spec.name, spec)

    program()
    return monitor


@pytest.fixture
def monitor(small: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Monitor]:
    before = settings.SETTINGS
    yield registered(small, monkeypatch, tmp_path)
    settings.configure(before)


def kind(request: Any) -> str:
    return str(request.type).rpartition(":")[2]


def test_every_resource_has_a_parent_within_the_region(monitor: Monitor) -> None:
    parents = {
        monitor.make_urn(request.parent, request.type, request.name): request.parent for request in monitor.registered
    }

    def top(urn: str) -> str:
        parent = parents.get(urn, "")
        return top(parent) if parent and not parent.endswith("::project-stack") else urn

    resources = [urn for urn in parents if not urn.endswith("::project-stack")]
    assert {top(urn) for urn in resources} == {urn for urn in resources if urn.endswith("kilonode:index:Region::small")}


def test_each_component_registers_its_outputs_once(monitor: Monitor) -> None:
    components = [request for request in monitor.registered if request.type.startswith("kilonode:index:")]
    assert {kind(request) for request in components} == set(COMPONENTS)
    finished = Counter(urn.rpartition("::")[2] for urn in monitor.finished)
    assert {request.name for request in components} <= set(finished)
    by_name = {urn.rpartition("::")[2]: outputs for urn, outputs in monitor.finished.items()}
    assert by_name[SMALL["name"]] == {"endpoint", "etcd", "operator", "nodes"}


def test_there_is_one_machine_for_each_fixed_machine_of_the_plan_and_one_disk_for_each_member(monitor: Monitor) -> None:
    counts = Counter(kind(request) for request in monitor.registered)
    members = sum(cluster["members"] for cluster in SMALL["etcd"])
    machines = members + SMALL["apiServers"]["count"] + 1 + len([SIMULATED])
    assert counts["Machine"] == counts["FixedMachine"] == machines
    assert counts["Disk"] == members
    assert counts["MachineSecrets"] == machines + 1
    assert counts["MachineCredentials"] == machines + len([MACHINES]) + 1
    assert counts["NodePool"] == len([MACHINES])


@pytest.mark.parametrize("pool", [0, 1])
def test_nodes_are_never_resources(
    small: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, pool: int
) -> None:
    few = len(registered(small, monkeypatch, tmp_path).registered)
    small["nodePools"][pool]["nodes"] = 30
    assert len(registered(small, monkeypatch, tmp_path).registered) == few


def test_a_pool_of_machines_that_comes_or_goes_touches_no_other_resource(
    small: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def inputs() -> dict[str, str]:
        found = registered(small, monkeypatch, tmp_path).registered
        return {request.name: str(request.object) for request in found if "pool" not in request.parent}

    before = inputs()
    small["nodePools"].insert(0, {**MACHINES, "name": "more", "range": "10.200.4.0/22"})
    after = inputs()
    assert {name for name in before if before[name] != after[name]} == set()
    assert set(before) <= set(after)


def test_names_say_region_and_role(monitor: Monitor) -> None:
    machines = {request.name for request in monitor.registered if kind(request) == "Machine"}
    assert machines == {"small-etcd-main-1", "small-etcd-events-1", "small-api-1", "small-lb-1", "small-sim-1"}


def test_key_material_is_marked_secret_and_disks_are_protected(monitor: Monitor) -> None:
    for request in monitor.registered:
        if kind(request) in ("MachineCredentials", "CertificateAuthority", "SharedKey"):
            assert set(request.additionalSecretOutputs) & {"files", "key", "content"}, request.name
        assert request.protect == (kind(request) == "Disk"), request.name


def test_a_pool_that_is_refused_leaves_nothing_registered(
    small: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    images = [{"reference": f"registry.example.com/train:v1@sha256:{'0' * 64}", "archive": "/nowhere/train.tar"}]
    small["nodePools"][1]["images"] = images
    made: list[Monitor] = []
    monkeypatch.setattr(
        Monitor, "RegisterResource", lambda self, request: made.append(request) or pytest.fail("registered")
    )
    with pytest.raises(RefusedError, match=r"/nowhere/train\.tar"):
        registered(small, monkeypatch, tmp_path)
    assert [request for request in made if "Region" in request.type] == []
