"""`make preview`: what an edit of a stack would do, judged by the policy pack; it makes nothing, and leaves nothing in the clone."""

import json
import os
import secrets
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

import toolchain
from kilonode.clouds.local.host.files import write_whole
from kilonode.clouds.local.host.paths import home
from kilonode.cloudspec.local import LocalCloudSpec
from kilonode.refusal import Refusal, RefusedError
from kilonode.region.settings import KEY
from kilonode.region.spec import RegionSpec
from kilonode.rules.policy import Policy
from ops.engine import PROJECT, PROJECT_NAME, TOOLS, Engine, EngineError
from ops.stack import CLONE, open_stack
from ops.stackfile import engine_settings, other_settings, read_stack, stack_name
from ops.variable import variable

PACK = CLONE / "policies"
POLICY = CLONE / "stacks" / "policy.json"
"""The pack's configuration for all stacks of the clone, where there is one."""

NOBODY = "PULUMI_ACCESS_TOKEN must be set for login"
"""What the engine says of a desk without a backend."""

UNDONE = "nothing was previewed"
NEW = "no backend has a stack {name}: previewed as a new one"


def preview(file: Path, policy: Path | None = None) -> None:
    """Preview the stack of a file with the policy pack; ``policy`` is a configuration of it other than :data:`POLICY`.

    Raises:
        RefusedError: with every fault of the file, or of the configuration; the engine has not been asked.
        EngineError: when a mandatory rule is broken, or the preview fails; the engine has said why.
    """
    name, spec = stack_name(file), _read(file)
    decided = policy or (POLICY if POLICY.exists() else None)
    if decided:
        _refuse_decisions(decided)
    words = ["preview", "--diff", "--non-interactive", "--stack", name, "--policy-pack", str(PACK)]
    if decided:
        words += ["--policy-pack-config", str(decided.resolve())]
    with TemporaryDirectory(prefix="kilonode-preview-") as folder:
        place = _local if isinstance(spec.cloud, LocalCloudSpec) else _cloud
        with place(file, Path(folder)) as (environment, kept):
            config = Path(folder) / file.name
            settings = other_settings(file) | {KEY: _settings(spec)}
            write_whole(config, json.dumps({"config": settings, **kept}), 0o600)
            _pulumi([*words, "--config-file", str(config)], CLONE, environment)


def _read(file: Path) -> RegionSpec:
    try:
        return read_stack(file)
    except RefusedError as refused:
        raise RefusedError(refused.refusals, UNDONE) from None


def _refuse_decisions(policy: Path) -> None:
    """Refuse what the pack would, and the exceptions that the engine keeps to itself."""
    try:
        Policy.parse(policy.read_bytes(), policy.name, datetime.now(tz=UTC).date())
    except RefusedError as refused:
        raise RefusedError(refused.refusals, UNDONE) from None
    except (OSError, ValueError, RecursionError) as fault:
        why = (fault.strerror if isinstance(fault, OSError) else None) or str(fault)
        fix = "write it as docs/policy-pack.md has it; without POLICY it is stacks/policy.json, where there is one"
        allowed = "a file of JSON, the pack's configuration"
        raise RefusedError([Refusal("policy", str(policy), allowed, why, fix)], UNDONE) from None


def _settings(spec: RegionSpec) -> dict[str, Any]:
    return spec.model_dump(by_alias=True, mode="json", exclude_none=True)


@contextmanager
def _local(file: Path, folder: Path) -> Iterator[tuple[dict[str, str], dict[str, Any]]]:
    """The region of this machine as it is recorded; one that is not is previewed in a home that is gone afterwards."""
    toolchain.ensure(TOOLS)
    stack = open_stack(file)
    if os.access(home(), os.R_OK | os.X_OK) and Engine(stack).exists():
        with stack.alone() as lock:
            recorded = yaml.safe_load(stack.config_file.read_text(encoding="utf-8"))
            yield Engine(stack, lock).environment(), engine_settings(recorded)
        return
    print(NEW.format(name=stack.name), flush=True)
    with variable("KILONODE_HOME", str(folder / "home")):
        environment = Engine(stack).environment()
        _pulumi(["stack", "init", stack.name], _project(folder), environment, capture=True)
        yield environment, {}


@contextmanager
def _cloud(file: Path, folder: Path) -> Iterator[tuple[dict[str, str], dict[str, Any]]]:
    """The stack in the caller's own backend, with the caller's own credentials; one that is in none is a new one."""
    toolchain.ensure(["pulumi"])
    name = stack_name(file)
    environment = dict(os.environ) | {
        "PATH": os.pathsep.join([str(toolchain.locate("pulumi")), str(CLONE / ".venv" / "bin"), os.environ["PATH"]]),
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "PYTHONPATH": os.pathsep.join(filter(None, (str(CLONE / "components"), os.environ.get("PYTHONPATH")))),
    }
    if name in _stacks(environment):
        yield environment, engine_settings(yaml.safe_load(file.read_text(encoding="utf-8")))
        return
    print(NEW.format(name=name), flush=True)
    environment.pop("PULUMI_CONFIG_PASSPHRASE_FILE", None)
    environment |= {
        "PULUMI_BACKEND_URL": (folder / "state").as_uri(),
        "PULUMI_CONFIG_PASSPHRASE": secrets.token_urlsafe(),
    }
    (folder / "state").mkdir()
    _pulumi(["stack", "init", name], _project(folder), environment, capture=True)
    yield environment, {}


def _stacks(environment: Mapping[str, str]) -> set[str]:
    """The project's stacks in the caller's backend; none where nobody is logged in.

    Raises:
        EngineError: when there is a backend and it does not answer: its stacks are no new ones.
    """
    words = ["pulumi", "stack", "ls", "--json", "--project", PROJECT_NAME, "--non-interactive"]
    done = subprocess.run(words, cwd=CLONE, env=environment, encoding="utf-8", capture_output=True, check=False)
    if NOBODY in done.stderr and not environment.get("PULUMI_BACKEND_URL"):
        return set()
    if done.returncode:
        raise EngineError(f"pulumi stack ls ended with {done.returncode}: {done.stderr.strip()}")
    return {str(row["name"]).rpartition("/")[2] for row in json.loads(done.stdout)}


def _project(folder: Path) -> Path:
    """A folder that the engine takes for the project: it writes settings where it makes a stack, and not in the clone."""
    project = folder / "project"
    project.mkdir()
    (project / PROJECT).write_text(yaml.safe_dump({"name": PROJECT_NAME, "runtime": "python"}), encoding="utf-8")
    return project


def _pulumi(words: list[str], folder: Path, environment: Mapping[str, str], *, capture: bool = False) -> None:
    done = subprocess.run(
        ["pulumi", *words],
        cwd=folder,
        # Neither the program nor the pack leaves compiled files in the clone.
        env={**environment, "PYTHONDONTWRITEBYTECODE": "1"},
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if capture else None,
        check=False,
    )
    if done.returncode:
        raise EngineError(f"pulumi {words[0]} ended with {done.returncode}")
