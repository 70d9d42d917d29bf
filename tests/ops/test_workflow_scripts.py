"""The scripts of both workflow files, run as a runner runs them: in a clone with a change, with stand-ins for make, gh and curl."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from ops.comment import LOST, UNKNOWN
from ops.stack import CLONE

GITHUB = yaml.safe_load((CLONE / "ci" / "github" / "kilonode-preview.yml").read_text())["jobs"]
GITLAB = yaml.safe_load((CLONE / "ci" / "gitlab" / "kilonode-preview.yml").read_text())

MAKE = """#!/bin/sh
stack=${3#STACK=}
if [ "$stack" = killed ]; then kill -9 $PPID; fi
echo "preview of $stack"
test "$stack" != bad
"""
CLIENT = """#!/bin/sh
echo "$@" >> "$ASKED"
case "$*" in *body=@*|*body@*) ;; *) cat "$THERE" ;; esac
"""


class Clone:
    """A clone whose last commit is the change; ``base`` is what it is compared with."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.asked = folder / "clone", folder / "asked"
        (self.folder / "stacks").mkdir(parents=True)
        shutil.copytree(CLONE / "ops", self.folder / "ops", ignore=shutil.ignore_patterns("__pycache__"))
        self._git("init", "-q")
        self.base = self._commit()
        self._bin = folder / "bin"
        self._bin.mkdir()
        for name, text in (("make", MAKE), ("gh", CLIENT), ("curl", CLIENT)):
            (self._bin / name).write_text(text)
            (self._bin / name).chmod(0o755)

    def changes(self, *stacks: str, **files: str) -> None:
        for each in stacks:
            (self.folder / "stacks" / f"Pulumi.{each}.yaml").write_text("config: {}\n")
        for path, text in files.items():
            (self.folder / path.replace("__", "/")).with_suffix(".py").write_text(text)
        self._commit()

    def run(self, script: str, there: str = "", **environment: str) -> int:
        """The exit code of a script under ``bash -e``, as on both; ``there`` is what the service answers."""
        (self.folder.parent / "there").write_text(there)
        own = {
            "PATH": f"{self._bin}{os.pathsep}{os.environ['PATH']}",
            "ASKED": str(self.asked),
            "THERE": str(self.folder.parent / "there"),
            "CI_MERGE_REQUEST_DIFF_BASE_SHA": self.base,
            "CI_API_V4_URL": "https://gitlab.example.com/api/v4",
            "CI_PROJECT_ID": "1",
            "CI_MERGE_REQUEST_IID": "2",
            "KILONODE_COMMENT_TOKEN": "t",
        }
        words = ["bash", "-eo", "pipefail", "-c", script]
        return subprocess.run(
            words, cwd=self.folder, env=os.environ | own | environment, capture_output=True, check=False
        ).returncode

    def written(self) -> str:
        return (self.folder / "comment.md").read_text()

    def requests(self) -> list[str]:
        return self.asked.read_text().splitlines() if self.asked.exists() else []

    def _commit(self) -> str:
        self._git("add", "-A")
        self._git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "x", "--allow-empty")
        return self._git("rev-parse", "HEAD")

    def _git(self, *words: str) -> str:
        return subprocess.run(
            ["git", *words], cwd=self.folder, text=True, capture_output=True, check=True
        ).stdout.strip()


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path)


def step(job: str, word: str) -> str:
    found: list[str] = [each["run"] for each in GITHUB[job]["steps"] if word in each.get("run", "")]
    assert len(found) == 1
    return found[0]


def gitlab(job: str) -> str:
    script: list[Any] = GITLAB[job]["script"]
    return str(script[0])


def test_gitlab_previews_every_stack_that_is_touched_and_fails_if_one_does(clone: Clone) -> None:
    clone.changes("bad", "good")
    assert clone.run(gitlab("kilonode-preview")) == 1
    previews = clone.folder / "previews"
    assert (previews / "bad.code").read_text() == "1\n"
    assert (previews / "good.code").read_text() == "0\n"
    assert clone.run(gitlab("kilonode-comment"), there="[]") == 0
    assert clone.written().index("### `bad`: FAILS") < clone.written().index("### `good`: passes")
    assert "preview of bad" in clone.written()
    assert [("POST" in each, "body@comment.md" in each) for each in clone.requests()] == [(False, False), (True, True)]


