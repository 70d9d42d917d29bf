"""`make preview`: a stack file on the real engine, with the pack, as on a desk and in a pull request."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import toolchain
from ops.stack import CLONE
from tests.engine.azure.conftest import shared_image
from tests.engine.azure.test_shipped_stacks import settings
from tests.standin.azure.desk import AzureCloud

pytestmark = [pytest.mark.engine, pytest.mark.tools]

NAME = "azure-westeurope-small"
SUBSCRIPTION = "8d10da13-8125-4ba9-a717-bf7490507b3d"
LEFT_OUT = {".git", ".venv", "__pycache__", ".hypothesis", ".pytest_cache", ".mypy_cache", ".ruff_cache"}


class Desk:
    """Somebody's desk: a home, an Azure, and no backend unless one is made."""

    def __init__(self, folder: Path, azure: AzureCloud) -> None:
        self.folder, self.azure = folder, azure
        self.region = settings(NAME)
        self.region["cloud"]["image"] = {"kind": "given", "id": shared_image(azure, "westeurope")}
        own = {name: value for name, value in os.environ.items() if not name.startswith("PULUMI_")}
        places = (azure.launchers, Path(sys.executable).parent, toolchain.locate("pulumi"))
        self.environment = own | azure.environment | {
            "PATH": os.pathsep.join([*map(str, places), os.environ["PATH"]]),
            "PYTHONPATH": str(CLONE),
            "PULUMI_HOME": str(folder / "pulumi"),
            "TMPDIR": str(folder / "tmp"),
        }  # fmt: skip
        (folder / "tmp").mkdir()

    @property
    def file(self) -> Path:
        path = self.folder / f"Pulumi.{NAME}.yaml"
        config = {"azure-native:subscriptionId": SUBSCRIPTION, "kilonode:region": self.region}
        path.write_text(yaml.safe_dump({"config": config}))
        return path

    def backend(self) -> None:
        """Have a backend from now on."""
        (self.folder / "state").mkdir()
        self.environment |= {
            "PULUMI_BACKEND_URL": (self.folder / "state").as_uri(),
            "PULUMI_CONFIG_PASSPHRASE": "desk",
        }

    def make(self, *words: str) -> subprocess.CompletedProcess[str]:
        before = clone()
        done = self._run(["make", "--no-print-directory", "preview", f"STACK={self.file}", *words], CLONE)
        assert clone() == before
        assert list((self.folder / "tmp").iterdir()) == []
        return done

    def up(self) -> None:
        """Make the region, from a copy of its settings as the engine may write to."""
        copy = self.folder / "copy.yaml"
        copy.write_text(self.file.read_text())
        project = self.folder / "project"
        project.mkdir()
        (project / "Pulumi.yaml").write_text("name: kilonode\nruntime: python\n")
        assert self._run(["pulumi", "stack", "init", NAME], project).returncode == 0
        words = [
            "pulumi",
            "up",
            "--yes",
            "--skip-preview",
            "--non-interactive",
            "--stack",
            NAME,
            "--config-file",
            str(copy),
        ]
        done = self._run(words, CLONE)
        assert done.returncode == 0, done.stdout + done.stderr

    def _run(self, words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
        environment = self.environment | {"PYTHONPATH": f"{CLONE}:{CLONE / 'components'}"}
        return subprocess.run(
            words, cwd=folder, env=environment, text=True, capture_output=True, check=False, timeout=600
        )


def clone() -> dict[str, int]:
    """Every file of the clone that a run could have written, with its time."""
    found: dict[str, int] = {}
    for path, folders, files in os.walk(CLONE):
        folders[:] = [name for name in folders if name not in LEFT_OUT]
        found |= {f"{path}/{name}": (Path(path) / name).stat().st_mtime_ns for name in files}
    return found


@pytest.fixture
def desk(tmp_path: Path, azure: AzureCloud) -> Desk:
    return Desk(tmp_path, azure)


def test_without_a_backend_a_stack_is_previewed_as_a_new_one_and_passes(desk: Desk) -> None:
    done = desk.make()
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"no backend has a stack {NAME}" in done.stdout
    assert "kilonode" in done.stdout.partition("Policy Packs run:")[2]
    assert "etcd-quota undecided" in done.stdout
    assert f"/subscriptions/{SUBSCRIPTION}/" in done.stdout
    assert desk.azure.resources("compute:VirtualMachine") == {}


def test_a_stack_file_that_a_spec_refuses_ends_with_the_rules_text_and_asks_no_engine(desk: Desk) -> None:
    desk.region["etcd"][0]["quota"] = "2GiB"
    done = desk.make()
    assert done.returncode
    assert "the 2 GiB default was hit in a cluster of 1,000 nodes and stopped it" in done.stderr
    assert "rule:    etcd-quota" in done.stderr
    assert done.stdout == ""


def test_a_fault_that_the_spec_lets_through_ends_with_the_rules_text(desk: Desk) -> None:
    """What a team demands of its stacks is not known to the spec; so is whatever a person writes by hand."""
    policy: dict[str, Any] = {"required-tags": {"names": ["owner"]}}
    file = desk.folder / "policy.json"
    file.write_text(json.dumps(policy))
    done = desk.make(f"POLICY={file}")
    assert done.returncode
    for word in ("[mandatory]", "required-tags", "value:    without owner", "fix:      add the tags"):
        assert word in done.stdout


def test_an_edit_of_a_living_stack_is_judged_by_what_its_machines_would_be_told(desk: Desk) -> None:
    desk.backend()
    desk.up()
    done = desk.make()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no backend" not in done.stdout
    desk.region["apiServers"]["count"] = 1
    writes = len(desk.azure.writes())
    done = desk.make()
    assert done.returncode
    for word in ("[mandatory]", "apiserver-count", "value:    1", "limit:    3 or more"):
        assert word in done.stdout
    assert len(desk.azure.writes()) == writes


def test_a_backend_that_wants_a_login_makes_no_stack_a_new_one(desk: Desk) -> None:
    desk.environment["PULUMI_BACKEND_URL"] = "https://api.pulumi.com"
    done = desk.make()
    assert done.returncode
    assert "PULUMI_ACCESS_TOKEN must be set" in done.stderr
    assert done.stdout == ""


def test_a_backend_that_does_not_answer_makes_no_stack_a_new_one(desk: Desk) -> None:
    desk.environment["PULUMI_BACKEND_URL"] = f"file://{desk.folder}/nowhere"
    done = desk.make()
    assert done.returncode
    assert "unable to open state directory" in done.stderr
    assert done.stdout == ""
