"""The command reads and writes in whatever a machine has its text, and what makes it fail is told as no broken rule."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from kilonode.rules import __main__ as command
from kilonode.rules.__main__ import CLEAN, UNREADABLE, VIOLATED, main
from tests.rules.doors import exported
from tests.rules.foreign import Foreign

IMAGE = "registry.example.com/größe:latest"


def broken() -> str:
    of = Foreign()
    of.image = IMAGE
    return json.dumps(exported(of.resources()), ensure_ascii=False)


@pytest.fixture
def state(tmp_path: Path) -> str:
    (tmp_path / "state.json").write_text(broken(), encoding="utf-8")
    return str(tmp_path / "state.json")


def written(monkeypatch: pytest.MonkeyPatch, encoding: str, *words: str) -> bytes:
    """What the command writes to a standard output of an encoding."""
    out = io.BytesIO()
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", io.TextIOWrapper(out, encoding=encoding))
        assert main(["check", *words]) == VIOLATED
        return out.getvalue()


@pytest.mark.parametrize("form", ["json", "sarif"])
@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8"])
def test_what_programs_read_is_written_in_utf_8_wherever_it_runs(
    monkeypatch: pytest.MonkeyPatch, state: str, form: str, encoding: str
) -> None:
    told = written(monkeypatch, encoding, state, "--format", form)
    assert IMAGE in str(json.loads(told.decode()))


@pytest.mark.parametrize(("encoding", "shown"), [("ascii", b"gr\\xf6\\xdfe"), ("latin-1", "größe".encode("latin-1"))])
def test_what_a_terminal_cannot_show_is_written_out(
    monkeypatch: pytest.MonkeyPatch, state: str, encoding: str, shown: bytes
) -> None:
    assert b"registry.example.com/" + shown + b":latest" in written(monkeypatch, encoding, state)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_what_windows_has_written_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str], encoding: str) -> None:
    state, policy = tmp_path / "state.json", tmp_path / "policy.json"
    state.write_text(broken(), encoding=encoding)
    policy.write_text('{"image-latest": "advisory", "image-digest": "disabled"}', encoding=encoding)
    assert main(["check", str(state)]) == VIOLATED
    assert IMAGE in capsys.readouterr().out
    assert main(["check", str(state), "--policy", str(policy)]) == CLEAN


def test_a_state_may_come_by_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(broken().encode()), encoding="latin-1"))
    assert main(["check", "-"]) == VIOLATED
    assert IMAGE in capsys.readouterr().out


def test_a_file_whose_name_is_no_text_is_named_in_a_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = tmp_path / "odd\udcff.json"
    state.write_text(broken())
    assert main(["check", str(state), "--format", "sarif"]) == VIOLATED
    assert "odd%FF.json" in capsys.readouterr().out


@pytest.mark.parametrize("step", ["read_facts", "judge", "as_sarif"])
def test_what_makes_the_command_fail_is_no_broken_rule_and_none_of_its_text_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], state: str, step: str
) -> None:
    def failing(*_: Any) -> Any:
        raise KeyError("hunter2")

    monkeypatch.setattr(command, step, failing)
    assert main(["check", state, "--format", "sarif"]) == UNREADABLE
    told = capsys.readouterr()
    assert told.err == f"{state}: this check has failed, and tells nothing of it: KeyError\n"
    assert told.out == ""


def test_a_report_that_cannot_be_written_is_no_broken_rule(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], state: str
) -> None:
    class Full(io.StringIO):
        def write(self, _: str) -> int:
            raise OSError("no space left")

    monkeypatch.setattr(sys, "stdout", Full())
    assert main(["check", state]) == UNREADABLE
    assert capsys.readouterr().err.endswith("no space left\n")
