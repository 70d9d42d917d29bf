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
FAST, SLOW = Throttle(100 * MEGABYTE), Throttle(10 * MEGABYTE)
"""A registry nearby; and the 2018 post's, where 17 GB in half an hour were 9.4 MB/s."""

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
    pulled: dict[Throttle, list[float]] = field(default_factory=lambda: {FAST: [], SLOW: []})
    paused: float = 0.0
    """From the pod's creation until its container ran, the registry's pause in between."""

    failures: list[str] = field(default_factory=list)
    """What the node said of the paused pull."""

    failures_shortly: list[str] = field(default_factory=list)
    """The same with a timeout below the pause."""


def results() -> list[Result]:
    """Measure all, in one region."""
    with tempfile.TemporaryDirectory(prefix="kilonode-bench-") as folder, registry() as images:
        print("== images", flush=True)
        archive = write_image(Path(folder), "preloaded", BIG_SIZE)
        catalogue = _fill(images)
        with throwaway(lambda operator: _settings(operator, archive)) as made:
            print(f"== region: {made.up():.0f} s", flush=True)
            with images.open_to(made.region.plan.operator):
                run = _measure(made.region, catalogue)
    return [_parallel(run), *_preload(run), *_patience(run)]


@dataclass(frozen=True)
class Catalogue:
    """References of the registry's images. No two share a layer: a node would not pull it twice."""

    warm: str
    ten: dict[str, str]
    big: dict[Throttle, list[str]]
    paused: str
    paused_shortly: str


def _fill(images: Registry) -> Catalogue:
    return Catalogue(
        warm=images.add("warm", MEGABYTE, FAST),
        ten={str(each): images.add(f"ten-{each}", IMAGE_SIZE, IMAGE_THROTTLE) for each in range(IMAGES)},
        big={
            throttle: [
                images.add(f"big-{throttle.rate // MEGABYTE}-{each}", BIG_SIZE, throttle) for each in range(ROUNDS)
            ]
            for throttle in (FAST, SLOW)
        },
        paused=images.add("paused", IMAGE_SIZE, PAUSE),
        paused_shortly=images.add("paused-shortly", IMAGE_SIZE, SHORT_PAUSE),
    )


def _measure(region: Region, catalogue: Catalogue) -> Run:
    """The paused pulls wait while the others are measured: they cost no processor meanwhile."""
    run = Run()
    for pool in ("ours", "serial"):
        _timed(PodSet(region, f"warm-{pool}", pool, {"0": catalogue.warm}))
    paused = PodSet(region, "paused", "patient", {"0": catalogue.paused})
    shortly = PodSet(region, "paused-shortly", "impatient", {"0": catalogue.paused_shortly})
    paused.create()
    shortly.create()
    print(f"== {IMAGES} images", flush=True)
    run.side_by_side = _timed(PodSet(region, "side-by-side", "ours", catalogue.ten))
    run.one_by_one = _timed(PodSet(region, "one-by-one", "serial", catalogue.ten))
    print("== a big image", flush=True)
    for each in range(ROUNDS):
        run.preloaded.append(_timed(PodSet(region, f"preloaded-{each}", "ours", {"0": f"{HOST}/preloaded:1"})))
        for throttle, references in catalogue.big.items():
            name = f"pulled-{throttle.rate // MEGABYTE}-{each}"
            run.pulled[throttle].append(_timed(PodSet(region, name, "ours", {"0": references[each]})))
    print("== a registry that pauses", flush=True)
    run.failures_shortly = _failed(shortly)
    run.paused = paused.wait_running(PAUSE.pause + PATIENCE)
    run.failures = paused.failed_pulls()
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
    return [
        Result(
            f"first start of an image pulled at {throttle.rate // MEGABYTE} MB/s / preloaded",
            median(pulled) / median(run.preloaded),
            PRELOAD_GOAL,
            "×",
            f"{BIG_SIZE // MEGABYTE} MB, medians of {ROUNDS}: pulled {median(pulled):.2f} s, "
            f"preloaded {median(run.preloaded):.2f} s",
            "≥",
        )
        for throttle, pulled in run.pulled.items()
    ]


def _patience(run: Run) -> list[Result]:
    ours = f"progressTimeout 30m: running {run.paused:.0f} s after its creation"
    short = f"progressTimeout {SHORT_TIMEOUT}: {'; '.join(run.failures_shortly) or 'no word of it'}"
    return [
        Result(f"pulls lost to a pause of {PAUSE.pause:.0f} s", len(run.failures), 0, "", ours),
        Result(f"pulls lost to a pause of {SHORT_PAUSE.pause:.0f} s", len(run.failures_shortly), 1, "", short, "≥"),
    ]
