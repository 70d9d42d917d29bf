"""Control-plane sizes by the region's ceiling; never by today's node count, so that growth restarts nothing."""

from dataclasses import dataclass

from kilonode.tuning import Row

GOAWAY = 0.001
SHUTDOWN_MARGIN = 2
"""Seconds between the probe's word and the last new connection: whoever was sent there arrives."""

CASE_A04 = "kubernetes/kubernetes#47899 (429s at 4,000 nodes), kubespray#1193 (900 nodes), kube-up's size table"


@dataclass(frozen=True)
class ControlPlaneSize:
    """What a range of ceilings gets; ``nodes`` is the largest ceiling the step serves."""

    nodes: int
    reads_in_flight: int
    mutations_in_flight: int
    client_qps: int
    """Requests per second of the controller manager and the scheduler; bursts are one and a half times that."""

    concurrent_syncs: int


SIZES = (
    ControlPlaneSize(500, 400, 200, 100, 5),
    ControlPlaneSize(3_000, 1_500, 500, 200, 20),
    ControlPlaneSize(10_000, 3_000, 1_000, 500, 50),
)


def size_for(ceiling: int) -> ControlPlaneSize:
    """The smallest step that serves ``ceiling`` nodes."""
    return next(size for size in SIZES if ceiling <= size.nodes)


def event_ttl_row(minutes: int) -> Row:
    """How long Events live, in the program's own notation."""
    hours, rest = divmod(minutes, 60)
    why = "Events are for people at work now; a longer life only fills their etcd"
    return Row("event-ttl", f"{hours}h{rest}m0s", why, "kube-apiserver default, 1h0m0s")


def in_flight_rows(ceiling: int, reads: int | None = None, mutations: int | None = None) -> tuple[Row, ...]:
    """The in-flight limits, by the ceiling where none are given; priority and fairness divides their sum among its levels."""
    size = size_for(ceiling)
    why = f"kube-apiserver's defaults of 400/200 answer 429 in big clusters; this is the step for up to {size.nodes} nodes"
    return (
        Row("max-requests-inflight", reads or size.reads_in_flight, why, CASE_A04),
        Row("max-mutating-requests-inflight", mutations or size.mutations_in_flight, why, CASE_A04),
    )


def goaway_row(api_servers: int) -> Row:
    """Clients are moved between API servers now and then; with one server there is nowhere to go."""
    return Row(
        "goaway-chance",
        GOAWAY if api_servers > 1 else 0,
        "HTTP/2 clients stick to the server they first met: after a roll-out the last server up gets nobody",
        "kubernetes/kubernetes#88567; kube-apiserver help: off with a single server",
    )


def shutdown_row(probe_seconds: int) -> Row:
    """How long a server that is ending still serves: until its load balancer has found that it is not ready, and a little more."""
    return Row(
        "shutdown-delay-duration",
        f"{probe_seconds + SHUTDOWN_MARGIN}s",
        "/readyz fails first, so the load balancer takes the server out before it refuses a connection",
        "kube-apiserver help; the probe is the cloud's",
    )
