"""A stack's files on the host: the copy the engine writes to, the passphrase, and who owns a region's name."""

import stat
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from kilonode.refusal import RefusedError
from ops import stack as stacks
from ops.engine import PROJECT, PROJECT_NAME, Engine
from ops.stack import CLONE, Stack, open_stack, passphrase_file
from ops.stackfile import read_stack

SECONDS = 60


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KILONODE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def stack_file(folder: Path, stack: str, settings: dict[str, Any]) -> Stack:
    file = folder / f"Pulumi.{stack}.yaml"
    file.write_text(yaml.safe_dump({"config": {"kilonode:region": settings}}))
    return open_stack(file)


def test_the_engines_copy_follows_the_stack_file_and_keeps_its_salt(
    home: Path, tmp_path: Path, small: dict[str, Any]
) -> None:
    stack = stack_file(tmp_path, "one", small)
    stack.refresh_config()
    copy = yaml.safe_load(stack.config_file.read_text())
    stack.config_file.write_text(yaml.safe_dump(copy | {"encryptionsalt": "v1:salt"}))
    small["ceiling"] = 50
    edited = stack_file(tmp_path, "one", small)
    edited.refresh_config()
    kept = yaml.safe_load(edited.config_file.read_text())
    assert kept["encryptionsalt"] == "v1:salt"
    assert kept["config"]["kilonode:region"]["ceiling"] == 50
    assert "salt" not in edited.file.read_text()


def test_a_region_of_another_stack_is_refused_with_that_stacks_name(
    home: Path, tmp_path: Path, small: dict[str, Any]
) -> None:
    first, second = stack_file(tmp_path, "one", small), stack_file(tmp_path, "two", small)
    first.refresh_config()
    first.refuse_taken()
    with pytest.raises(RefusedError, match="stack one of this machine has a region of that name"):
        second.refuse_taken()
    first.forget()
    second.refuse_taken()


def test_a_living_region_of_another_home_is_refused(
    home: Path, tmp_path: Path, small: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stacks, "CLAIMS", tmp_path / "claims")
    (tmp_path / "claims").mkdir()
    stack = stack_file(tmp_path, "one", small)
    (tmp_path / "claims" / stack.spec.name).write_text("/elsewhere/stacks/two")
    stack.refuse_taken()
    monkeypatch.setattr(stacks.netns, "exists", lambda region: region == stack.spec.name)
    with pytest.raises(RefusedError, match="KILONODE_HOME=/elsewhere make down STACK=two"):
        stack.refuse_taken()
    (tmp_path / "claims" / stack.spec.name).write_text(str(stack.folder))
    stack.refuse_taken()


def test_a_stack_forgets_every_name_it_asked_for_and_no_other_s(
    home: Path, tmp_path: Path, small: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stacks, "CLAIMS", tmp_path / "claims")
    stack_file(tmp_path, "one", small).claim()
    renamed = stack_file(tmp_path, "one", small | {"name": "renamed"})
    renamed.claim()
    stack_file(tmp_path, "two", small | {"name": "other"}).claim()
    assert renamed.region_names() == {"small", "renamed"}
    renamed.forget()
    assert [claim.name for claim in (tmp_path / "claims").iterdir()] == ["other"]


def test_only_a_stack_s_own_record_says_that_the_engine_knows_it(
    home: Path, tmp_path: Path, small: dict[str, Any]
) -> None:
    engine = Engine(stack_file(tmp_path, "one", small))
    folder = home / "state/.pulumi/stacks/kilonode"
    folder.mkdir(parents=True)
    for other in ("one.json.bak", "one-b.json", "two.json"):
        (folder / other).touch()
        assert not engine.exists()
    (folder / "one.json").touch()
    assert engine.exists()
    engine.forget()
    assert sorted(file.name for file in folder.iterdir()) == ["one-b.json", "two.json"]
    assert not engine.exists()


def test_the_engine_looks_for_records_under_the_project_s_own_name() -> None:
    assert yaml.safe_load((CLONE / PROJECT).read_text())["name"] == PROJECT_NAME


def test_the_passphrase_is_made_once_and_is_for_its_owner_alone(home: Path) -> None:
    first = passphrase_file().read_text()
    assert passphrase_file().read_text() == first
    assert stat.S_IMODE(passphrase_file().stat().st_mode) == 0o600
    assert len(first) >= 40


def test_a_second_command_on_a_stack_waits_for_the_first(
    home: Path, tmp_path: Path, small: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    stack, order = stack_file(tmp_path, "one", small), []

    def second() -> None:
        with stack.alone():
            order.append("second")

    with stack.alone():
        thread = threading.Thread(target=second, daemon=True)
        thread.start()
        give_up = time.monotonic() + SECONDS
        while "waiting" not in capsys.readouterr().out:
            assert thread.is_alive()
            assert time.monotonic() < give_up
        order.append("first")
    thread.join()
    assert order == ["first", "second"]


@pytest.mark.parametrize("verb", ["up", "down", "status"])
def test_a_stack_of_another_cloud_is_refused_with_what_to_run_in_place_of_it(verb: str, home: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ops", verb, "azure-southcentralus"],
        cwd=CLONE,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "kilonode:region.cloud.kind\n    given:   azure\n    allowed: 'local'\n" in done.stderr
    assert "run `pulumi up -s azure-southcentralus`" in done.stderr
    assert "Traceback" not in done.stderr
    assert not home.exists()


def test_what_the_engine_writes_into_a_stack_file_is_let_be_where_it_works_on_that_file(tmp_path: Path) -> None:
    salt = {"encryptionsalt": "v1:salt"}
    for name, refused in (("azure-westeurope-small", False), ("local", True)):
        file = tmp_path / f"Pulumi.{name}.yaml"
        file.write_text(yaml.safe_dump(yaml.safe_load((CLONE / "stacks" / file.name).read_text()) | salt))
        if refused:
            with pytest.raises(RefusedError, match="given:   encryptionsalt"):
                read_stack(file)
        else:
            assert read_stack(file).name == "westeurope-small"


def test_an_unknown_stack_is_refused_in_words() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ops", "up", "nowhere"], cwd=CLONE, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "there is no such file" in done.stderr
    assert "Traceback" not in done.stderr
