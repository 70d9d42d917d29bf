"""Images on real nodes: pulled side by side against one by one, preloaded against pulled, and a registry that pauses."""

import tempfile
import time
from dataclasses import dataclass, field
from ipaddress import IPv4Address
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.pods import PodSet
from benchmarks.registry import HOST, MEGABYTE, Registry, Throttle, mirror, registry, write_image
from benchmarks.result import Result
from benchmarks.throwaway import throwaway
from kilonode.clouds.local.host import oci
from ops.ready import Region

IMAGES = 10
IMAGE_SIZE, IMAGE_THROTTLE = 16 * MEGABYTE, Throttle(4 * MEGABYTE)
PARALLEL_GOAL = 2.0

BIG_SIZE = 200 * MEGABYTE
BIG_THROTTLE = Throttle(10 * MEGABYTE)
"""The 2018 post's 17 GB in half an hour are 9.4 MB/s."""

FAST_THROTTLE = Throttle(100 * MEGABYTE)
PRELOAD_GOAL = 5.0
ROUNDS = 3

PAUSE = Throttle(8 * MEGABYTE, pause=330)
"""Longer than containerd's default of five minutes."""

SHORT_PAUSE = Throttle(8 * MEGABYTE, pause=90)
SHORT_TIMEOUT = "60s"

PATIENCE = 180.0  # seconds for what takes seconds on an idle machine


@dataclass
class Run:
    """What was measured, in seconds."""

    side_by_side: float = 0.0
    one_by_one: float = 0.0
    preloaded: list[float] = field(default_factory=list)
    pulled: list[float] = field(default_factory=list)
    pulled_fast: list[float] = field(default_factory=list)
    paused: float = 0.0
    """From the pod's creation until its container ran, the registry's pause in between."""

    failures: list[str] = field(default_factory=list)
    """What the node said of the paused pull."""

    short_failures: list[str] = field(default_factory=list)
    """The same with a timeout below the pause."""


def results() -> list[Result]:
    """Measure all, in one region."""
    with tempfile.TemporaryDirectory(prefix="kilonode-bench-") as folder, registry() as images:
        print("== images", flush=True)
        archive = write_image(Path(folder), "preloaded", BIG_SIZE)
        measured = _Bench(images)
        with throwaway(lambda operator: _settings(operator, archive)) as made:
            print(f"== region: {made.up():.0f} s", flush=True)
            with images.open_to(made.region.plan.operator):
                run = measured.run(made.region)
    return [_parallel(run), *_preload(run), *_patience(run)]


class _Bench:
    def __init__(self, images: Registry) -> None:
        self.warm = images.add("warm", MEGABYTE, FAST_THROTTLE)
        self.ten = {str(each): images.add(f"ten-{each}", IMAGE_SIZE, IMAGE_THROTTLE) for each in range(IMAGES)}
        self.big = [images.add(f"big-{each}", BIG_SIZE, BIG_THROTTLE) for each in range(ROUNDS)]
        self.fast = [images.add(f"fast-{each}", BIG_SIZE, FAST_THROTTLE) for each in range(ROUNDS)]
        self.pause = images.add("pause", IMAGE_SIZE, PAUSE)
        self.short_pause = images.add("short-pause", IMAGE_SIZE, SHORT_PAUSE)

    def run(self, region: Region) -> Run:
        """The paused pulls wait while the others are measured: they cost no processor meanwhile."""
        run = Run()
        for pool in ("ours", "serial"):
            _timed(PodSet(region, f"warm-{pool}", pool, {"0": self.warm}))
        paused = PodSet(region, "paused", "patient", {"0": self.pause})
        short = PodSet(region, "short", "impatient", {"0": self.short_pause})
        paused.create()
        short.create()
        print(f"== {IMAGES} images", flush=True)
        run.side_by_side = _timed(PodSet(region, "side-by-side", "ours", self.ten))
        run.one_by_one = _timed(PodSet(region, "one-by-one", "serial", self.ten))
        print("== a big image", flush=True)
        for each in range(ROUNDS):
            run.preloaded.append(_timed(PodSet(region, f"preloaded-{each}", "ours", {"0": f"{HOST}/preloaded:1"})))
            run.pulled.append(_timed(PodSet(region, f"pulled-{each}", "ours", {"0": self.big[each]})))
            run.pulled_fast.append(_timed(PodSet(region, f"fast-{each}", "ours", {"0": self.fast[each]})))
        print("== a registry that pauses", flush=True)
        run.paused = paused.wait_running(PAUSE.pause + PATIENCE)
        run.failures, run.short_failures = paused.failed_pulls(), _failed(short)
        return run


def _settings(operator: IPv4Address, archive: Path) -> dict[str, Any]:
    pool = {"kind": "machines", "nodes": 1, "podsPerNode": 30, "mirrors": [mirror(operator)]}
    reference = f"{HOST}/preloaded:1@{oci.digest_of(archive)}"
    return {
        "cloud": {"kind": "local"},
        "ceiling": 100,
        "etcd": [{"name": "main", "members": 1}, {"name": "events", "members": 1}],
        "apiServers": {"count": 1},
        "nodePools": [
            pool | {"name": "ours", "images": [{"reference": reference, "archive": str(archive)}]},
            pool | {"name": "serial", "pulls": {"parallel": 1}},
            pool | {"name": "patient"},
            pool | {"name": "impatient", "pulls": {"progressTimeout": SHORT_TIMEOUT}},
        ],
    }


def _timed(pods: PodSet) -> float:
    pods.create()
    seconds = pods.wait_running(PATIENCE)
    pods.remove()
    print(f"   {pods.name}: {seconds:.1f} s", flush=True)
    return seconds


def _failed(pods: PodSet) -> list[str]:
    """What is said of the first pull that was given up; waits for it."""
    end = time.monotonic() + PATIENCE
    while not (said := pods.failed_pulls()) and time.monotonic() < end:
        time.sleep(1)
    return said


def _parallel(run: Run) -> Result:
    detail = (
        f"{IMAGES} images of {IMAGE_SIZE // MEGABYTE} MB at {IMAGE_THROTTLE.rate // MEGABYTE} MB/s each: one by one "
        f"{run.one_by_one:.1f} s, side by side {run.side_by_side:.1f} s"
    )
    ratio = run.one_by_one / run.side_by_side
    return Result("pulls one by one / side by side", ratio, PARALLEL_GOAL, "×", detail, "≥")


def _preload(run: Run) -> list[Result]:
    rows = ((run.pulled, BIG_THROTTLE, PRELOAD_GOAL), (run.pulled_fast, FAST_THROTTLE, 1.0))
    return [
        Result(
            f"first start of an image pulled at {throttle.rate // MEGABYTE} MB/s / preloaded",
            median(pulled) / median(run.preloaded),
            goal,
            "×",
            f"medians of {ROUNDS}, {BIG_SIZE // MEGABYTE} MB: pulled {median(pulled):.1f} s, "
            f"preloaded {median(run.preloaded):.1f} s",
            "≥",
        )
        for pulled, throttle, goal in rows
    ]


def _patience(run: Run) -> list[Result]:
    ours = f"progressTimeout 30m: running {run.paused:.0f} s after its creation"
    short = f"progressTimeout {SHORT_TIMEOUT}: {'; '.join(run.short_failures) or 'no word of it'}"
    return [
        Result(f"pulls lost to a pause of {PAUSE.pause:.0f} s", len(run.failures), 0, "", ours),
        Result(f"pulls lost to a pause of {SHORT_PAUSE.pause:.0f} s", len(run.short_failures), 1, "", short, "≥"),
    ]
