"""A local stack: its settings, and where its state and secrets lie, outside the clone."""

import os
import secrets
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from typing import Any

import yaml

from kilonode.clouds.local.host import cgroup, netns
from kilonode.clouds.local.host.lock import HOST_LOCK, locked
from kilonode.clouds.local.host.paths import make_private
from kilonode.refusal import Refusal, RefusedError
from kilonode.region.plan import RegionPlan, plan_region
from kilonode.region.settings import KEY, read_settings
from kilonode.region.spec import RegionSpec

CLONE = Path(__file__).resolve().parent.parent
PREFIX, SUFFIX = "Pulumi.", ".yaml"
PASSPHRASE_BYTES = 32
CLAIMS = Path("/run/kilonode/claims")
"""Region name to the home that has it; gone with the host's uptime, as namespaces are."""


def home() -> Path:
    """Where regions of this machine keep everything; root-only."""
    return Path(os.environ.get("KILONODE_HOME", "/var/lib/kilonode"))


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
        return home() / "regions" / self.spec.name / "secrets" / "operator"

    def refresh_config(self) -> None:
        """Copy the stack file, keeping what the engine has added to the copy."""
        make_private(self.folder)
        document = yaml.safe_load(self.file.read_text())
        if self.config_file.exists():
            kept = yaml.safe_load(self.config_file.read_text()) or {}
            document |= {key: value for key, value in kept.items() if key.startswith("encryption")}
        new = self.config_file.with_suffix(".new")
        new.write_text(yaml.safe_dump(document, sort_keys=False))
        new.replace(self.config_file)

    def claim(self) -> None:
        """Take the region's name for this stack: namespaces and cgroups are the host's, and named by it.

        Raises:
            RefusedError: naming the stack, or the home, that has a region of that name.
        """
        with locked(HOST_LOCK):
            self.refuse_taken()
            CLAIMS.mkdir(mode=0o700, parents=True, exist_ok=True)
            (CLAIMS / self.spec.name).write_text(str(home().absolute()))
            self.refresh_config()

    def refuse_taken(self) -> None:
        """Refuse a region name that another stack of this host has: the two would share every machine.

        Raises:
            RefusedError: naming the other stack or home.
        """
        name = self.spec.name
        for other in (home() / "stacks").glob(f"*/{PREFIX}*{SUFFIX}"):
            document = yaml.safe_load(other.read_text()) or {}
            if other.parent.name != self.name and document.get("config", {}).get(KEY, {}).get("name") == name:
                raise _taken(
                    name, f"stack {other.parent.name} of this machine", f"`make down STACK={other.parent.name}`"
                )
        claim = CLAIMS / name
        owner = claim.read_text() if claim.exists() else str(home().absolute())
        if owner != str(home().absolute()) and (netns.exists(name) or cgroup.pids(name)):
            raise _taken(name, f"the home {owner}", f"`KILONODE_HOME={owner} make down`")

    def forget(self) -> None:
        """Remove the copy of the stack file; the salt in it belongs to state that is gone."""
        self.config_file.unlink(missing_ok=True)
        (CLAIMS / self.spec.name).unlink(missing_ok=True)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the stack: two commands on one stack run one after the other."""
        make_private(self.folder)
        with (self.folder / "lock").open("w") as lock:
            try:
                flock(lock, LOCK_EX | LOCK_NB)
            except BlockingIOError:
                print(f"another command works on stack {self.name}; waiting for it", flush=True)
                flock(lock, LOCK_EX)
            yield


class _KeysOnce(yaml.SafeLoader):
    """Refuses a key that stands twice in a mapping: PyYAML would take the last and say nothing."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT001, FBT002 - PyYAML's signature
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key.value!r} stands twice", key.start_mark
                )
            seen.add(str(key.value))
        return super().construct_mapping(node, deep)


def open_stack(file: Path) -> Stack:
    """Read ``Pulumi.<stack>.yaml``.

    Raises:
        RefusedError: with every fault found; nothing has been created.
    """
    name = file.name.removeprefix(PREFIX).removesuffix(SUFFIX)
    if file.name != f"{PREFIX}{name}{SUFFIX}" or not name:
        raise _refused(str(file), "a file called Pulumi.<stack>.yaml", "the stack is named by its file", "rename it")
    if not file.is_file():
        raise _refused(
            str(file), "a stack file that exists", "there is no such file", "see stacks/ for those there are"
        )
    try:
        document = yaml.load(file.read_text(), _KeysOnce)  # noqa: S506 - a safe loader, stricter than PyYAML's own
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise _refused(str(file), "YAML", " ".join(str(error).split()), "mend the line it names") from None
    if not isinstance(document, dict) or not isinstance(document.get("config"), dict):
        raise _refused(
            str(file), "a mapping with the key config", "settings stand under config:", "see stacks/Pulumi.local.yaml"
        )
    return Stack(name, file, read_settings(document["config"]))


def passphrase_file() -> Path:
    """The file with the passphrase of all local stacks' secrets, made on first use."""
    path = home() / "passphrase"
    if not path.exists():
        make_private(path.parent)
        new = path.with_suffix(f".{os.getpid()}")
        new.touch(mode=0o600)
        new.write_text(secrets.token_urlsafe(PASSPHRASE_BYTES))
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


def _refused(given: str, allowed: str, why: str, fix: str) -> RefusedError:
    return RefusedError([Refusal("stack file", given, allowed, why, fix)])
