"""How long kube-apiserver took for its requests, from its own histogram: what came between two looks.

Format: Prometheus text exposition; ``apiserver_request_duration_seconds`` with the labels verb, scope, resource and le.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

LONG_RUNNING = ("WATCH", "CONNECT")
"""They last as long as the client likes."""

_BUCKET = re.compile(r"^apiserver_request_duration_seconds_bucket\{(.*)\} (\S+)$", re.MULTILINE)
_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')

Buckets = Counter[float]
"""Requests that took at most so many seconds, by the seconds; those at most infinite are all."""


@dataclass(frozen=True)
class Kind:
    """Requests of one kind; ``scope`` is resource for one object, namespace or cluster for many."""

    verb: str
    scope: str
    resource: str


def read(text: str) -> dict[Kind, Buckets]:
    """The histograms in a server's metrics."""
    found: dict[Kind, Buckets] = {}
    for line in _BUCKET.finditer(text):
        labels = dict(_LABEL.findall(line[1]))
        if labels["verb"] not in LONG_RUNNING:
            kind = Kind(labels["verb"], labels["scope"], labels["resource"])
            found.setdefault(kind, Counter())[float(labels["le"])] += int(float(line[2]))
    return found


def between(before: dict[Kind, Buckets], after: dict[Kind, Buckets]) -> dict[Kind, Buckets]:
    """What came meanwhile.

    Raises:
        ValueError: when a count has fallen, as after a restart: nothing is known then.
    """
    found = {}
    for kind, buckets in after.items():
        earlier = before.get(kind, Counter())
        found[kind] = Counter({edge: number - earlier[edge] for edge, number in buckets.items()})
    if (
        any(number < 0 for buckets in found.values() for number in buckets.values())
        or not before.keys() <= after.keys()
    ):
        raise ValueError("counts have fallen: an API server has started anew meanwhile")
    return {kind: buckets for kind, buckets in found.items() if count(buckets)}


def together(histograms: Iterable[Buckets]) -> Buckets:
    """One histogram of several; all have the same edges."""
    total: Buckets = Counter()
    for each in histograms:
        total.update(each)
    return total


def count(buckets: Buckets) -> int:
    """All requests."""
    return buckets[math.inf]


def quantile(share: float, buckets: Buckets) -> float:
    """Seconds that ``share`` of the requests took at most, as PromQL's histogram_quantile: evenly spread in a bucket."""
    rank, below, number_below = share * count(buckets), 0.0, 0
    for edge in sorted(buckets):
        if buckets[edge] >= rank > 0:
            if math.isinf(edge):
                break
            return below + (edge - below) * (rank - number_below) / (buckets[edge] - number_below)
        below, number_below = edge, buckets[edge]
    return below
