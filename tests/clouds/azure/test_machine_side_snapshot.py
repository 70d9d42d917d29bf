"""Who takes a snapshot, where it goes, and what a failure looks like; etcd itself is in the oracles."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clouds.azure.conftest import ME, OWN, Cloud
from tests.oracles.azure.programs import loaded

from azure_machine import blobs, patience  # isort: skip

program = loaded("etcd-snapshot")


class Etcd:
    """What etcdctl and etcdutl would say."""

    def __init__(self) -> None:
        self.names, self.sick, self.learners = ["m-1", "m-2", "m-3"], set[str](), set[str]()
        self.status = {"hash": 1, "revision": 7, "totalKey": 3, "totalSize": 5}
        self.content = b"12345"
        self.failures: list[str] = []
        """Words of the commands that will fail, each once, in this order."""

    def url(self, name: str) -> str:
        return f"https://{name}:2379"

    @property
    def snapshot(self) -> bytes:
        return self.content + hashlib.sha256(self.content).digest()

    def run(self, *words: str, ok: tuple[int, ...] = (0,)) -> str:
        if self.failures and self.failures[0] in words:
            failed = self.failures.pop(0)
            if failed == "health":
                return ""  # exit 1, which is one of its answers
            if failed == "save":  # as one that is killed
                Path(f"{words[-1]}.part").write_bytes(self.content)
            raise patience.NotYetError(f"{words[0]}: exit 1")
        if "save" in words:
            Path(words[-1]).write_bytes(self.snapshot)
            return f"Snapshot saved at {words[-1]}"
        return json.dumps(self.answer(words))

    def answer(self, words: tuple[str, ...]) -> Any:
        if "list" in words:
            rows = [{"name": name, "clientURLs": [self.url(name)]} for name in self.names]
            return {"members": [row | ({"isLearner": True} if row["name"] in self.learners else {}) for row in rows]}
        if "health" in words:
            return [{"endpoint": self.url(name), "health": name not in self.sick} for name in self.names]
        return self.status


@pytest.fixture
def etcd(monkeypatch: pytest.MonkeyPatch) -> Etcd:
    made = Etcd()
    monkeypatch.setattr(program, "run", made.run)
    return made


@pytest.fixture
def run(tmp_path: Path, cloud: Cloud, etcd: Etcd, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    facts, config, disk = tmp_path / "azure.json", tmp_path / "etcd.yaml", tmp_path / "disk"
    disk.mkdir()
    facts.write_text(json.dumps({"snapshots": f"{cloud.storage}/snapshots", "identity": OWN}))
    monkeypatch.setattr(program, "FACTS", facts)
    monkeypatch.setattr(program, "CONFIG", config)

    def as_member(name: str) -> int:
        rows = {"name": name, "advertise-client-urls": etcd.url(name), "initial-cluster-token": "west-etcd-main"}
        config.write_text(json.dumps(rows | {"data-dir": str(disk / "data")}))
        try:
            return int(program.main())
        finally:
            assert not any(path.is_file() for path in disk.rglob("*")), "a snapshot is left on the disk"

    yield as_member
    assert cloud.state.wrongs() == []


def taken(cloud: Cloud) -> list[Path]:
    return sorted(path for path in (cloud.blobs / "snapshots").iterdir() if path.is_file())


def test_of_all_healthy_members_the_first_takes_it_and_the_others_leave_it_to_it(
    cloud: Cloud, etcd: Etcd, run: Any
) -> None:
    assert [run(name) for name in ("m-3", "m-2", "m-1")] == [0, 0, 0]
    (blob,) = taken(cloud)
    assert blob.name.startswith("west-etcd-main%20")
    assert blob.name.endswith("Z-7.db")
    assert blob.read_bytes() == etcd.snapshot


def test_a_member_that_is_not_well_or_a_learner_is_passed_over(cloud: Cloud, etcd: Etcd, run: Any) -> None:
    etcd.sick, etcd.learners = {"m-1"}, {"m-2"}
    assert [run(name) for name in ("m-1", "m-2")] == [0, 0]
    assert taken(cloud) == []
    assert run("m-3") == 0
    assert len(taken(cloud)) == 1


def test_a_cluster_of_which_no_member_is_well_is_a_failure_after_ten_minutes(
    etcd: Etcd, run: Any, impatient: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    etcd.sick = set(etcd.names)
    assert run("m-1") == 1
    assert 500 < sum(impatient) <= program.PATIENCE
    assert capsys.readouterr().err.splitlines()[-1] == ("no snapshot was taken off the machine: no member is healthy")


@pytest.mark.parametrize("command", ["list", "health", "save", "status"])
def test_a_command_of_etcd_that_fails_is_given_again_and_one_that_goes_on_failing_is_a_failure(
    command: str, cloud: Cloud, etcd: Etcd, run: Any, impatient: list[float]
) -> None:
    etcd.failures = [command] * 1000
    assert run("m-1") == 1
    assert taken(cloud) == []
    etcd.failures = [command] * 3
    assert run("m-1") == 0
    assert len(taken(cloud)) == 1


def test_a_snapshot_without_a_key_is_one_too(cloud: Cloud, etcd: Etcd, run: Any) -> None:
    etcd.status |= {"totalKey": 0, "revision": 0}
    assert run("m-1") == 0
    (blob,) = taken(cloud)
    assert blob.name.endswith("Z-0.db")


@pytest.mark.parametrize("changed", ["", "1234", "12346", "123456"])
def test_a_snapshot_that_its_sum_is_not_of_is_not_taken_off_the_machine(
    changed: str, cloud: Cloud, etcd: Etcd, run: Any, impatient: list[float],
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    broken = changed.encode() + hashlib.sha256(b"12345").digest() if changed else b""
    monkeypatch.setattr(Etcd, "snapshot", broken)
    assert run("m-1") == 1
    assert taken(cloud) == []
    assert capsys.readouterr().err.splitlines()[-1].endswith("the snapshot is not whole: its sum is another")


def test_a_container_that_does_not_take_it_is_a_failure_with_its_reason(
    cloud: Cloud, run: Any, impatient: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    cloud.state.write("machines", {"*": ME | {"containers": ["marks"]}})
    assert run("m-1") == 1
    assert sum(impatient) <= program.PATIENCE
    assert capsys.readouterr().err.splitlines()[-1].endswith("403 AuthorizationPermissionMismatch")


def test_a_large_snapshot_goes_in_blocks_that_make_the_same_bytes(
    cloud: Cloud, etcd: Etcd, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blobs, "BLOCK", 100)
    etcd.content = bytes(range(256)) * 10
    assert run("m-1") == 0
    (blob,) = taken(cloud)
    assert blob.read_bytes() == etcd.snapshot
    assert [row["query"].get("comp") for row in cloud.state.requests("storage")] == ["block"] * 26 + ["blocklist"]


def test_a_snapshot_of_the_same_name_stays_as_it_is(cloud: Cloud, tmp_path: Path) -> None:
    container, file = blobs.Container(f"{cloud.storage}/snapshots", OWN), tmp_path / "file"
    file.write_bytes(b"first")
    assert patience.insist(lambda: container.upload("name", file))
    file.write_bytes(b"second")
    assert not container.upload("name", file)
    assert (cloud.blobs / "snapshots/name").read_bytes() == b"first"
    assert cloud.state.wrongs() == []


def test_an_upload_that_breaks_off_is_begun_again(
    cloud: Cloud, etcd: Etcd, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sleep(_seconds: float) -> None:
        cloud.trouble()

    patience.insist(lambda: program.Container(f"{cloud.storage}/snapshots", OWN).has("none"))
    cloud.trouble(storage=500)
    monkeypatch.setattr(patience.time, "sleep", sleep)
    assert run("m-1") == 0
    assert len(taken(cloud)) == 1
