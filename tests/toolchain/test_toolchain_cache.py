import dataclasses
import shutil
from pathlib import Path

import pytest

from toolchain import cache, provision
from toolchain.fault import ToolchainError
from toolchain.recipes import TOOLS, Tool

ETCD = TOOLS["etcd"]


def pretend_built(folder: Path, tool: Tool) -> None:
    (folder / "bin").mkdir(parents=True)
    for program in tool.programs:
        (folder / "bin" / program.name).touch(mode=0o755)


@pytest.mark.parametrize(
    "change",
    [
        {"stamps": (("main.version", "x"),)},
        {"programs": ETCD.programs[:2]},
        {"version": (3, 7, 4)},
        {"tags": ("no_btrfs",)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_the_digest_changes_with_the_row(change: dict[str, object]) -> None:
    assert cache.digest(dataclasses.replace(ETCD, **change)) != cache.digest(ETCD)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "file",
    [
        "modules/pulumi/go.sum",
        "modules/pulumi/go.mod",
        "language_host/server.py",
        "launchers/pulumi-language-python",
        "modules/pause/main.go",
    ],
)
def test_the_digest_changes_with_each_file_that_goes_into_the_tool(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = TOOLS["pause" if "pause" in file else "pulumi"]
    before = cache.digest(tool)
    shutil.copytree(cache.HERE, tmp_path / "toolchain")
    monkeypatch.setattr(cache, "HERE", tmp_path / "toolchain")
    assert cache.digest(tool) == before
    with (tmp_path / "toolchain" / file).open("a") as handle:
        handle.write("\n")
    assert cache.digest(tool) != before


def test_the_entry_names_tool_version_and_digest_below_the_cache(cache_root: Path) -> None:
    assert cache.entry(ETCD) == cache_root / f"etcd-3.7.3-{cache.digest(ETCD)}"


def test_without_an_own_folder_the_cache_follows_xdg(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("KILONODE_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.root() == tmp_path / "kilonode" / "tools"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.root() == tmp_path / ".cache" / "kilonode" / "tools"


def test_a_whole_entry_is_located(cache_root: Path) -> None:
    pretend_built(cache.entry(ETCD), ETCD)
    assert provision.locate("etcd") == cache_root / cache.entry(ETCD).name / "bin"


def test_a_half_made_build_is_not_used(cache_root: Path) -> None:
    pretend_built(cache_root / f".{cache.entry(ETCD).name}.building", ETCD)
    with pytest.raises(ToolchainError, match="python -m toolchain ensure etcd"):
        provision.locate("etcd")


def test_an_entry_that_lost_a_program_is_not_used(cache_root: Path) -> None:
    pretend_built(cache.entry(ETCD), ETCD)
    (cache.entry(ETCD) / "bin" / "etcdutl").unlink()
    assert cache_root in cache.entry(ETCD).parents
    assert provision.find(ETCD).source == "to build"


def test_kwok_without_its_stages_is_not_used(cache_root: Path) -> None:
    kwok = TOOLS["kwok"]
    pretend_built(cache.entry(kwok), kwok)
    assert cache_root in cache.entry(kwok).parents
    assert not cache.is_built(kwok)
    (cache.entry(kwok) / "share").mkdir()
    (cache.entry(kwok) / "share" / "stages.yaml").touch()
    assert provision.data_file("kwok", "stages.yaml") == cache.entry(kwok) / "share" / "stages.yaml"


def test_an_unknown_tool_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(ToolchainError, match="etcd, kubernetes, pulumi, kwok"):
        provision.locate("etcdd")
