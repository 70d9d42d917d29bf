"""The policy pack on the real engine, over a project that knows nothing of this library."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

import toolchain
from ops.stack import CLONE
from tests.engine.pack import told
from tests.rules.doors import SOON

pytestmark = pytest.mark.engine

KIND = "kubernetes:scheduling.k8s.io/v1:PriorityClass"
PROGRAM = f"""
import pulumi

class Room(pulumi.ComponentResource):
    def __init__(self):
        super().__init__("{KIND}", "balloon", {{"metadata": {{"name": "balloon"}}, "value": 0}})

Room()
pulumi.ComponentResource("foreign:index:Hall", "hall")
"""


def preview(folder: Path, config: dict[str, Any], stack: str = "prod") -> subprocess.CompletedProcess[str]:
    for name in ("home", "state"):
        (folder / name).mkdir(exist_ok=True)
    (folder / "Pulumi.yaml").write_text("name: foreign\nruntime: python\n")
    (folder / "__main__.py").write_text(PROGRAM)
    (folder / "config.json").write_text(json.dumps(config))
    paths = (str(toolchain.locate("pulumi")), str(CLONE / ".venv" / "bin"), os.environ.get("PATH", os.defpath))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PULUMI_")} | {
        "PATH": ":".join(paths),
        "PULUMI_HOME": str(folder / "home"),
        "PULUMI_BACKEND_URL": f"file://{folder}/state",
        "PULUMI_CONFIG_PASSPHRASE": "x",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        "PYTHONPATH": str(CLONE / "components"),
    }

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["pulumi", *words], cwd=folder, env=environment, text=True, capture_output=True, check=False, timeout=600
        )

    run("stack", "init", stack)
    pack = ("--policy-pack", str(CLONE / "policies"), "--policy-pack-config", str(folder / "config.json"))
    return run("preview", "--non-interactive", "--stack", stack, *pack)


def exempted(**changes: str) -> dict[str, Any]:
    row = {"rule": "balloon-priority", "resource": "*::balloon", "reason": "moved to another pool in May"}
    given = {key: value for key, value in {**row, "expires": SOON, **changes}.items() if value}
    return {"kilonode-settings": {"exemptions": [given]}}


WHY = (
    "why:      at 0 and above balloons are not preempted by ordinary pods; below -10 the autoscaler makes no nodes for them "
    "(kubernetes/autoscaler#1037, and its FAQ)"
)


def test_a_fault_stops_the_preview_with_the_rules_text(tmp_path: Path) -> None:
    done = preview(tmp_path, {})
    assert done.returncode
    text = (
        "Balloons give way to every pod, and the autoscaler still sees them",
        f"resource: urn:pulumi:prod::foreign::{KIND}::balloon",
        "field:    value",
        "value:    0",
        "limit:    -10 to -1",
        WHY,
        "fix:      use a value from -10 to -1",
    )
    lines = [line.strip() for line in done.stdout.splitlines()]
    first = lines.index(f"- [mandatory] [severity: high]  balloon-priority  ({KIND}: balloon)")
    assert lines[first + 1 : first + 1 + len(text)] == list(text)


def test_a_team_decides_about_levels(tmp_path: Path) -> None:
    done = preview(tmp_path, {"balloon-priority": "advisory"})
    assert done.returncode == 0, done.stderr
    assert "[advisory]" in done.stdout


def test_a_level_of_all_is_what_the_engine_hands_on_for_each_rule(tmp_path: Path) -> None:
    done = preview(
        tmp_path,
        {"all": "disabled", "balloon-priority": {"enforcementLevel": "advisory"}, **exempted(rule="stack-size")},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert told(done.stdout) == {"mandatory": set(), "advisory": {"balloon-priority"}}
    refused = preview(tmp_path, {"all": {"enforcementLevel": "advisory", "most": 5}})
    assert refused.returncode
    assert "policy.all.most" in refused.stdout + refused.stderr


@pytest.mark.parametrize(("stack", "stopped"), [("prod-west", True), ("trial", False)])
def test_some_stacks_are_judged_more_strictly(tmp_path: Path, stack: str, stopped: bool) -> None:
    stricter = {"stacks": ["prod*"], "rules": {"balloon-priority": "mandatory"}}
    config = {"balloon-priority": "advisory", "kilonode-settings": {"overrides": [stricter]}}
    done = preview(tmp_path, config, stack)
    assert bool(done.returncode) is stopped
    assert ("[mandatory]" if stopped else "[advisory]") in done.stdout


def test_a_parameter_that_a_stack_sets_is_judged_by(tmp_path: Path) -> None:
    fewer = {"stacks": ["prod"], "rules": {"stack-size": {"most": 1}}}
    config = {"balloon-priority": "disabled", "kilonode-settings": {"overrides": [fewer]}}
    done = preview(tmp_path, config)
    assert done.returncode
    assert "limit:    at most 1" in done.stdout


def test_an_exemption_is_told_and_lets_the_preview_pass(tmp_path: Path) -> None:
    done = preview(tmp_path, exempted())
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"exempted until {SOON}: moved to another pool in May" in done.stdout


def test_an_exemption_that_has_ended_is_a_violation(tmp_path: Path) -> None:
    done = preview(tmp_path, exempted(expires="2020-01-01"))
    assert done.returncode
    assert f"{WHY}; its exemption ended on 2020-01-01: moved to another pool in May" in done.stdout


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"reason": ""}, "kilonode-settings.exemptions[0].reason"),
        ({"reason": "later"}, "a sentence with at least 10 letters and digits"),
        ({"reason": 10 * " "}, "a sentence with at least 10 letters and digits"),
        ({"expires": "soon"}, "a date such as 2027-01-31"),
        ({"expires": "9999-12-31"}, "a year from today"),
        ({"expires": "2027-02-30"}, "a date such as 2027-01-31"),
        ({"rule": "balloons"}, "the id of a rule, as in docs/rules.md"),
        ({"rule": "balloons", "reason": "later"}, "2 values refused"),
    ],
)
def test_an_exemption_with_a_fault_is_refused_before_anything_is_judged(
    tmp_path: Path, change: dict[str, str], text: str
) -> None:
    done = preview(tmp_path, exempted(**change))
    assert done.returncode
    assert text in done.stdout + done.stderr
    assert "[mandatory]" not in done.stdout
