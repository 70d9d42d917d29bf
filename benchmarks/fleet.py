"""Thousands of simulated nodes beside real ones for ten minutes: none leaves Ready, and the API keeps its objectives."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from ipaddress import IPv4Address
from typing import Any

from benchmarks import latency
from benchmarks.latency import Buckets, Kind
from benchmarks.result import Result
from benchmarks.throwaway import throwaway
from kilonode.region.plan import API_PORT
from ops.ready import OK, Region

SIMULATED, REAL = 2_000, 2
CEILING = 2_500
MEMBERS, API_SERVERS = 3, 2
"""Of each etcd cluster, and in all: what two cores carry beside so many nodes."""

SECONDS = 600.0
POLL = 10.0
PATIENCE = 60.0  # seconds a list of all nodes may take
P99 = 0.99
SINGLE_GOAL, LIST_GOAL = 1.0, 30.0
"""Seconds, of the Kubernetes SLOs for API calls: for one object, and for lists."""

LEASE_GOAL = 40.0
"""Seconds; a node that has not renewed for so long is no longer Ready."""

NODES = "/api/v1/nodes?resourceVersion=0"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases?resourceVersion=0"


@dataclass
class Seen:
    """What was seen of the nodes while they were watched."""

    looks: int = 0
    absent: int = 0
    """Most nodes that were missing or not Ready at any look."""

    changed: set[str] = field(default_factory=set)
    """Nodes whose condition Ready has changed."""

    oldest_lease: float = 0.0
    """Longest time without a renewal, in seconds, of any node at any look."""


def results() -> list[Result]:
    """Make the region, watch it for ten minutes, and count."""
    with throwaway(_settings) as made:
        print(f"== region: {made.up():.0f} s; load {_load()}", flush=True)
        before = _requests(made.region)
        seen = _watch(made.region)
        took = latency.between(before, _requests(made.region))
        memory = made.memory()
    print(f"== watched {SECONDS:.0f} s, {seen.looks} looks; load {_load()}; memory {memory / 2**30:.1f} GiB")
    for line in _table(took):
        print(f"   {line}")
    return [*_steady(seen), *_objectives(took)]


def _settings(_operator: IPv4Address) -> dict[str, Any]:
    return {
        "cloud": {"kind": "local"},
        "ceiling": CEILING,
        "etcd": [{"name": "main", "members": MEMBERS}, {"name": "events", "members": 1}],
        "apiServers": {"count": API_SERVERS},
        "nodePools": [
            # One pod each, so that the pool fits its part of the range.
            {"name": "simulated", "kind": "simulated", "nodes": SIMULATED, "podsPerNode": 1},
            {"name": "workers", "kind": "machines", "nodes": REAL, "podsPerNode": 30},
        ],
    }


def _watch(region: Region) -> Seen:
    seen, begin = Seen(), datetime.now(UTC)
    end = time.monotonic() + SECONDS
    while True:
        next_look = time.monotonic() + POLL
        nodes, leases = _items(region, NODES), _items(region, LEASES)
        now = datetime.now(UTC)
        conditions = {node["metadata"]["name"]: _ready(node) for node in nodes}
        seen.looks += 1
        ready = sum(condition["status"] == "True" for condition in conditions.values())
        seen.absent = max(seen.absent, SIMULATED + REAL - ready)
        seen.changed |= {
            name for name, row in conditions.items() if datetime.fromisoformat(row["lastTransitionTime"]) > begin
        }
        ages = [(now - datetime.fromisoformat(lease["spec"]["renewTime"])).total_seconds() for lease in leases]
        seen.oldest_lease = max(seen.oldest_lease, *ages)
        if time.monotonic() > end:
            return seen
        time.sleep(max(0.0, next_look - time.monotonic()))


def _ready(node: dict[str, Any]) -> dict[str, str]:
    return next(row for row in node["status"]["conditions"] if row["type"] == "Ready")


def _items(region: Region, path: str) -> list[dict[str, Any]]:
    answer = region.api.call(f"{region.plan.endpoint}{path}", timeout=PATIENCE)
    if answer.status != OK:
        raise RuntimeError(f"GET {path}: {answer.status} {answer.text[:300]}")
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


def _requests(region: Region) -> dict[Kind, Buckets]:
    """What all API servers have answered so far."""
    found: dict[Kind, Buckets] = {}
    for server in region.plan.api_servers:
        answer = region.api.call(f"https://{server.address}:{API_PORT}/metrics", timeout=PATIENCE)
        if answer.status != OK:
            raise RuntimeError(f"metrics of {server.name}: {answer.status} {answer.text[:300]}")
        for kind, buckets in latency.read(answer.text).items():
            found[kind] = latency.together([found.get(kind, Buckets()), buckets])
    return found


def _table(took: dict[Kind, Buckets]) -> list[str]:
    """A line for each verb and scope, and the leases of nodes, which are most of all writes."""
    rows: dict[str, Buckets] = {}
    for kind, buckets in sorted(took.items(), key=lambda row: (row[0].verb, row[0].scope)):
        rows.setdefault(f"{kind.verb} {kind.scope}", Buckets()).update(buckets)
    rows["renewals of leases"] = _of(took, _renewal)
    lines = [f"{'requests':<24}{'number':>10}{'p50 ms':>10}{'p99 ms':>10}"]
    for name, buckets in rows.items():
        p50, p99 = (1000 * latency.quantile(share, buckets) for share in (0.5, P99))
        lines.append(f"{name:<24}{latency.count(buckets):>10,}{p50:>10.1f}{p99:>10.1f}")
    return lines


def _of(took: dict[Kind, Buckets], wanted: Callable[[Kind], bool]) -> Buckets:
    return latency.together(buckets for kind, buckets in took.items() if wanted(kind))


def _renewal(kind: Kind) -> bool:
    return kind.resource == "leases" and kind.verb == "PUT"


def _steady(seen: Seen) -> list[Result]:
    watched = f"{SIMULATED:,} simulated and {REAL} real nodes, {SECONDS:.0f} s, {seen.looks} looks"
    return [
        Result("nodes not Ready at any look", seen.absent, 0, "", watched),
        Result("nodes whose Ready changed", len(seen.changed), 0, "", ", ".join(sorted(seen.changed)[:5]) or "none"),
        Result("oldest lease", seen.oldest_lease, LEASE_GOAL, " s", "renewed every 10 s"),
    ]


def _objectives(took: dict[Kind, Buckets]) -> list[Result]:
    rows = (
        ("p99 of requests for one object", lambda kind: kind.scope == "resource", SINGLE_GOAL),
        ("p99 of renewals of leases", _renewal, SINGLE_GOAL),
        ("p99 of lists", lambda kind: kind.verb == "LIST", LIST_GOAL),
    )
    return [
        Result(what, latency.quantile(P99, buckets), goal, " s", f"{latency.count(buckets):,} requests")
        for what, buckets, goal in ((what, _of(took, wanted), goal) for what, wanted, goal in rows)
    ]


def _load() -> str:
    return " ".join(f"{value:.1f}" for value in os.getloadavg())
