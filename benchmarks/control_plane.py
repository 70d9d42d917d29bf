"""The whole local region against the smallest cluster there is: kwokctl's, with the same programs, in the same run."""

import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import yaml

import toolchain
from benchmarks.result import Result
from kilonode.clouds.local.host import sweep
from ops.stack import CLONE

RATIO_GOAL = 13.0  # five members twice and five API servers against one of each, on two cores
MEMORY_GOAL = 6.0  # GiB
ROUNDS = 3
RANGE = "10.248.0.0/16"
POOL = "10.248.64.0/18"


@dataclass(frozen=True)
class Run:
    """What was measured."""

    baseline: tuple[float, ...]
    region: tuple[float, ...]
    memory: int
    """Bytes the region's machines use, less the page cache, once every node is Ready."""


@contextmanager
def measured() -> Iterator[Run]:
    """Baseline and region in turn, several rounds; images and tools are made before anything is timed."""
    with tempfile.TemporaryDirectory(prefix="kilonode-bench-") as folder:
        environment = os.environ | {"KILONODE_HOME": f"{folder}/home"}
        os.environ["KILONODE_HOME"] = environment["KILONODE_HOME"]
        name = f"b{secrets.token_hex(3)}"
        stack = _stack_file(Path(folder), name)
        baseline, region, memory = [], [], 0
        try:
            _ops("up", stack, environment)
            for _ in range(ROUNDS):
                _ops("down", stack, environment)
                baseline.append(_kwokctl(Path(folder)))
                region.append(_ops("up", stack, environment))
                memory = max(memory, sweep.memory_bytes(name))
        finally:
            _ops("down", stack, environment)
            sweep.sweep(name)
        yield Run(tuple(baseline), tuple(region), memory)


def start_ratio(run: Run) -> Result:
    """`make up`, all of it, against `kwokctl create cluster`."""
    ours, theirs = sorted(run.region)[ROUNDS // 2], sorted(run.baseline)[ROUNDS // 2]
    detail = f"medians of {ROUNDS}: region {ours:.1f} s, one etcd and one API server {theirs:.1f} s"
    return Result("make up / kwokctl create cluster", ours / theirs, RATIO_GOAL, "×", detail)


def region_memory(run: Run) -> Result:
    """All machines of the region, by their cgroups."""
    return Result("memory of the region", run.memory / 2**30, MEMORY_GOAL, " GiB", "cgroup usage less cache")


def _stack_file(folder: Path, name: str) -> Path:
    document = yaml.safe_load((CLONE / "stacks" / "Pulumi.local.yaml").read_text())
    region = document["config"]["kilonode:region"]
    region["name"], region["network"]["range"], region["nodePools"][0]["range"] = name, RANGE, POOL
    file = folder / f"Pulumi.{name}.yaml"
    file.write_text(yaml.safe_dump(document))
    return file


def _ops(verb: str, stack: Path, environment: dict[str, str]) -> float:
    begin = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "ops", verb, str(stack)],
        cwd=CLONE,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{verb}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return time.monotonic() - begin


def _kwokctl(folder: Path) -> float:
    bins = {tool: toolchain.locate(tool) for tool in ("etcd", "kubernetes", "kwok")}
    kwokctl = str(bins["kwok"] / "kwokctl")
    programs = {
        "etcd": bins["etcd"] / "etcd",
        "kube-apiserver": bins["kubernetes"] / "kube-apiserver",
        "kube-controller-manager": bins["kubernetes"] / "kube-controller-manager",
        "kube-scheduler": bins["kubernetes"] / "kube-scheduler",
        "kwok-controller": bins["kwok"] / "kwok",
    }
    words = [f"--{name}-binary={path}" for name, path in programs.items()]
    environment = os.environ | {
        "KWOK_WORKDIR": str(folder / "kwok"),
        "HOME": str(folder),
        "PATH": f"{bins['kubernetes']}:{os.environ['PATH']}",
    }
    create = [kwokctl, "create", "cluster", "--name=baseline", "--runtime=binary", "--wait=60s", *words]
    begin = time.monotonic()
    try:
        subprocess.run(create, env=environment, check=True, capture_output=True)
        return time.monotonic() - begin
    finally:
        subprocess.run(
            [kwokctl, "delete", "cluster", "--name=baseline"], env=environment, check=True, capture_output=True
        )
