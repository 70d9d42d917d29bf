"""The workflow files for GitHub and GitLab: valid by their makers' schemas, their scripts by shellcheck, and no more trusted than needed."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from ops.comment import MARK
from ops.stack import CLONE

GITHUB, GITLAB = (CLONE / "ci" / name / "kilonode-preview.yml" for name in ("github", "gitlab"))
PINNED = re.compile(r"[\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
BIN = Path(sys.executable).parent


def loaded(file: Path) -> dict[Any, Any]:
    document: dict[Any, Any] = yaml.safe_load(file.read_text())
    return document


def jobs() -> dict[str, Any]:
    found: dict[str, Any] = loaded(GITHUB)["jobs"]
    return found


def steps() -> Iterator[tuple[str, dict[str, Any]]]:
    for name, job in jobs().items():
        yield from ((name, step) for step in job["steps"])


def scripts() -> Iterator[str]:
    yield from (step["run"] for _, step in steps() if "run" in step)
    for job in loaded(GITLAB).values():
        if isinstance(job, dict):
            yield from job.get("script", ())


@pytest.mark.parametrize(
    ("file", "words"),
    [
        (GITHUB, ["--builtin-schema", "vendor.github-workflows"]),
        (GITHUB, ["--builtin-schema", "custom.github-workflows-require-timeout"]),
        (GITLAB, ["--builtin-schema", "vendor.gitlab-ci", "--data-transform", "gitlab-ci"]),
    ],
)
def test_each_file_is_valid_and_a_fault_in_it_would_be_found(tmp_path: Path, file: Path, words: list[str]) -> None:
    def valid(path: Path) -> bool:
        done = subprocess.run([BIN / "check-jsonschema", *words, path], capture_output=True, check=False)
        return done.returncode == 0

    assert valid(file)
    spoilt = tmp_path / file.name
    spoilt.write_text(
        file.read_text().replace("timeout-minutes: 30", "timeout: 30").replace("timeout: 30 minutes", "script: 7")
    )
    assert not valid(spoilt)


def test_every_script_is_clean_by_shellcheck() -> None:
    assert len(list(scripts())) > 5
    for script in scripts():
        words = [BIN / "shellcheck", "--shell=bash", "-"]
        # GitHub runs bash -e, GitLab sh -e with the lines of one script.
        done = subprocess.run(words, input=f"set -e\n{script}\n", text=True, capture_output=True, check=False)
        assert done.returncode == 0, f"{script}\n{done.stdout}"


def test_no_expression_is_put_into_a_script_where_a_name_of_a_branch_would_be_code() -> None:
    assert [step["run"] for _, step in steps() if "${{" in step.get("run", "")] == []


def test_every_action_is_pinned_to_a_commit_with_its_version_beside_it() -> None:
    used = [line.partition("uses: ")[2] for line in GITHUB.read_text().splitlines() if "uses: " in line]
    assert len(used) > 5
    assert [line for line in used if not PINNED.fullmatch(line)] == []


def test_strangers_get_neither_rights_nor_secrets() -> None:
    document = loaded(GITHUB)
    # YAML 1.1 reads the key `on` as true.
    assert list(document[True]) == ["pull_request"]
    assert document["permissions"] == {"contents": "read"}
    more = {name: set(job["permissions"]) - {"contents"} for name, job in jobs().items() if "permissions" in job}
    assert more == {"preview": {"id-token"}, "comment": {"pull-requests"}}
    assert "github.event.pull_request.head.repo.full_name == github.repository" in jobs()["preview"]["if"]
    assert {name for name, step in steps() if "secrets." in str(step)} == {"preview"}
    for name, step in steps():
        if "checkout" in step.get("uses", ""):
            assert step["with"]["persist-credentials"] is False
            # Who may write comments runs the base's code only.
            assert (step["with"].get("ref") == "${{ github.event.pull_request.base.sha }}") == (name == "comment")
    own = "$CI_MERGE_REQUEST_PROJECT_ID == $CI_PROJECT_ID && $CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $CI_PROJECT_ID"
    gitlab = loaded(GITLAB)
    assert own in gitlab[".own-merge-request"]["rules"][0]["if"]
    assert gitlab["kilonode-preview"]["extends"] == ".own-merge-request"
    assert own in gitlab["kilonode-comment"]["rules"][0]["if"]
    assert gitlab["kilonode-comment"]["rules"][0]["when"] == "always"


def test_both_find_their_own_comment_by_the_mark_it_begins_with() -> None:
    assert sum(MARK.strip() in script for script in scripts()) == 2


def test_both_check_find_the_stacks_preview_each_and_write_under_the_change() -> None:
    for file in (GITHUB, GITLAB):
        text = file.read_text()
        for word in ("make check", "-m ops.changed", "make --no-print-directory preview STACK=", "comment.md"):
            assert word in text, f"{file}: {word}"
    goals = set(re.findall(r"^([a-z]+):", (CLONE / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"make (?:--no-print-directory )?([a-z]+)", "\n".join(scripts()))) <= goals
