"""The pack by itself: installed with pip into an environment of its own, it judges a project whose environment lacks it."""

import os
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

import toolchain
from ops.stack import CLONE

pytestmark = [pytest.mark.engine, pytest.mark.tools]

KIND = "kubernetes:scheduling.k8s.io/v1:PriorityClass"
PROGRAM = f"""
import importlib.util, os
import pulumi

if importlib.util.find_spec("kilonode"):
    raise RuntimeError("the library is in this project's environment")
pulumi.ComponentResource("{KIND}", "balloon", {{"metadata": {{"name": "balloon"}}, "value": int(os.environ["VALUE"])}})
"""
PROJECT = "name: foreign\nruntime: {name: python, options: {virtualenv: environment}}\n"


@dataclass(frozen=True)
class Project:
    """A folder with a program and its own environment, and the pack's folder elsewhere."""

    folder: Path
    pack: str

    def preview(self, value: int) -> subprocess.CompletedProcess[str]:
        return self.pulumi("preview", "--policy-pack", self.pack, value=value)

    def pulumi(self, *words: str, value: int = 0) -> subprocess.CompletedProcess[str]:
        # The language host is this clone's; the program and the pack each name an environment of their own.
        paths = (str(toolchain.locate("pulumi")), str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath))
        kept = {name: each for name, each in os.environ.items() if not name.startswith(("PULUMI_", "PYTHON"))}
        environment = kept | {
            "PATH": os.pathsep.join(paths),
            "PULUMI_HOME": str(self.folder / "home"),
            "PULUMI_BACKEND_URL": f"file://{self.folder}",
            "PULUMI_CONFIG_PASSPHRASE": "x",
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "VALUE": str(value),
        }
        command = ["pulumi", *words, "--non-interactive", "--stack", "prod"]
        return subprocess.run(command, cwd=self.folder, env=environment, text=True, capture_output=True, check=False)


def environment(folder: Path, what: str) -> Path:
    """A fresh environment with one thing installed in it; bytecode would only take time."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    install = [folder / "bin" / "python", "-m", "pip", "install", "-q", "--no-compile", "--disable-pip-version-check"]
    subprocess.run([*install, what], check=True)
    return folder


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    own = environment(tmp_path_factory.mktemp("pack") / "environment", str(CLONE / "policies"))
    told = subprocess.run([own / "bin" / "kilonode-policies"], check=True, capture_output=True, text=True)
    folder = tmp_path_factory.mktemp("foreign")
    # This clone's own: a release of tomorrow says nothing about the pack.
    environment(folder / "environment", f"pulumi=={version('pulumi')}")
    (folder / "Pulumi.yaml").write_text(PROJECT)
    (folder / "__main__.py").write_text(PROGRAM)
    made = Project(folder, told.stdout.strip())
    made.pulumi("stack", "init")
    return made


def test_an_installed_pack_stops_a_faulty_project_and_lets_a_clean_one_pass(project: Project) -> None:
    faulty, clean = project.preview(0), project.preview(-10)
    assert faulty.returncode
    assert "[mandatory] [severity: high]  balloon-priority" in faulty.stdout
    assert "limit:    -10 to -1" in faulty.stdout
    assert clean.returncode == 0, clean.stdout + clean.stderr
    assert "✅ kilonode@v0.1.0" in clean.stdout


def test_the_pack_brings_no_clouds_sdk_and_no_module_of_a_common_name(project: Project) -> None:
    site = Path(project.pack).parent
    assert {each.name for each in site.glob("*kilonode*")} >= {"kilonode", "kilonode_policies"}
    assert not [each.name for each in (*site.glob("pulumi_*"), *site.glob("pack"))]


def test_the_two_descriptions_of_the_pack_differ_in_whose_environment_runs_it() -> None:
    cloned, installed = (
        yaml.safe_load((CLONE / "policies" / name).read_text())
        for name in ("PulumiPolicy.yaml", "PulumiPolicy.installed.yaml")
    )
    assert cloned.pop("runtime")["options"] == {"virtualenv": "../.venv"}
    assert installed.pop("runtime")["options"] == {"virtualenv": "../../../.."}
    assert cloned == installed
