"""The durable marks of etcd members as blobs: read before etcd starts, written once it has served, and never guessed."""

from pathlib import Path

import pytest

from tests.clouds.azure.conftest import ME, OWN, Cloud, WaitsForEverError, asked
from tests.oracles.azure.programs import loaded

from azure_machine.blobs import Container  # isort: skip

program = loaded("etcd-marks")
NAME = "west-etcd-main-1"


@pytest.fixture
def marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(program, "MARKS", tmp_path / "cluster")
    return tmp_path / "cluster"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """An empty disk."""
    return tmp_path / "data"


@pytest.fixture
def container(cloud: Cloud) -> Container:
    return Container(f"{cloud.storage}/marks", OWN)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_member_without_a_mark_has_none_after_asking(
    cloud: Cloud, container: Container, marks: Path, data: Path
) -> None:
    program.pull(container, NAME, data)
    assert asked(cloud, "storage") == [404]
    assert names(marks) == []
    assert cloud.state.wrongs() == []


def test_a_mark_in_the_container_is_on_the_machine_before_etcd_starts(
    cloud: Cloud, container: Container, marks: Path, data: Path
) -> None:
    (cloud.blobs / "marks" / NAME).write_text("mark")
    program.pull(container, NAME, data)
    assert names(marks) == [NAME]


@pytest.mark.parametrize("trouble", ["rights", "container", "storage", "metadata"])
def test_whatever_is_not_the_word_of_the_container_is_waited_for(
    trouble: str, cloud: Cloud, container: Container, marks: Path, data: Path, impatient: list[float]
) -> None:
    match trouble:
        case "rights":
            cloud.state.write("machines", {"*": ME | {"containers": []}})
        case "container":
            (cloud.blobs / "marks").rmdir()
        case "storage" | "metadata":
            cloud.trouble(**{trouble: 503})
    with pytest.raises(WaitsForEverError):
        program.pull(container, NAME, data)
    assert sum(impatient) > 1800
    assert names(marks) == []


def test_a_member_with_its_data_asks_nobody(
    cloud: Cloud, container: Container, marks: Path, data: Path, impatient: list[float]
) -> None:
    (data / "member/wal").mkdir(parents=True)
    (data / "member/wal/0.wal").touch()
    cloud.trouble(storage=503, metadata=503)
    program.pull(container, NAME, data)
    assert impatient == []
    assert cloud.state.requests() == []


def test_a_mark_that_only_the_machine_has_stays(container: Container, marks: Path, data: Path) -> None:
    marks.mkdir()
    (marks / NAME).touch()
    program.pull(container, NAME, data)
    assert names(marks) == [NAME]


def test_the_mark_is_written_once_and_writing_it_again_is_no_failure(
    cloud: Cloud, container: Container, marks: Path, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    marks.mkdir()
    (marks / NAME).write_text("mark of this member\n")
    program.push(container, NAME, data)
    (marks / NAME).write_text("another text\n")
    program.push(container, NAME, data)
    assert (cloud.blobs / "marks" / NAME).read_text() == "mark of this member\n"
    assert asked(cloud, "storage") == [201, 409]
    assert cloud.state.wrongs() == []
    assert [line.rpartition(" ")[2] for line in capsys.readouterr().err.splitlines()[-2:]] == ["written", "there"]


def test_a_mark_that_cannot_be_written_is_tried_until_it_can(
    cloud: Cloud, container: Container, marks: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marks.mkdir()
    (marks / NAME).touch()
    cloud.trouble(storage=500)

    def sleep(seconds: float) -> None:
        cloud.sleep(seconds)
        if len(cloud.pauses) == 9:
            cloud.trouble()

    monkeypatch.setattr("azure_machine.patience.time.sleep", sleep)
    program.push(container, NAME, data)
    assert (cloud.blobs / "marks" / NAME).exists()


def test_a_refused_token_is_not_used_again(cloud: Cloud, container: Container) -> None:
    container._token = "stale"
    assert not program.insist(lambda: container.has(NAME))
    assert asked(cloud, "storage") == [401, 404]
