"""A stack on the real engine, whose Azure is the stand-in."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import toolchain

from .desk import AzureCloud

PASSPHRASE = "test"


class PulumiError(AssertionError):
    """The engine ended with an error; the text is what it wrote."""


@dataclass
class Stack:
    """A program in a folder of its own (or a project that exists), its state beside it, and a cloud."""

    folder: Path
    cloud: AzureCloud
    name: str = "test"
    project: Path | None = None
    environment: dict[str, str] = field(default_factory=dict)
    # Last in front of the caller's PATH, so that a test may put its own launchers first.
    path: tuple[Path, ...] = ()

    def write(self, program: str, **given: Any) -> "Stack":
        """Write the program; what is given it reads as `given` from the environment variable GIVEN."""
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "Pulumi.yaml").write_text("name: standin\nruntime: python\n")
        (self.folder / "__main__.py").write_text(program)
        return self.give(**given)

    def give(self, **given: Any) -> "Stack":
        """Other values for the same program."""
        self.environment["GIVEN"] = json.dumps(given)
        return self

    def init(self) -> "Stack":
        """Make the stack in the engine's backend."""
        (self.folder / "state").mkdir(parents=True, exist_ok=True)
        self.pulumi("stack", "init", self.name)
        return self

    def pulumi(self, *words: str) -> str:
        """What the command wrote; raises PulumiError if it fails."""
        done = subprocess.run(
            ["pulumi", *words, "--non-interactive"],
            cwd=self.project or self.folder,
            env=self._environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise PulumiError(done.stdout + done.stderr)
        return done.stdout

    def up(self, *words: str) -> str:
        """Deploy without a preview."""
        return self.pulumi("up", "--yes", "--skip-preview", *words)

    def unchanged(self, *words: str) -> str:
        """Assert that neither another run nor a refresh would change anything; what the first preview, with ``words``, told."""
        told = self.pulumi("preview", "--expect-no-changes", *words)
        self.pulumi("refresh", "--yes", "--skip-preview", "--expect-no-changes")
        self.pulumi("preview", "--expect-no-changes")
        return told

    def refresh(self) -> str:
        """Read the cloud into the state."""
        return self.pulumi("refresh", "--yes", "--skip-preview")

    def destroy(self, *words: str) -> str:
        """Delete everything."""
        return self.pulumi("destroy", "--yes", "--skip-preview", *words)

    def steps(self, *words: str) -> dict[str, list[str]]:
        """What a preview would do: resource names by operation, without what stays the same."""
        plan = json.loads(self.pulumi("preview", "--json", *words))
        found: dict[str, list[str]] = {}
        for step in plan.get("steps", []):
            if step["op"] != "same":
                found.setdefault(step["op"], []).append(step["urn"].rpartition("::")[2])
        # The engine works side by side: the order of its steps is that of the day.
        return {operation: sorted(names) for operation, names in found.items()}

    def resources(self) -> dict[str, Mapping[str, Any]]:
        """The engine's state by resource name."""
        state = json.loads(self.pulumi("stack", "export"))
        return {each["urn"].rpartition("::")[2]: each for each in state["deployment"].get("resources", [])}

    def _environment(self) -> dict[str, str]:
        places = [*self.path, self.cloud.launchers, Path(sys.executable).parent, toolchain.locate("pulumi")]
        return (
            # Somebody's own settings for other stacks would win over these.
            {name: value for name, value in os.environ.items() if not name.startswith("PULUMI_")}
            | {
                "PATH": os.pathsep.join([*map(str, places), os.environ["PATH"]]),
                "PYTHONPATH": os.pathsep.join(
                    str(Path(each).resolve()) for each in (Path(toolchain.__file__).parents[1],)
                ),
                "PULUMI_HOME": str(self.folder / "home"),
                "PULUMI_BACKEND_URL": f"file://{self.folder / 'state'}",
                "PULUMI_CONFIG_PASSPHRASE": PASSPHRASE,
                "PULUMI_SKIP_UPDATE_CHECK": "true",
            }
            | self.cloud.environment
            | self.environment
        )
