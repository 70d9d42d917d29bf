"""The Pulumi engine on a local stack, with its state outside the clone."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import yaml

import toolchain
from kilonode.clouds.local.host.paths import home, make_private
from ops.record import mend
from ops.stack import CLONE, Stack, passphrase_file

PROJECT, PROJECT_NAME = "Pulumi.yaml", "kilonode"
TOOLS = ("pulumi", "etcd", "kubernetes", "kwok", "containerd", "coredns", "pause")
"""What a local stack needs: the engine, and the programs its machine image carries."""


class EngineError(RuntimeError):
    """The engine ended with a failure it has already reported."""


@dataclass(frozen=True)
class Engine:
    """Runs ``pulumi`` for one stack."""

    stack: Stack
    lock: int | None = None
    """Descriptor of the stack's lock: the engine inherits it, so the stack is held for as long as it lives."""

    tools: tuple[str, ...] = TOOLS

    def environment(self) -> dict[str, str]:
        """The environment of every engine command."""
        state = make_private(home() / "state")
        bins = [str(toolchain.locate(tool)) for tool in self.tools]
        # A user's own settings for other stacks would win over these, the passphrase among them.
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("PULUMI_")}
        return inherited | {
            "PATH": ":".join([*bins, str(CLONE / ".venv" / "bin"), os.environ.get("PATH", os.defpath)]),
            "PULUMI_HOME": str(home() / "pulumi"),
            "PULUMI_BACKEND_URL": f"file://{quote(str(state))}",
            "PULUMI_CONFIG_PASSPHRASE_FILE": str(passphrase_file()),
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            "PULUMI_SKIP_CONFIRMATIONS": "true",
            "PYTHONPATH": str(CLONE / "components"),
            "KILONODE_HOME": str(home()),
        }

    @property
    def records(self) -> list[Path]:
        """The engine's files of this stack: its record, the one before it, histories and backups."""
        folder = home() / "state" / ".pulumi"
        kept = [folder / kind / PROJECT_NAME / self.stack.name for kind in ("history", "backups")]
        return [*(folder / "stacks" / PROJECT_NAME).glob(f"{self.stack.name}.json*"), *filter(Path.exists, kept)]

    def exists(self) -> bool:
        """Whether the engine has a record of the stack; whether it can be read is the engine's to say."""
        own = (f"{self.stack.name}.json", f"{self.stack.name}.json.gz")  # a .bak alone is a removed stack's
        return any(file.name in own for file in self.records)

    def select(self) -> None:
        """Make the stack if it is not there, and give up locks of commands that are gone.

        The caller holds the stack alone, and a living engine holds it too: a lock file left over is a dead engine's.
        """
        self.stack.refresh_config()
        for line in mend(home() / "state" / ".pulumi" / "stacks" / PROJECT_NAME / f"{self.stack.name}.json"):
            print(f"   {line}", flush=True)
        if not self.exists():
            self._on_stack("init", self.stack.name)
        for lock in (home() / "state" / ".pulumi" / "locks").glob(f"**/{self.stack.name}/*.json"):
            lock.unlink()

    def destroy(self) -> None:
        """Delete every resource; disks are protected, and this verb means them too."""
        self.act("destroy", "--yes", "--ignore-protect", "--suppress-outputs", capture=True)

    def forget(self) -> None:
        """Remove the stack's record, readable or not, with its history: it holds the region's keys, encrypted."""
        for record in self.records:
            if record.is_dir():
                shutil.rmtree(record)
            else:
                record.unlink()

    def act(self, verb: str, *words: str, capture: bool = False) -> str:
        """Run a verb that works on the stack's resources."""
        options = ["--stack", self.stack.name, "--config-file", str(self.stack.config_file)]
        if capture or not sys.stdout.isatty():
            options.append("--non-interactive")
        return self._run([verb, *options, *words], CLONE, capture=capture)

    def _on_stack(self, *words: str) -> str:
        """Run ``pulumi stack``; it writes and removes settings files, so it never runs in the clone."""
        (self.stack.folder / PROJECT).write_text(
            yaml.safe_dump({"name": PROJECT_NAME, "runtime": "python"}), encoding="utf-8"
        )
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
            encoding="utf-8",
            stdout=subprocess.PIPE if capture else None,
            stdin=subprocess.DEVNULL,
            pass_fds=() if self.lock is None else (self.lock,),
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
            record = next(iter(self.records), "none yet")
            if text:
                print(text, flush=True)
            raise EngineError(f"pulumi {words[0]} ended with {engine.returncode}; its record of the stack: {record}")
        return text or ""
