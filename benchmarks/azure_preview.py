"""The preview of the shipped Azure region of 7,500 nodes, against a program that declares the same resources without the library.

Both run on the real engine, in turn, and their Azure is the tests' stand-in: it judges the inputs of both alike, and no network
is waited for. The bare program is generated from the state of the region once made, so it is given ready what the library works
out: addresses, names, boot data. It has no components. It has as many dynamic resources as the library (key material, tokens of
names, the record of birth) with the same types and inputs, as whoever writes such a program has to have them too; their
providers do nothing, and creations run no provider in a preview of either. Nothing of this favours the library.
"""

import json
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import yaml

from benchmarks.bare_program import bare_program
from benchmarks.result import Result
from kilonode.region.settings import KEY
from ops.stack import CLONE
from tests.engine.azure.conftest import COMPONENTS, PROGRAM, shared_image
from tests.standin.azure.desk import AzureCloud
from tests.standin.azure.stack import Stack

STACK = "azure-southcentralus"
SECONDS_GOAL = 20.0  # on two cores
RATIO_GOAL = 1.5
MEMORY_GOAL = 1.0  # GiB
ROUNDS = 3

PEAK = """
import atexit, pathlib

@atexit.register
def _peak():
    status = pathlib.Path("/proc/self/status").read_text()
    pathlib.Path({file!r}).write_text(status.partition("VmHWM:")[2].split()[0])
"""
"""At its end the program writes down the most memory it had, in KiB: that of the engine is not the library's."""


@dataclass(frozen=True)
class Program:
    """A stack that is only ever previewed, and what that took."""

    stack: Stack
    seconds: list[float] = field(default_factory=list)
    peaks: list[int] = field(default_factory=list)

    def preview(self, *words: str) -> str:
        """Once more; what the engine told."""
        begin = time.monotonic()
        told = self.stack.pulumi("preview", *words)
        self.seconds.append(time.monotonic() - begin)
        self.peaks.append(int(_peak_file(self.stack.folder).read_text(encoding="utf-8")) * 1024)
        return told


def results() -> list[Result]:
    """The region is made once, for the bare program's sake; then previews in turn."""
    with tempfile.TemporaryDirectory(prefix="kilonode-bench-") as folder:
        made = region_stack(Path(folder) / "made")
        made.up()
        resources = json.loads(made.pulumi("stack", "export", "--show-secrets"))["deployment"]["resources"]
        region, bare = Program(region_stack(Path(folder) / "region")), Program(_bare(Path(folder) / "bare", resources))
        for _ in range(ROUNDS):
            bare.preview()
            region.preview()
    return [*preview_times(region.seconds, bare.seconds, len(resources)), memory(region.peaks, bare.peaks)]


def preview_times(region: Sequence[float], bare: Sequence[float], resources: int) -> list[Result]:
    """Seconds, and the ratio."""
    ours, theirs = median(region), median(bare)
    detail = f"medians of {len(region)}: with the library {ours:.1f} s, without {theirs:.1f} s"
    return [
        Result("preview of 7,500 nodes on Azure", ours, SECONDS_GOAL, " s", f"{resources} resources"),
        Result("the same / a bare program's preview", ours / theirs, RATIO_GOAL, "×", detail),
    ]


def memory(region: Sequence[int], bare: Sequence[int]) -> Result:
    """The most the program's process ever had."""
    detail = f"the most in any preview; without the library {max(bare) / 2**30:.2f} GiB"
    return Result("memory of the program", max(region) / 2**30, MEMORY_GOAL, " GiB", detail)


def region_stack(folder: Path) -> Stack:
    """The shipped stack, whose image exists and which has not been deployed."""
    document = yaml.safe_load((CLONE / "stacks" / f"Pulumi.{STACK}.yaml").read_text(encoding="utf-8"))
    settings: dict[str, Any] = document["config"][KEY]
    stack = _stack(folder)
    settings["cloud"]["image"] = {"kind": "given", "id": shared_image(stack.cloud, settings["cloud"]["location"])}
    stack.environment["PYTHONPATH"] = str(COMPONENTS)
    return stack.write(PEAK.format(file=str(_peak_file(folder))) + PROGRAM, region=settings).init()


def _bare(folder: Path, resources: Sequence[dict[str, Any]]) -> Stack:
    stack = _stack(folder)
    shared_image(stack.cloud, "southcentralus")
    return stack.write(PEAK.format(file=str(_peak_file(folder))) + bare_program(resources)).init()


def _stack(folder: Path) -> Stack:
    return Stack(folder, AzureCloud(folder / "azure"), name=STACK)


def _peak_file(folder: Path) -> Path:
    return folder / "peak"
