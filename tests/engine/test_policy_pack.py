"""The policy pack on the real engine, over a project that knows nothing of this library."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

import toolchain
from ops.stack import CLONE

pytestmark = pytest.mark.engine

KIND = "kubernetes:scheduling.k8s.io/v1:PriorityClass"
PROGRAM = f"""
import pulumi

class Room(pulumi.ComponentResource):
    def __init__(self):
        super().__init__("{KIND}", "balloon", {{"metadata": {{"name": "balloon"}}, "value": 0}})

Room()
"""


def preview(folder: Path, config: dict[str, Any]) -> subprocess.CompletedProcess[str]:
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
            ["pulumi", *words], cwd=folder, env=environment, text=True, capture_output=True, check=False, timeout=120
        )

    run("stack", "init", "prod")
    pack = ("--policy-pack", str(CLONE / "policies"), "--policy-pack-config", str(folder / "config.json"))
    return run("preview", "--non-interactive", "--stack", "prod", *pack)


def test_a_fault_stops_the_preview_with_the_rules_text(tmp_path: Path) -> None:
    done = preview(tmp_path, {})
    assert done.returncode
    for word in ("[mandatory]", "balloon-priority", "value:    0", "limit:    -10 to -1", "fix:      use a value from"):
        assert word in done.stdout


def test_a_team_decides_about_levels(tmp_path: Path) -> None:
    done = preview(tmp_path, {"balloon-priority": "advisory"})
    assert done.returncode == 0, done.stderr
    assert "[advisory]" in done.stdout


def test_an_exemption_without_a_reason_is_refused_before_anything_is_judged(tmp_path: Path) -> None:
    row = {"rule": "balloon-priority", "resource": "*", "reason": "", "expires": "2999-01-01"}
    done = preview(tmp_path, {"kilonode-settings": {"exemptions": [row]}})
    assert done.returncode
    assert "exemptions.0.reason" in done.stdout + done.stderr
