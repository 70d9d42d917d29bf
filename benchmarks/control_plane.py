"""The whole local region against the smallest cluster there is: kwokctl's, with the same programs, in the same run."""

import os
import subprocess
import tempfile
import time
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import yaml

import toolchain
from benchmarks.result import Result
from benchmarks.throwaway import throwaway
from kilonode.region.settings import KEY
from ops.stack import CLONE

RATIO_GOAL = 13.0  # five members twice and five API servers against one of each, on two cores
MEMORY_GOAL = 6.0  # GiB
ROUNDS = 3


@dataclass(frozen=True)
class Run:
    """What was measured."""

    baseline: tuple[float, ...]
    region: tuple[float, ...]
    memory: int
    """Bytes the region's machines use, less the page cache, once every node is Ready."""


def results() -> list[Result]:
    """Baseline and region in turn, several rounds; images and tools are made before anything is timed."""
    baseline, region, memory = [], [], 0
    with tempfile.TemporaryDirectory(prefix="kilonode-bench-") as folder, throwaway(_settings) as made:
        made.up()
        for _ in range(ROUNDS):
            made.down()
            baseline.append(_kwokctl(Path(folder)))
            region.append(made.up())
            memory = max(memory, made.memory())
    run = Run(tuple(baseline), tuple(region), memory)
    return [start_ratio(run), region_memory(run)]


def start_ratio(run: Run) -> Result:
    """`make up`, all of it, against `kwokctl create cluster`."""
    ours, theirs = sorted(run.region)[ROUNDS // 2], sorted(run.baseline)[ROUNDS // 2]
    detail = f"medians of {ROUNDS}: region {ours:.1f} s, one etcd and one API server {theirs:.1f} s"
    return Result("make up / kwokctl create cluster", ours / theirs, RATIO_GOAL, "×", detail)


def region_memory(run: Run) -> Result:
    """All machines of the region, by their cgroups."""
    return Result("memory of the region", run.memory / 2**30, MEMORY_GOAL, " GiB", "cgroup usage less cache")


def _settings(_operator: IPv4Address) -> dict[str, Any]:
    """Those of the region that `make up` makes."""
    document = yaml.safe_load((CLONE / "stacks" / "Pulumi.local.yaml").read_text(encoding="utf-8"))
    settings: dict[str, Any] = document["config"][KEY]
    return settings


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
