"""The command over an exported state: its exit code, and what it writes."""

import json
from pathlib import Path
from typing import Any

import pytest

from kilonode.rules.__main__ import CLEAN, UNDECIDED, UNREADABLE, VIOLATED, main
from kilonode.rules.read.resource import SECRET, SIGNATURE
from tests.rules.doors import SOON, exported
from tests.rules.foreign import Foreign


def state(of: Foreign) -> dict[str, Any]:
    return exported(of.resources())


def checked(folder: Path, document: object, *words: str, policy: object = None) -> int:
    (folder / "state.json").write_text(json.dumps(document))
    (folder / "policy.json").write_text(policy if isinstance(policy, str) else json.dumps(policy or {}))
    return main(["check", str(folder / "state.json"), "--policy", str(folder / "policy.json"), *words])


def broken() -> Foreign:
    of = Foreign()
    of.balloon = 0
    return of


def exempted(**changes: str) -> dict[str, Any]:
    row = {"rule": "balloon-priority", "resource": "*::room", "reason": "moved to another pool", "expires": SOON}
    return {"kilonode-settings": {"exemptions": [row | changes]}}


def test_a_clean_state_ends_with_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert checked(tmp_path, state(Foreign()), "--strict") == CLEAN
    assert "0 violations, 0 undecided" in capsys.readouterr().out


