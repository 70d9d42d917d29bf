"""Rules about the API servers."""

import re
from collections.abc import Iterable, Iterator
from functools import partial
from urllib.parse import parse_qs

from kilonode.apiserver.probe import OVERRIDE_CHECKS, PROBE, READY
from kilonode.apiserver.sizing import size_for
from kilonode.limits import GOAWAY_CHANCE_MAX, NODES
from kilonode.rules import subjects
from kilonode.rules.facts.controlplane import ApiServer, ApiServers
from kilonode.rules.facts.network import LoadBalancer
from kilonode.rules.go import figure, seconds
from kilonode.rules.large import ENOUGH, MANY, SIZED_FOR, enough, sized
from kilonode.rules.parameter import Parameter
from kilonode.rules.rule import Fault, rule
from kilonode.rules.subjects_balancers import api_balancers
from kilonode.rules.unknown import known
from kilonode.rules.urls import host, listed, on_the_machine

OVERRIDES = "etcd-servers-overrides"
_EVENTS_CHECKS = tuple(zip((f"{check}-0" for check in OVERRIDE_CHECKS), ("etcd", "etcd-readiness"), strict=True))
"""Each with the group by which it may be left out too."""

_OVERRIDE = re.compile(r"[a-z.0-9]*/[a-z]+#https?://[^;,#\s]+(?:;https?://[^;,#\s]+)*")


@rule(
    "apiserver-count", subjects.control_plane, severity="critical",
    why="with fewer one restart is an outage, or leaves the others with twice their watches",
    source="2021 post: five API servers for thousands of nodes", fix="use 3 API servers, or 5 for a large region",
    many=MANY, nodes=SIZED_FOR,
)  # fmt: skip
def count(servers: ApiServers, many: int, nodes: int) -> Iterator[Fault]:
    """There are three API servers, and five in a large region."""
    yield from enough("API servers", len(servers.servers), servers.nodes, many, nodes)


@rule(
    "apiserver-zones", subjects.control_plane, severity="high",
    why="one zone that fails must not take the API with it", source="2021 post",
    fix="spread the API servers over three zones",
)  # fmt: skip
def zones(servers: ApiServers) -> Iterator[Fault]:
    """API servers are spread over three zones."""
    found = {known(server.machine.zone) or "no zone" for server in servers.servers}
    wanted = min(len(servers.servers), ENOUGH)
    if len(found) < wanted:
        yield Fault("zones", ", ".join(sorted(found)), f"{wanted} zones")


@rule(
    "apiserver-probe", api_balancers, severity="high",
    why="a server that is up and not ready answers with errors; an open port says nothing",
    source="kubernetes.io, API health endpoints", fix="probe HTTPS /readyz",
)  # fmt: skip
def probe(balancer: LoadBalancer) -> Iterator[Fault]:
    """The load balancer asks /readyz over HTTPS."""
    for forward in known(balancer.forwards):
        protocol, path = known(forward.protocol), known(forward.path)
        if protocol != "HTTPS" or (path or "").partition("?")[0] != READY:
            yield Fault("probe", f"{protocol or 'nothing'} {path or ''}".strip(), "HTTPS /readyz")


@rule(
    "apiserver-probe-events", api_balancers, severity="medium",
    why="since Kubernetes 1.33 /readyz fails with an etcd of Events, which all API servers share: its outage takes all of them out at once",
    source="kubernetes/kubernetes#129438", fix=f"probe HTTPS {PROBE}",
)  # fmt: skip
def probe_events(balancer: LoadBalancer) -> Iterator[Fault]:
    """The load balancer keeps API servers that only lack Events."""
    for forward in known(balancer.forwards):
        path, _, query = (known(forward.path) or "").partition("?")
        left_out = {*parse_qs(query).get("exclude", ())}
        if path == READY and not all(left_out & {check, group} for check, group in _EVENTS_CHECKS):
            yield Fault("probe", forward.path, "without the checks of --etcd-servers-overrides")


@rule(
    "apiserver-event-ttl", subjects.api_servers, severity="medium",
    why="Events are most of what etcd is written; a longer life only fills it, and one of less than a second is none: they stay",
    source="2018 post; kube-apiserver help; kubernetes/kubernetes, pkg/registry/core/rest",
    fix="set event-ttl=1h", hours=Parameter(24, "the longest life of an Event", "less"),
)  # fmt: skip
def event_ttl(server: ApiServer, hours: int) -> Iterator[Fault]:
    """Events live a day at most."""
    given = server.flags.get("event-ttl", "1h0m0s")
    if (found := seconds(given)) is None or not 1 <= found <= hours * 3600:
        yield Fault("event-ttl", given, f"at most {hours}h, and at least 1s")


