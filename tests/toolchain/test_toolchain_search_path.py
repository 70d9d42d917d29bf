import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from toolchain import cache, provision, search_path
from toolchain.recipes import TOOLS

ETCD = TOOLS["etcd"]
KUBERNETES = TOOLS["kubernetes"]
PULUMI = TOOLS["pulumi"]

FakeProgram = Callable[[Path, str, str], Path]


@pytest.fixture
def fake_program() -> FakeProgram:
    """Writes a program into a folder that prints the given text, whatever its arguments."""

    def write(folder: Path, name: str, prints: str) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        program = folder / name
        program.write_text(f"#!{sys.executable}\nprint({prints!r})\n")
        program.chmod(0o755)
        return program

    return write


def fake_etcd(folder: Path, fake: FakeProgram, etcdutl: str = "3.7.3") -> None:
    fake(folder, "etcd", "etcd Version: 3.7.3\nGit SHA: abc\nGo Version: go1.26.1")
    fake(folder, "etcdctl", "etcdctl version: 3.7.3\nAPI version: 3.7")
    fake(folder, "etcdutl", f"etcdutl version: {etcdutl}\nAPI version: 3.7")


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("Kubernetes v1.37.2", (1, 37, 2)),
        ("etcd Version: 3.7.3\nGit SHA: 1.2.3", (3, 7, 3)),
        ("kwok version v0.8.0 go1.27.3 (linux/amd64)", (0, 8, 0)),
        ("Client Version: v1.32.4-dispatcher", None),
        ("v3.274.1-alpha.1", None),
        ("no version", None),
    ],
)
def test_a_version_is_read_from_what_the_programs_print(text: str, version: tuple[int, int, int] | None) -> None:
    assert search_path.version_in(text) == version


@pytest.mark.parametrize(
    ("version", "right"),
    [((1, 37, 2), True), ((1, 37, 9), True), ((1, 37, 1), False), ((1, 38, 2), False), ((2, 37, 2), False)],
)
def test_kubernetes_wants_its_minor_version_and_no_older_patch(version: tuple[int, int, int], *, right: bool) -> None:
    assert search_path.accepts(KUBERNETES, version) is right


@pytest.mark.parametrize(
    ("version", "right"),
    [((3, 274, 1), True), ((3, 300, 0), True), ((3, 274, 0), False), ((3, 273, 9), False), ((4, 300, 0), False)],
)
def test_pulumi_may_be_newer_within_its_major_version(version: tuple[int, int, int], *, right: bool) -> None:
    assert search_path.accepts(PULUMI, version) is right


def test_a_right_copy_on_path_goes_before_the_cache(
    tmp_path: Path, cache_root: Path, fake_program: FakeProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_etcd(tmp_path / "bin", fake_program)
    fake_etcd(cache.entry(ETCD) / "bin", fake_program)
    assert cache_root.exists()
    assert provision.find(ETCD).source == "cache"
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert provision.find(ETCD).bin == tmp_path / "bin"


def test_the_caches_own_folder_on_path_counts_as_the_cache(
    cache_root: Path, fake_program: FakeProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_etcd(cache.entry(ETCD) / "bin", fake_program)
    assert cache_root.exists()
    monkeypatch.setenv("PATH", str(cache.entry(ETCD) / "bin"))
    assert provision.find(ETCD).source == "cache"


def test_one_program_of_another_version_spoils_the_copy(
    tmp_path: Path, fake_program: FakeProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    fake_etcd(tmp_path, fake_program)
    assert search_path.find(ETCD) == tmp_path
    fake_etcd(tmp_path, fake_program, etcdutl="3.6.0")
    assert search_path.find(ETCD) is None


def test_a_copy_spread_over_two_folders_is_not_taken(
    tmp_path: Path, fake_program: FakeProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_etcd(tmp_path / "a", fake_program)
    (tmp_path / "b").mkdir()
    (tmp_path / "a" / "etcdutl").rename(tmp_path / "b" / "etcdutl")
    monkeypatch.setenv("PATH", f"{tmp_path / 'a'}:{tmp_path / 'b'}")
    assert search_path.find(ETCD) is None


def test_pulumi_without_its_language_host_is_not_taken(
    tmp_path: Path, fake_program: FakeProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    fake_program(tmp_path, "pulumi", "v3.274.1")
    fake_program(tmp_path, "pulumi-resource-pulumi-python", "")
    fake_program(tmp_path, "pulumi-language-python-exec", "")
    assert search_path.find(PULUMI) is None
    fake_program(tmp_path, "pulumi-language-python", "")
    assert search_path.find(PULUMI) == tmp_path


def test_a_program_that_fails_is_not_taken(
    tmp_path: Path, fake_program: FakeProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    fake_etcd(tmp_path, fake_program)
    (tmp_path / "etcd").write_text("#!/bin/sh\necho etcd Version: 3.7.3\nexit 1\n")
    assert search_path.find(ETCD) is None
