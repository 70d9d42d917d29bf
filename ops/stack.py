"""A local stack: its settings, and where its state and secrets lie, outside the clone."""

import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from typing import Any

import yaml

from kilonode.clouds.local.host import cgroup, netns, paths
from kilonode.clouds.local.host.files import write_whole
from kilonode.clouds.local.host.lock import HOST_LOCK, locked
from kilonode.clouds.local.host.paths import home, make_private
from kilonode.cloudspec.local import LocalCloudSpec
from kilonode.refusal import Refusal, RefusedError
from kilonode.region.plan import RegionPlan, plan_region
from kilonode.region.settings import KEY
from kilonode.region.spec import RegionSpec
from ops.stackfile import PREFIX, SUFFIX, engine_settings, read_stack, stack_name

CLONE = Path(__file__).resolve().parent.parent
PASSPHRASE_BYTES = 32
CLAIMS = Path("/run/kilonode/claims")
"""Region name to the stack, in its home, that has it; gone with the host's uptime, as namespaces are."""


@dataclass(frozen=True)
class Stack:
    """One stack file and what belongs to it."""

    name: str
    file: Path
    spec: RegionSpec

    @property
    def plan(self) -> RegionPlan:
        """The plan of the stack's region."""
        return plan_region(self.spec)

    @property
    def folder(self) -> Path:
        """The stack's settings as the engine keeps them, with the salt of its secrets."""
        return home() / "stacks" / self.name

    @property
    def config_file(self) -> Path:
        """The copy of the stack file the engine may write to, so that the clone stays clean."""
        return self.folder / self.file.name

    @property
    def operator(self) -> Path:
        """The operator's credentials and kubeconfig."""
        return paths.secrets(self.spec.name, "operator")

    def refresh_config(self) -> None:
        """Write the engine's copy from what was understood, keeping what the engine has added to it.

        JSON is YAML in which text is always quoted, so the engine reads what was checked and nothing else.
        """
        make_private(self.folder)
        settings = self.spec.model_dump(by_alias=True, mode="json", exclude_none=True)
        kept = engine_settings(_copy(self.config_file))
        write_whole(self.config_file, json.dumps({"config": {KEY: settings}, **kept}, indent=1), 0o600)

    def claim(self) -> None:
        """Take the region's name for this stack: namespaces and cgroups are the host's, and named by it.

        Raises:
            RefusedError: naming the stack, or the home, that has a region of that name.
        """
        with locked(HOST_LOCK):
            self.refuse_taken()
            CLAIMS.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(CLAIMS / self.spec.name, str(self.folder), 0o600)
            self.refresh_config()

    def refuse_taken(self) -> None:
        """Refuse a region name that another stack of this host has: the two would share every machine.

        Raises:
            RefusedError: naming the other stack or home.
        """
        name = self.spec.name
        for other in (home() / "stacks").glob(f"*/{PREFIX}*{SUFFIX}"):
            if other.parent.name != self.name and _region_of(other) == name:
                raise _taken(
                    name, f"stack {other.parent.name} of this machine", f"`make down STACK={other.parent.name}`"
                )
        claim = CLAIMS / name
        owner = Path(claim.read_text(encoding="utf-8")) if claim.exists() else self.folder
        if owner != self.folder and (netns.exists(name) or cgroup.pids(name)):
            owned = f"KILONODE_HOME={owner.parent.parent} make down STACK={owner.name}"
            raise _taken(name, f"stack {owner.name} of the home {owner.parent.parent}", f"`{owned}`")

    def region_names(self) -> set[str]:
        """Every region name this stack has or has asked for: the file's, the engine's copy's, and those it claimed."""
        claimed = {claim.name for claim in self._claims()}
        return {self.spec.name, *claimed} | ({former} if (former := _region_of(self.config_file)) else set())

    def forget(self) -> None:
        """Remove the copy of the stack file, whose salt belongs to state that is gone, and the stack's claims."""
        for claim in self._claims():
            claim.unlink()
        self.config_file.unlink(missing_ok=True)

    def _claims(self) -> list[Path]:
        """The claims that are this stack's."""
        return [claim for claim in CLAIMS.glob("*") if claim.read_text(encoding="utf-8") == str(self.folder)]

    @contextmanager
    def alone(self) -> Iterator[int]:
        """Hold the stack: two commands on one stack run one after the other.

        Yields the lock's descriptor: the engine inherits it, so the stack is held as long as the engine lives.
        """
        make_private(self.folder)
        with (self.folder / "lock").open("w", encoding="utf-8") as lock:
            try:
                flock(lock, LOCK_EX | LOCK_NB)
            except BlockingIOError:
                print(f"another command works on stack {self.name}; waiting for it", flush=True)
                flock(lock, LOCK_EX)
            yield lock.fileno()


def _copy(file: Path) -> dict[Any, Any]:
    """What the engine's copy of a stack file holds; a copy that a crash has spoilt holds nothing."""
    try:
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError):
        return {}
    return document if isinstance(document, dict) else {}


def _region_of(file: Path) -> str | None:
    """The region's name in the engine's copy of a stack file."""
    match _copy(file):
        case {"config": {"kilonode:region": {"name": str(name)}}}:
            return name
    return None


def open_stack(file: Path) -> Stack:
    """The local stack of ``Pulumi.<stack>.yaml``.

    Raises:
        RefusedError: with every fault found, or because the stack is on another cloud; nothing has been created.
    """
    name, spec = stack_name(file), read_stack(file)
    if not isinstance(spec.cloud, LocalCloudSpec):
        why = "these verbs start machines of this host and keep their state here; machines of a cloud are the engine's alone"
        fix = (
            f"run `pulumi up -s {name}`, and preview, refresh and destroy alike, with your own backend and credentials"
        )
        raise RefusedError([Refusal(f"{KEY}.cloud.kind", spec.cloud.kind, "'local'", why, fix)])
    return Stack(name, file, spec)


def passphrase_file() -> Path:
    """The file with the passphrase of all local stacks' secrets, made on first use."""
    path = home() / "passphrase"
    if not path.exists():
        make_private(path.parent)
        new = path.with_suffix(f".{os.getpid()}")
        write_whole(new, secrets.token_urlsafe(PASSPHRASE_BYTES), 0o600)
        try:
            os.link(new, path)
        except FileExistsError:
            pass
        finally:
            new.unlink()
    return path


def _taken(name: str, owner: str, first: str) -> RefusedError:
    why = f"{owner} has a region of that name, and machines are found by it"
    return RefusedError([Refusal(f"{KEY}.name", name, "a name of its own", why, f"use another name, or {first} first")])
