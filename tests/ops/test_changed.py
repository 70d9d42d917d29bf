"""Which stacks a change touches: its own file's, and all of them where what they are made of has changed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ops.changed import CLONE, changed, main, stacks, touched

STACKS = ("azure-a", "azure-b", "local")
SHARED = (
    "components/kilonode/limits.py",
    "infra/__main__.py",
    "policies/pack/analyzer.py",
    "toolchain/recipes.py",
    "requirements.lock",
    "ops/preview.py",
    "stacks/policy.json",
    "Makefile",
    "pyproject.toml",
)
OTHERS = (
    "README.md",
    "docs/rules.md",
    "tests/components/x.py",
    "stacks/schema.json",
    "my-infra/x",
    "docs/Makefile",
)


@pytest.mark.parametrize("path", [*SHARED, "Pulumi.yaml"])
def test_what_all_stacks_are_made_of_touches_all(path: str) -> None:
    assert touched([path], STACKS) == list(STACKS)


@pytest.mark.parametrize(
    "path", [*OTHERS, "stacks/Pulumi.gone.yaml", "stacks/Pulumi.local.yaml.orig", "docs/stacks/Pulumi.local.yaml"]
)
def test_what_no_stack_is_made_of_touches_none(path: str) -> None:
    assert touched([path], STACKS) == []


@given(st.sets(st.sampled_from(STACKS)), st.lists(st.sampled_from(OTHERS)))
def test_a_stack_file_touches_its_own_stack_and_no_other(own: set[str], others: list[str]) -> None:
    assert touched([*others, *(f"stacks/Pulumi.{name}.yaml" for name in own)], STACKS) == sorted(own)


def test_the_stacks_are_those_that_have_a_file() -> None:
    assert {"local", "azure-southcentralus"} <= set(stacks())
    assert "schema" not in stacks()


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A repository whose branch `change` has left `main`, which went on."""
    folder = tmp_path / "stacks"
    folder.mkdir()

    def git(*words: str) -> None:
        who = ("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True)

    def put(name: str, text: str) -> None:
        (folder / name).write_text(text)
        git("add", "-A")
        git("commit", "-m", name)

    git("init", "-b", "main")
    put("Pulumi.one.yaml", "x" * 200)
    git("checkout", "-b", "change")
    (folder / "Pulumi.one.yaml").rename(folder / "Pulumi.two.yaml")
    put("a file with\nodd name", "")
    git("checkout", "main")
    put("Pulumi.three.yaml", "")
    git("checkout", "change")
    return tmp_path


def test_only_what_the_branch_itself_has_changed_counts_and_a_moved_file_counts_twice(clone: Path) -> None:
    assert changed("main", clone) == [
        "stacks/Pulumi.one.yaml",
        "stacks/Pulumi.two.yaml",
        "stacks/a file with\nodd name",
    ]
    assert stacks(clone) == ["two"]


def test_a_base_that_git_does_not_know_is_told_in_its_words(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(
        SystemExit, match=r"cannot compare with 'nowhere': fatal: .*; fetch it with its history"
    ) as ended:
        main(["nowhere", "--json"])
    assert ended.value.code  # a pipeline takes it for a fault
    assert capsys.readouterr().out == ""


def test_it_prints_a_list_or_lines(capsys: pytest.CaptureFixture[str]) -> None:
    main(["HEAD", "--json"])
    assert json.loads(capsys.readouterr().out) == []
    main(["HEAD"])
    assert capsys.readouterr().out == ""


def test_it_needs_nothing_but_python_as_a_pipeline_asks_first() -> None:
    words = [sys.executable, "-S", "-m", "ops.changed", "HEAD", "--json"]
    assert subprocess.run(words, cwd=CLONE, text=True, capture_output=True, check=True).stdout == "[]\n"
