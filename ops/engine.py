"""The Pulumi engine on a local stack, with its state outside the clone."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

import toolchain
from kilonode.clouds.local.host.paths import make_private
from ops.stack import CLONE, Stack, home, passphrase_file

PROJECT = "Pulumi.yaml"
TOOLS = ("pulumi", "etcd", "kubernetes", "kwok")
"""What a local stack needs: the engine, and the programs its machine image carries."""


class EngineError(RuntimeError):
    """The engine ended with a failure it has already reported."""


@dataclass(frozen=True)
class Engine:
    """Runs ``pulumi`` for one stack."""

    stack: Stack
    tools: tuple[str, ...] = TOOLS

    def environment(self) -> dict[str, str]:
        """The environment of every engine command."""
        state = make_private(home() / "state")
        bins = [str(toolchain.locate(tool)) for tool in self.tools]
        # A user's own settings for other stacks would win over these, the passphrase among them.
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("PULUMI_")}
        return inherited | {
            "PATH": ":".join([*bins, str(CLONE / ".venv" / "bin"), os.environ["PATH"]]),
            "PULUMI_HOME": str(home() / "pulumi"),
            "PULUMI_BACKEND_URL": f"file://{state}",
            "PULUMI_CONFIG_PASSPHRASE_FILE": str(passphrase_file()),
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            "PULUMI_SKIP_CONFIRMATIONS": "true",
            "PYTHONPATH": str(CLONE / "components"),
            "KILONODE_HOME": str(home()),
        }

    def exists(self) -> bool:
        """Whether the engine knows the stack."""
        known = json.loads(self._on_stack("ls", "--json") or "[]")
        return any(entry["name"] == self.stack.name for entry in known)

    def select(self) -> None:
        """Make the stack if it is not there, and give up locks of commands that are gone.

        The caller holds the stack alone, so a lock the engine has left is a dead command's.
        """
        self.stack.refresh_config()
        if not self.exists():
            self._on_stack("init", self.stack.name)
        for lock in (home() / "state" / ".pulumi" / "locks").glob(f"**/{self.stack.name}/*.json"):
            lock.unlink()

    def destroy(self) -> None:
        """Delete every resource and the stack itself; disks are protected, and this verb means them too."""
        self.act("destroy", "--yes", "--ignore-protect", "--suppress-outputs")
        self.forget()

    def forget(self) -> None:
        """Remove the stack's record, with whatever it still holds."""
        self._on_stack("rm", self.stack.name, "--yes", "--force")

    def act(self, verb: str, *words: str, capture: bool = False) -> str:
        """Run a verb that works on the stack's resources."""
        options = ["--stack", self.stack.name, "--config-file", str(self.stack.config_file)]
        if capture or not sys.stdout.isatty():
            options.append("--non-interactive")
        return self._run([verb, *options, *words], CLONE, capture=capture)

    def _on_stack(self, *words: str) -> str:
        """Run ``pulumi stack``; it writes and removes settings files, so it never runs in the clone."""
        project = yaml.safe_load((CLONE / PROJECT).read_text())
        (self.stack.folder / PROJECT).write_text(yaml.safe_dump({"name": project["name"], "runtime": "python"}))
        return self._run(["stack", *words], self.stack.folder, capture=True)

    def _run(self, words: Sequence[str], folder: Path, *, capture: bool = False) -> str:
        """Run an engine command.

        Raises:
            EngineError: when it fails.
        """
        engine = subprocess.Popen(
            ["pulumi", *words],
            cwd=folder,
            env=self.environment(),
            text=True,
            stdout=subprocess.PIPE if capture else None,
            stdin=subprocess.DEVNULL,
        )
        interrupted = False
        while True:
            try:
                text, _ = engine.communicate()
                break
            except KeyboardInterrupt:
                # The terminal has told the engine too: it finishes and records what is under way.
                interrupted = True
        if interrupted:
            raise KeyboardInterrupt
        if engine.returncode:
            raise EngineError(f"pulumi {words[0]} ended with {engine.returncode}")
        return text or ""
