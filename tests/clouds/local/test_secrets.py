from pathlib import Path

import pytest

from kilonode.clouds.local.secrets import MachineSecretsProvider


@pytest.fixture
def props(home: Path) -> dict[str, object]:
    assert not home.exists()
    return {"region": "west", "machine": "etcd-1", "files": {"etcd/peer.key": "one", "token": "two"}}


def written(folder: Path) -> dict[str, tuple[str, str]]:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(path.relative_to(folder)): (path.read_text(), f"{path.stat().st_mode & 0o777:o}") for path in files}


def test_only_root_can_read_what_is_written(props: dict[str, object], home: Path) -> None:
    made = MachineSecretsProvider().create(props)
    assert made.outs is not None
    folder = Path(made.outs["folder"])
    assert written(folder) == {"etcd/peer.key": ("one", "400"), "token": ("two", "400")}
    folders = [home, *(path for path in home.rglob("*") if path.is_dir())]
    assert {path.stat().st_mode & 0o777 for path in folders} == {0o700}


def test_an_update_rewrites_what_changed_removes_what_is_gone_and_keeps_the_bound_folder(
    props: dict[str, object],
) -> None:
    provider = MachineSecretsProvider()
    made = provider.create(props)
    assert made.outs is not None
    folder = Path(made.outs["folder"])
    bound = folder.stat().st_ino
    provider.update("id", made.outs, {**props, "files": {"token": "three"}})
    assert written(folder) == {"token": ("three", "400")}
    assert folder.stat().st_ino == bound
    assert [path.name for path in folder.iterdir()] == ["token"]


def test_a_lost_or_altered_file_is_written_again_by_the_next_run(props: dict[str, object]) -> None:
    provider = MachineSecretsProvider()
    made = provider.create(props)
    assert made.outs is not None
    assert provider.diff("id", made.outs, props).changes is False
    token = Path(made.outs["folder"]) / "token"
    token.chmod(0o600)
    token.write_text("altered")
    found = provider.read("id", made.outs)
    assert found.outs is not None
    assert provider.diff("id", found.outs, props).changes is True
    provider.update("id", found.outs, props)
    assert written(token.parent)["token"] == ("two", "400")


def test_a_missing_folder_reads_as_gone_and_delete_leaves_nothing(props: dict[str, object], home: Path) -> None:
    provider = MachineSecretsProvider()
    made = provider.create(props)
    assert made.outs is not None
    provider.delete("id", made.outs)
    assert provider.read("id", made.outs).id is None
    assert not home.exists()


@pytest.mark.parametrize("path", ["../other/key", "/etc/shadow", "a/../../b", "", ".", "a//b"])
def test_a_path_out_of_the_machines_folder_is_refused(props: dict[str, object], path: str) -> None:
    result = MachineSecretsProvider().check({}, {**props, "files": {path: "x"}})
    assert [failure.property for failure in result.failures] == ["files"]
