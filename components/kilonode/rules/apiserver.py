"""Rules about the API servers."""

import re
from collections.abc import Iterator

import yaml

from kilonode.apiserver.settings import PROBE_PATHS
from kilonode.apiserver.sizing import size_for
from kilonode.limits import GOAWAY_CHANCE_MAX, NODES
from kilonode.rules import subjects
from kilonode.rules.durations import seconds
from kilonode.rules.facts import ApiServer, ApiServers, LoadBalancer
from kilonode.rules.rule import Fault, Parameter, rule
from kilonode.rules.unknown import UndecidedError, known

ENOUGH, FOR_MANY = 3, 5
OVERRIDES = "etcd-servers-overrides"
_OVERRIDE = re.compile(r"[a-z.0-9]*/[a-z]+#https?://[^;,#\s]+(?:;https?://[^;,#\s]+)*")


@rule(
    "apiserver-count", subjects.control_plane, severity="critical",
    why="with fewer one restart is an outage, or leaves the others with twice their watches",
    source="2021 post: five API servers for thousands of nodes", fix="use 3 API servers, or 5 for a large region",
    many=Parameter(500, "nodes from which on a region is large"),
)  # fmt: skip
def count(servers: ApiServers, many: int) -> Iterator[Fault]:
    """There are three API servers, and five in a large region."""
    own = len(servers.servers)
    if own < ENOUGH:
        yield Fault("API servers", own, f"{ENOUGH} or more")
    elif own < FOR_MANY and known(servers.nodes) > many:
        yield Fault("API servers", own, f"{FOR_MANY} or more above {many} nodes; {servers.nodes} are possible here")


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
    "apiserver-probe", subjects.api_balancers, severity="high",
    why="a server that is up and not ready answers with errors; an open port says nothing",
    source="kubernetes.io, API health endpoints", fix="probe HTTPS /readyz",
)  # fmt: skip
def probe(balancer: LoadBalancer) -> Iterator[Fault]:
    """The load balancer asks /readyz over HTTPS."""
    protocol, path = known(balancer.protocol), known(balancer.path)
    if protocol != "HTTPS" or path != "/readyz":
        yield Fault("probe", f"{protocol or 'nothing'} {path or ''}".strip(), "HTTPS /readyz")


@rule(
    "apiserver-anonymous", subjects.api_servers, severity="critical", benchmark="CIS 1.2.1, CKV_K8S_68",
    why="whoever reaches the port is somebody to the cluster", source="CIS Kubernetes 1.2.1",
    fix="set anonymous-auth=false, or allow the probe paths alone in authentication-config",
)  # fmt: skip
def anonymous(server: ApiServer) -> Iterator[Fault]:
    """Anonymous requests see the probe paths and nothing else."""
    path = server.flags.get("authentication-config")
    if path is None:
        given = server.flags.get("anonymous-auth")
        if given != "false":
            yield Fault("anonymous-auth", given, "false")
        return
    if path not in server.files:
        raise UndecidedError(f"authentication-config {path}")
    document = yaml.safe_load(server.files[path]) or {}
    allowed = document.get("anonymous") or {"enabled": True}
    paths = {row.get("path") for row in allowed.get("conditions") or ()}
    if allowed.get("enabled", True) and (not paths or paths - set(PROBE_PATHS)):
        shown = ", ".join(sorted(map(str, paths))) or "every path"
        yield Fault("authentication-config: anonymous", shown, f"at most {', '.join(PROBE_PATHS)}")


def _listed(server: ApiServer, flag: str) -> list[str]:
    return [each for each in server.flags.get(flag, "").split(",") if each]


@rule(
    "apiserver-node-restriction", subjects.api_servers, severity="high", benchmark="CKV_K8S_85",
    why="a node that was taken over could change every other node and read every secret",
    source="CIS Kubernetes 1.2", fix="add NodeRestriction to enable-admission-plugins",
)  # fmt: skip
def node_restriction(server: ApiServer) -> Iterator[Fault]:
    """A node changes only itself and its pods."""
    if "NodeRestriction" not in _listed(server, "enable-admission-plugins"):
        yield Fault("enable-admission-plugins", server.flags.get("enable-admission-plugins"), "with NodeRestriction")


@rule(
    "apiserver-authorization", subjects.api_servers, severity="critical", benchmark="CKV_K8S_74, CKV_K8S_75, CKV_K8S_77",
    why="every client, each of thousands of nodes, could do everything", source="CIS Kubernetes 1.2",
    fix="set authorization-mode=Node,RBAC",
)  # fmt: skip
def authorization(server: ApiServer) -> Iterator[Fault]:
    """Requests are authorized by Node and RBAC, and none by AlwaysAllow."""
    modes = set(_listed(server, "authorization-mode"))
    if "authorization-config" not in server.flags and ({"Node", "RBAC"} - modes or "AlwaysAllow" in modes):
        yield Fault("authorization-mode", server.flags.get("authorization-mode"), "Node,RBAC")