def test_gitlab_fails_where_nobody_can_tell_what_is_touched_and_says_so(clone: Clone) -> None:
    clone.changes("good")
    lost = {"CI_MERGE_REQUEST_DIFF_BASE_SHA": "deadbeef" * 5}
    assert clone.run(gitlab("kilonode-preview"), **lost) != 0
    assert clone.run(gitlab("kilonode-comment"), there="[]") == 0
    assert UNKNOWN in clone.written()


def test_gitlab_writes_with_the_code_of_the_base_and_never_with_that_of_the_change(clone: Clone) -> None:
    evil = "print('evil')\n"
    clone.changes("good", ops__comment=evil, ops__said=evil, ops____init__=evil, argparse=evil)
    previews = clone.folder / "previews"
    previews.mkdir()
    for name, text in (("stacks.json", '["good"]'), ("good.txt", "fine"), ("good.code", "0\n")):
        (previews / name).write_text(text)
    assert clone.run(gitlab("kilonode-comment"), there="[]") == 0
    assert "### `good`: passes" in clone.written()
    assert "evil" not in clone.written()


@pytest.mark.parametrize(("there", "asked"), [("[]", 1), ('[{"id": 7, "body": "<!-- kilonode preview -->\\nold"}]', 2)])
def test_gitlab_edits_a_comment_that_is_there_and_makes_none_for_a_change_without_stacks(
    clone: Clone, there: str, asked: int
) -> None:
    assert clone.run(gitlab("kilonode-preview")) == 0
    assert clone.run(gitlab("kilonode-comment"), there=there) == 0
    assert len(clone.requests()) == asked
    assert asked == 1 or "PUT" in clone.requests()[1]
    assert asked == 1 or clone.requests()[1].endswith("/notes/7")


def test_github_finds_the_stacks_previews_each_and_writes_under_the_change(clone: Clone) -> None:
    clone.changes("bad", "good", "lost")
    output = clone.folder.parent / "output"
    output.touch()
    assert clone.run(step("stacks", "ops.changed"), BASE=clone.base, GITHUB_OUTPUT=str(output)) == 0
    touched = output.read_text().removeprefix("touched=").strip()
    assert touched == '["bad", "good", "lost"]'
    for stack, code in (("bad", 1), ("good", 0)):
        assert clone.run(step("preview", "preview STACK="), STACK=stack) == code
        shutil.copytree(clone.folder / "previews", clone.folder.parent / "all", dirs_exist_ok=True)
        shutil.rmtree(clone.folder / "previews")
    shutil.copytree(clone.folder.parent / "all", clone.folder / "previews")
    environment = {"TOUCHED": touched, "COMMENTS": "repos/o/r/issues/1/comments", "REPOSITORY": "o/r"}
    assert clone.run(step("comment", "ops.comment"), **environment) == 0
    assert "### `bad`: FAILS" in clone.written()
    assert "### `good`: passes" in clone.written()
    assert f"{LOST}" in clone.written().partition("### `lost`: FAILS")[2].partition("###")[0]
    assert "POST" in clone.requests()[-1]
    assert clone.run(step("comment", "ops.comment"), there="9\n", **environment) == 0
    assert "PATCH repos/o/r/issues/comments/9" in clone.requests()[-1]


@pytest.mark.parametrize(("touched", "there", "asked"), [("[]", "", 1), ("[]", "9\n", 2), ("", "", 2)])
def test_github_edits_what_an_earlier_push_has_said(clone: Clone, touched: str, there: str, asked: int) -> None:
    environment = {"TOUCHED": touched, "COMMENTS": "c", "REPOSITORY": "o/r"}
    assert clone.run(step("comment", "ops.comment"), there=there, **environment) == 0
    assert len(clone.requests()) == asked
    assert (UNKNOWN in clone.written()) == (touched == "")


def test_a_preview_that_is_killed_is_one_that_fails(clone: Clone) -> None:
    clone.changes("killed")
    assert clone.run(gitlab("kilonode-preview")) != 0
    assert clone.run(gitlab("kilonode-comment"), there="[]") == 0
    assert "### `killed`: FAILS" in clone.written()
