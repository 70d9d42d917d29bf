"""What the policy pack costs: beside a preview of 7,500 nodes, and over 1,000 Kubernetes resources.

Both previews run on the real engine, in turn, with and without the pack, all else alike. The Azure of the first is the tests'
stand-in; the Kubernetes of the second is a provider that answers with what it was asked for. One image of the thousand is without
a version, and the pack must say so: a pack that judged nothing would be quick too.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from benchmarks.azure_preview import Program, region_stack
from benchmarks.result import Result
from tests.engine.pack import PACK, told
from tests.standin.azure.desk import AzureCloud
from tests.standin.azure.stack import Stack
from tests.standin.echo.__main__ import launchers

ROUNDS = 3
RATIO_GOAL = 1.25
SECONDS_GOAL = 10.0
RESOURCES = 1_000
RULE = "image-latest"

DEPLOYMENTS = """
import pulumi

DIGEST = "@sha256:" + 64 * "0"
for number in range({count}):
    image = "registry.example.com/app" + (f":v{{number}}" + DIGEST if number else "")
    container = {{"name": "app", "image": image, "args": ["--number", str(number)]}}
    template = {{"metadata": {{"labels": {{"app": f"app-{{number}}"}}}}, "spec": {{"containers": [container]}}}}
    body = {{"metadata": {{"name": f"app-{{number}}"}}, "spec": {{"replicas": 2, "template": template}}}}
    pulumi.CustomResource("kubernetes:apps/v1:Deployment", f"app-{{number}}", body)
"""


def results() -> list[Result]:
    """Previews in turn, then the command over a state."""
    with tempfile.TemporaryDirectory(prefix="kilonode-bench-") as folder:
        region = _region(Path(folder) / "region")
        stack = _deployments(Path(folder) / "deployments")
        added = _added(stack, Path(folder) / "config.json")
        return [region, added, _state(stack, Path(folder) / "state.json")]


def _region(folder: Path) -> Result:
    stack = region_stack(folder)
    bare, judged = Program(stack), Program(stack)
    work: list[list[float]] = [[], []]
    for _ in range(ROUNDS):
        begin = _cpu()
        bare.preview()
        between = _cpu()
        if told(judged.preview("--policy-pack", PACK))["mandatory"]:
            raise RuntimeError("the shipped stack breaks a rule")
        work[0].append(between - begin)
        work[1].append(_cpu() - between)
    return ratio(judged.seconds, bare.seconds, median(work[1]) - median(work[0]))


def ratio(judged: Sequence[float], bare: Sequence[float], work: float) -> Result:
    """Of the medians; ``work`` is what the pack adds of CPU, in seconds, which a busy machine changes least."""
    ours, theirs = median(judged), median(bare)
    detail = f"medians of {len(judged)}: with the pack {ours:.1f} s, without {theirs:.1f} s; {work:.1f} s of CPU more"
    return Result("preview of 7,500 nodes with the policy pack / without", ours / theirs, RATIO_GOAL, "×", detail)


def _cpu() -> float:
    """Seconds that all processes started from here, and ended, have worked."""
    times = os.times()
    return times.children_user + times.children_system


def _deployments(folder: Path) -> Stack:
    echo = launchers(folder / "echo", "kubernetes")
    stack = Stack(folder / "program", AzureCloud(folder / "azure"), path=(echo,))
    return stack.write(DEPLOYMENTS.format(count=RESOURCES)).init()


def _added(stack: Stack, config: Path) -> Result:
    config.write_text(json.dumps({RULE: "advisory"}), encoding="utf-8")
    seconds: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(ROUNDS):
        for judged in (False, True):
            begin = time.monotonic()
            words = ("--policy-pack", PACK, "--policy-pack-config", str(config)) if judged else ()
            output = stack.pulumi("preview", *words)
            seconds[judged].append(time.monotonic() - begin)
            if judged and told(output)["advisory"] != {RULE}:
                raise RuntimeError(f"the pack did not say {RULE}:\n{output}")
    ours, theirs = median(seconds[True]), median(seconds[False])
    detail = f"medians of {ROUNDS}: with the pack {ours:.1f} s, without {theirs:.1f} s"
    return Result("added by the pack to a preview of 1,000 Deployments", ours - theirs, SECONDS_GOAL, " s", detail)


def _state(stack: Stack, file: Path) -> Result:
    """The command over the same resources, from its start to its exit."""
    stack.up()
    file.write_text(stack.pulumi("stack", "export"), encoding="utf-8")
    begin = time.monotonic()
    words = [sys.executable, "-m", "kilonode.rules", "check", str(file)]
    done = subprocess.run(words, encoding="utf-8", capture_output=True, check=False)
    seconds = time.monotonic() - begin
    if done.returncode != 1 or f"{RULE} (mandatory" not in done.stdout:
        raise RuntimeError(f"the command did not say {RULE}:\n{done.stdout}{done.stderr}")
    return Result("1,000 Deployments judged from a state", seconds, SECONDS_GOAL, " s", "one run of the command")