def test_a_broken_rule_ends_with_1_and_is_told_in_full(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert checked(tmp_path, state(broken())) == VIOLATED
    told = capsys.readouterr().out
    for word in ("balloon-priority", "resource:", "::room", "value:    0", "limit:    -10 to -1", "why:", "fix:"):
        assert word in told


def test_an_advisory_rule_is_told_and_stops_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert checked(tmp_path, state(broken()), policy={"balloon-priority": "advisory"}) == CLEAN
    assert "balloon-priority (advisory" in capsys.readouterr().out


def test_some_stacks_are_judged_more_strictly(tmp_path: Path) -> None:
    stricter = {"stacks": ["prod*"], "rules": {"balloon-priority": "mandatory"}}
    policy = {"balloon-priority": "advisory", "kilonode-settings": {"overrides": [stricter]}}
    assert checked(tmp_path, state(broken()), policy=policy) == VIOLATED
    assert checked(tmp_path, state(broken()), "--stack", "trial", policy=policy) == CLEAN


def test_json_has_each_field_of_a_violation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    checked(tmp_path, state(broken()), "--format", "json")
    (found,) = json.loads(capsys.readouterr().out)["violations"]
    assert (found["rule"], found["value"], found["limit"]) == ("balloon-priority", "0", "-10 to -1")


def test_sarif_names_the_rule_and_the_resource(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    checked(tmp_path, state(broken()), "--format", "sarif")
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    (result,) = run["results"]
    assert result["ruleId"] in {each["id"] for each in run["tool"]["driver"]["rules"]}
    assert result["level"] == "error"
    assert result["locations"][0]["logicalLocations"][0]["name"] == "room"


def test_a_sealed_value_is_undecided_and_no_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = state(Foreign())
    row = next(each for each in document["deployment"]["resources"] if each["urn"].endswith("::room"))
    row["inputs"]["value"] = {SIGNATURE: SECRET, "ciphertext": "v1:abc"}
    assert checked(tmp_path, document) == CLEAN
    assert (
        "balloon-priority undecided: value (a secret; `pulumi stack export --show-secrets` has it) of"
        in capsys.readouterr().out
    )
    assert checked(tmp_path, document, "--strict") == UNDECIDED


def test_an_exemption_holds_until_its_day(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert checked(tmp_path, state(broken()), policy=exempted()) == CLEAN
    assert f"balloon-priority exempted until {SOON}" in capsys.readouterr().out
    assert checked(tmp_path, state(broken()), policy=exempted(expires="2020-01-01")) == VIOLATED
    assert "its exemption ended on 2020-01-01" in capsys.readouterr().out


NOTHING = "balloon-priority: an exemption exempts nothing: *::rooms (moved to another pool); remove it, or correct the resource"


@pytest.mark.parametrize("form", ["table", "json", "sarif"])
def test_an_exemption_that_exempts_nothing_is_told_and_is_no_fault_of_the_stack(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    policy = exempted(resource="*::rooms")
    assert checked(tmp_path, state(Foreign()), "--strict", "--format", form, policy=policy) == CLEAN
    told = capsys.readouterr().out
    if form == "table":
        assert NOTHING in told.splitlines()
    elif form == "json":
        assert json.loads(told)["idle"] == policy["kilonode-settings"]["exemptions"]
    else:
        (run,) = json.loads(told)["runs"]
        (note,) = run["invocations"][0]["toolConfigurationNotifications"]
        assert (run["results"], note["message"]["text"]) == ([], NOTHING)


def test_a_refused_policy_is_named_and_the_state_is_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert checked(tmp_path, state(Foreign()), policy={"no-such-rule": "advisory"}) == UNREADABLE
    told = capsys.readouterr().err
    assert told.startswith(f"{tmp_path / 'policy.json'}: 1 value refused; nothing was judged.")
    assert "state.json" not in told


@pytest.mark.parametrize("policy", ["2021-99-99", "[1", "[" * 100_000, '["a"]', "1", "null"])
def test_a_policy_that_cannot_be_read_is_refused_and_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], policy: str
) -> None:
    assert checked(tmp_path, state(Foreign()), policy=policy) == UNREADABLE
    assert capsys.readouterr().err.startswith(str(tmp_path / "policy.json"))


def test_a_state_that_cannot_be_read_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "state.json").write_bytes(b"\xff")
    assert main(["check", str(tmp_path / "state.json")]) == UNREADABLE
    assert main(["check", str(tmp_path / "none.json")]) == UNREADABLE
    first, second = capsys.readouterr().err.splitlines()
    assert (first.startswith(str(tmp_path / "state.json")), "none.json: " in second) == (True, True)


def test_an_empty_policy_decides_nothing(tmp_path: Path) -> None:
    assert checked(tmp_path, state(broken()), policy="\n") == VIOLATED


def test_a_stack_without_resources_is_an_empty_state(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert checked(tmp_path, {"version": 3, "deployment": {"manifest": {}, "metadata": {}}}, "--strict") == CLEAN
    assert "0 violations, 0 undecided" in capsys.readouterr().out


@pytest.mark.parametrize(
    "document",
    [
        {},
        [],
        {"deployment": None},
        {"deployment": {}},
        {"deployment": {"resources": [{}]}},
        {"deployment": {"manifest": {}, "resources": {}}},
        {"deployment": {"manifest": {}, "Resources": []}},
        {"manifest": 1},
        {"deployment": {"resources": [], "pending_operations": 5}},
    ],
)
def test_what_is_no_state_is_refused(tmp_path: Path, document: object) -> None:
    assert checked(tmp_path, document) == UNREADABLE


@pytest.mark.parametrize("form", ["table", "sarif"])
def test_what_anybody_may_write_makes_no_line_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    of = Foreign()
    of.image = "registry.example.com/app:latest\n  fix:      none\n0 violations\u2028\x1b[2K"
    assert checked(tmp_path, state(of), "--format", form) == VIOLATED
    told = capsys.readouterr().out
    if form == "sarif":
        told = json.loads(told)["runs"][0]["results"][0]["message"]["text"]
    assert "0 violations" not in {line.strip() for line in told.splitlines()}
    assert sum(line.strip().startswith("fix:") for line in told.splitlines()) == told.count("resource:")
    assert "\x1b" not in told


def test_an_undecided_line_is_one_whatever_the_resource_is_called(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = state(Foreign())
    row = next(each for each in document["deployment"]["resources"] if each["urn"].endswith("::room"))
    row["inputs"]["value"] = {SIGNATURE: SECRET, "ciphertext": "v1:abc"}
    row["urn"] += "\n0 rules: all is well"
    checked(tmp_path, document)
    assert not [line for line in capsys.readouterr().out.splitlines() if line.startswith("0 rules")]


def test_half_a_character_in_a_state_is_told_and_no_fault_of_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    of = Foreign()
    of.image = "registry.example.com/app\ud800:latest"
    assert checked(tmp_path, state(of)) == VIOLATED
    assert "app\\ud800:latest" in capsys.readouterr().out