@rule(
    "apiserver-compaction", subjects.api_servers, severity="high",
    why="old revisions fill etcd's quota, and then the cluster is read-only; kube-apiserver compacts every etcd cluster it writes to, unless told not to",
    source="kube-apiserver help; kubernetes/kubernetes#51765", fix="leave etcd-compaction-interval out, which is 5m",
    minutes=Parameter(30, "the longest time between compactions; etcd keeps up to twice as much history", "less"),
)  # fmt: skip
def compaction(server: ApiServer, minutes: int) -> Iterator[Fault]:
    """API servers compact etcd's history."""
    given = server.flags.get("etcd-compaction-interval", "5m0s")
    if (found := seconds(given)) is None or not 0 < found <= minutes * 60:
        yield Fault("etcd-compaction-interval", given, f"more than 0, at most {minutes}m")


@rule(
    "apiserver-in-flight", subjects.control_plane, severity="medium",
    why="the defaults of 400 and 200 answer 429 in big clusters",
    source="kubernetes/kubernetes#47899, kubespray#1193", fix="raise max-requests-inflight and max-mutating-requests-inflight",
    nodes=SIZED_FOR,
)  # fmt: skip
def in_flight(servers: ApiServers, nodes: int) -> Iterator[Fault]:
    """Limits of requests in flight fit the region's size."""
    yield from sized(servers.nodes, nodes, partial(_few_in_flight, servers))


def _few_in_flight(servers: ApiServers, total: int) -> Iterator[Fault]:
    size = size_for(min(total, NODES.value))
    for flag, least, default in (
        ("max-requests-inflight", size.reads_in_flight, 400),
        ("max-mutating-requests-inflight", size.mutations_in_flight, 200),
    ):
        for server in servers.servers:
            given = server.flags.get(flag, str(default))
            if given.isdecimal() and int(given) < least:
                yield Fault(flag, given, f"{least} or more for {total} nodes", server.resource)


@rule(
    "apiserver-goaway", subjects.control_plane, severity="low",
    why="clients stick to the server they first met, and with one server there is nowhere to go",
    source="kubernetes/kubernetes#88567", fix="set goaway-chance=0.001, or 0 with one server",
)  # fmt: skip
def goaway(servers: ApiServers) -> Iterator[Fault]:
    """Connections are moved now and then, and not with one server."""
    most = GOAWAY_CHANCE_MAX.value / 100 if len(servers.servers) > 1 else 0
    for server in servers.servers:
        given = server.flags.get("goaway-chance", "0")
        chance = figure(given)
        if chance is None or not 0 <= chance <= most:
            yield Fault("goaway-chance", given, f"at most {most}", server.resource)


@rule(
    "apiserver-override-syntax", subjects.api_servers, severity="critical",
    why="servers of one override joined by commas are read as overrides: kube-apiserver does not start",
    source="kubernetes/kubernetes#57440, kubespray#3469", fix="write /events#https://a:2379;https://b:2379",
)  # fmt: skip
def override_syntax(server: ApiServer) -> Iterator[Fault]:
    """Overrides have semicolons inside and commas between."""
    given = server.flags.get(OVERRIDES)
    if given and not all(_OVERRIDE.fullmatch(part) for part in given.split(",")):
        yield Fault(OVERRIDES, given, "resource#url;url, and commas between resources")


@rule(
    "etcd-events-apart", subjects.api_servers, severity="high", invariant=True,
    why="a burst of Events must not slow the other keys", source="2018 post",
    fix="keep Events in an etcd cluster of their own, on machines of its own",
)  # fmt: skip
def events_apart(server: ApiServer) -> Iterator[Fault]:
    """Events are in an etcd cluster of their own."""
    parts = listed(server.flags.get(OVERRIDES, ""))
    events = _machines(server, (url for each in parts if each.startswith("/events#") for url in listed(each[8:], ";")))
    main = _machines(server, listed(server.flags.get("etcd-servers", "")))
    if not events:
        yield Fault(OVERRIDES, server.flags.get(OVERRIDES), "an override for /events")
    elif shared := sorted(events[each] for each in events.keys() & main.keys()):
        yield Fault(OVERRIDES, f"{shared[0]} has both", "machines that etcd-servers does not name")
    elif crowded := sorted(events[each] for each in events.keys() & server.crowded):
        yield Fault(OVERRIDES, f"{crowded[0]} has another etcd too", "machines with one etcd")


def _machines(server: ApiServer, urls: Iterable[str]) -> dict[str, str]:
    """The machines that a server finds at URLs, each with its name or address there; what is no URL is one by itself."""
    names = {url: host(url) or url for url in urls}
    return {
        server.resource if on_the_machine(url) else server.etcds.get(name, name): name for url, name in names.items()
    }


RULES = (
    count, zones, probe, probe_events, event_ttl, compaction, in_flight, goaway, override_syntax, events_apart,
)  # fmt: skip
