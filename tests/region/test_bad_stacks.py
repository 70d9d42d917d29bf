"""Stack files with one fault each: refused before anything is made, in words a person can act on."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kilonode.refusal import RefusedError
from kilonode.region.plan import plan_region
from ops.stack import CLONE, open_stack
from ops.stackfile import read_stack

STACKS = sorted((Path(__file__).parent / "bad_stacks").glob("*.yaml"))
MORE_THAN_ONE = {"region-misspelt": 2, "region-empty": 4}
THROUGH_THE_COMMAND = ("members-even", "pool-range-too-small", "output-text-in-quota")


def expected(file: Path) -> dict[str, str]:
    """The leading comments: what each line of the refusal has to hold."""
    return dict(re.findall(r"^# (field|given|allowed|fix): (.+)$", file.read_text(), flags=re.MULTILINE))


def as_stack_file(file: Path, folder: Path) -> Path:
    """A copy under the name a stack file has."""
    copy = folder / f"Pulumi.{file.name}"
    copy.write_text(file.read_text())
    return copy


def test_there_are_at_least_thirty_five_of_them_and_each_says_what_it_expects() -> None:
    assert len(STACKS) >= 35
    assert all(set(expected(file)) == {"field", "given", "allowed", "fix"} for file in STACKS)


@pytest.mark.parametrize("file", STACKS, ids=lambda file: file.stem)
def test_a_bad_stack_is_refused_with_field_given_allowed_why_and_fix(file: Path, tmp_path: Path) -> None:
    with pytest.raises(RefusedError) as refused:
        open_stack(as_stack_file(file, tmp_path))
    first = refused.value.refusals[0]
    for line, fragment in expected(file).items():
        assert fragment in getattr(first, line), f"{line} of\n{first}"
        assert f"{line}: " in str(first) or line == "field"
    assert first.field == expected(file)["field"]
    assert len(first.why) > 5
    assert "input should" not in str(refused.value).lower()
    assert len(refused.value.refusals) == MORE_THAN_ONE.get(file.stem, 1), str(refused.value)


@pytest.mark.parametrize("name", THROUGH_THE_COMMAND)
def test_the_command_says_it_without_a_traceback_and_makes_nothing(name: str, tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "stacks"
    home.mkdir()
    folder.mkdir()
    file = Path(__file__).parent / "bad_stacks" / f"{name}.yaml"
    done = subprocess.run(
        [sys.executable, "-m", "ops", "up", str(as_stack_file(file, folder))],
        cwd=CLONE, env=os.environ | {"KILONODE_HOME": str(home)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode != 0
    assert all(fragment in done.stderr for fragment in expected(file).values()), done.stderr
    assert "Traceback" not in done.stderr
    assert list(home.iterdir()) == []
    assert [entry.name for entry in folder.iterdir()] == [f"Pulumi.{name}.yaml"]


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "Pulumi.binary.yaml"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RefusedError, match=r"stack file\n.*Pulumi.binary.yaml\n.*allowed: YAML\n"):
        open_stack(file)


def test_a_key_that_stands_twice_is_named_with_its_line(tmp_path: Path) -> None:
    file = Path(__file__).parent / "bad_stacks" / "key-twice.yaml"
    with pytest.raises(RefusedError, match=r"the key 'ceiling' stands twice .* line 11"):
        open_stack(as_stack_file(file, tmp_path))


@pytest.mark.parametrize("name", ["local.yaml", "Pulumi..yaml", "Pulumi.yaml", "Pulumi.local.json"])
def test_a_file_that_names_no_stack_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text((CLONE / "stacks" / "Pulumi.local.yaml").read_text())
    with pytest.raises(RefusedError, match=r"a file called Pulumi.<stack>.yaml"):
        open_stack(tmp_path / name)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="a stack file that exists"):
        open_stack(tmp_path / "Pulumi.absent.yaml")


def test_several_faults_are_said_at_once(tmp_path: Path) -> None:
    file = tmp_path / "Pulumi.several.yaml"
    good = (CLONE / "stacks" / "Pulumi.local.yaml").read_text()
    file.write_text(good.replace("members: 5", "members: 4").replace("ceiling: 1000", "ceiling: many"))
    with pytest.raises(RefusedError) as refused:
        open_stack(file)
    assert [refusal.field for refusal in refused.value.refusals] == [
        "kilonode:region.ceiling", "kilonode:region.etcd[0].members", "kilonode:region.etcd[1].members",
    ]  # fmt: skip
    assert str(refused.value).startswith("3 values refused; nothing was created.")


@pytest.mark.parametrize("file", sorted((CLONE / "stacks").glob("Pulumi.*.yaml")), ids=lambda file: file.stem)
def test_the_stacks_that_ship_are_accepted(file: Path) -> None:
    assert plan_region(read_stack(file)).machines