@rule(
    "apiserver-audit", subjects.api_servers, severity="high",
    benchmark="CKV_K8S_91, CKV_K8S_92, CKV_K8S_93, CKV_K8S_94",
    why="without it nobody can say afterwards who changed what", source="CIS Kubernetes 1.2",
    fix="set audit-policy-file, audit-log-path, audit-log-maxage, audit-log-maxbackup and audit-log-maxsize",
    days=Parameter(30, "days that logs are kept"), files=Parameter(10, "files that are kept"),
    megabytes=Parameter(100, "size of one file"),
)  # fmt: skip
def audit(server: ApiServer, days: int, files: int, megabytes: int) -> Iterator[Fault]:
    """Requests are logged, and logs are kept."""
    if not server.flags.get("audit-policy-file"):
        yield Fault("audit-policy-file", None, "a file")
    if server.flags.get("audit-webhook-config-file"):
        return
    if not server.flags.get("audit-log-path"):
        yield Fault("audit-log-path", None, "a file")
        return
    for flag, least in (("audit-log-maxage", days), ("audit-log-maxbackup", files), ("audit-log-maxsize", megabytes)):
        given = server.flags.get(flag, "0")
        # 0 of the first two is for ever, and so is enough; of the third it is the default of 100.
        if given.isdecimal() and 0 < int(given) < least:
            yield Fault(flag, given, f"{least} or more")


@rule(
    "apiserver-encryption", subjects.api_servers, severity="high", benchmark="CKV_K8S_104",
    why="snapshots and disks of etcd hold every secret in plain text", source="CIS Kubernetes 1.2",
    fix="set encryption-provider-config",
)  # fmt: skip
def encryption(server: ApiServer) -> Iterator[Fault]:
    """Secrets are encrypted at rest."""
    if not server.flags.get("encryption-provider-config"):
        yield Fault("encryption-provider-config", None, "a file")


@rule(
    "apiserver-profiling", subjects.api_servers, severity="low", benchmark="CKV_K8S_90",
    why="profiles show memory, and with it secrets", source="CIS Kubernetes 1.2", fix="set profiling=false",
)  # fmt: skip
def profiling(server: ApiServer) -> Iterator[Fault]:
    """Profiles are off."""
    if server.flags.get("profiling") != "false":
        yield Fault("profiling", server.flags.get("profiling"), "false")


@rule(
    "apiserver-always-pull", subjects.api_servers, severity="medium", benchmark="CIS 1.2.11, CKV_K8S_80",
    why="decided against the benchmark: every start of every pod would ask the registry, which once banned a cluster's "
    "address; images are pinned by digest, and nodes belong to one team",
    source="2018 post", fix="remove AlwaysPullImages, or set the parameter wanted where tenants do not trust each other",
    wanted=Parameter(False, "whether this stack decided for AlwaysPullImages"),
)  # fmt: skip
def always_pull(server: ApiServer, *, wanted: bool) -> Iterator[Fault]:
    """AlwaysPullImages is as decided."""
    there = "AlwaysPullImages" in _listed(server, "enable-admission-plugins")
    if there != wanted:
        given = server.flags.get("enable-admission-plugins")
        yield Fault("enable-admission-plugins", given, f"{'with' if wanted else 'without'} AlwaysPullImages")


@rule(
    "apiserver-event-ttl", subjects.api_servers, severity="medium",
    why="Events are most of what etcd is written; a longer life only fills it", source="2018 post; kube-apiserver help",
    fix="set event-ttl=1h", hours=Parameter(24, "the longest life of an Event"),
)  # fmt: skip
def event_ttl(server: ApiServer, hours: int) -> Iterator[Fault]:
    """Events live a day at most."""
    given = server.flags.get("event-ttl", "1h0m0s")
    if (found := seconds(given)) is None or found > hours * 3600:
        yield Fault("event-ttl", given, f"at most {hours}h")


@rule(
    "apiserver-in-flight", subjects.api_servers, severity="medium",
    why="the defaults of 400 and 200 answer 429 in big clusters",
    source="kubernetes/kubernetes#47899, kubespray#1193", fix="raise max-requests-inflight and max-mutating-requests-inflight",
    nodes=Parameter(0, "nodes to size for; 0 means what the stack's pools may become"),
)  # fmt: skip
def in_flight(server: ApiServer, nodes: int) -> Iterator[Fault]:
    """Limits of requests in flight fit the region's size."""
    total = nodes or known(server.clusters[0].nodes if server.clusters else 0)
    size = size_for(min(total, NODES.value))
    for flag, least, default in (
        ("max-requests-inflight", size.reads_in_flight, 400),
        ("max-mutating-requests-inflight", size.mutations_in_flight, 200),
    ):
        given = server.flags.get(flag, str(default))
        if given.isdecimal() and int(given) < least:
            yield Fault(flag, given, f"{least} or more for {total} nodes")


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
        if float(given) > most:
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
    parts = server.flags.get(OVERRIDES, "").split(",")
    events = {_host(url) for part in parts if part.startswith("/events#") for url in part[8:].split(";")}
    main = {_host(url) for url in server.flags.get("etcd-servers", "").split(",")}
    if not events:
        yield Fault(OVERRIDES, server.flags.get(OVERRIDES), "an override for /events")
    elif shared := sorted(events & main):
        yield Fault(OVERRIDES, f"{shared[0]} has both", "machines that etcd-servers does not name")


def _host(url: str) -> str:
    return url.rpartition("//")[2].rpartition(":")[0]


RULES = (
    count, zones, probe, anonymous, node_restriction, authorization, audit, encryption, profiling, always_pull, event_ttl,
    in_flight, goaway, override_syntax, events_apart,
)  # fmt: skip
