"""Rules about nodes, and about the kernel of every machine."""

import re
from collections.abc import Iterator
from functools import partial

from kilonode.boot.neighbours import KERNEL_DEFAULT, NeighbourThresholds, table_for
from kilonode.cloudspec.azure_sizes import SIZES
from kilonode.limits import NODES
from kilonode.nodes.pulls import AT_ONCE_MAX
from kilonode.rules import subjects
from kilonode.rules.facts.machines import Kernel, Machine, Options, UserData
from kilonode.rules.facts.pools import NodePool
from kilonode.rules.go import truth
from kilonode.rules.large import SIZED_FOR, sized
from kilonode.rules.parameter import Parameter
from kilonode.rules.rule import Fault, refused, rule
from kilonode.rules.unknown import known

FAMILIES = ("ipv4", "ipv6")
_GPU = re.compile(r"Standard_N[CDGV]\w+|(?:p|gr?)\d[\w-]*\.", re.ASCII | re.IGNORECASE)
"""Sizes with GPUs; NP has other accelerators (Azure docs, size naming conventions; EC2 user guide, accelerated computing)."""


def _thresholds(kernel: Kernel, family: str) -> list[int]:
    rows = (kernel.sysctls.get(f"net.{family}.neigh.default.gc_thresh{step}") for step in (1, 2, 3))
    return [int(row) if row and row.isdecimal() else usual for row, usual in zip(rows, KERNEL_DEFAULT, strict=True)]


@rule(
    "arp-thresholds-ordered", subjects.kernels, severity="high", invariant=True,
    why="the collector starts at the first, hurries at the second, and at the third there is no room",
    source="net/core/neighbour.c; kubernetes/kops#4533", fix="put gc_thresh1, 2 and 3 in order",
)  # fmt: skip
def ordered(kernel: Kernel) -> Iterator[Fault]:
    """Thresholds of the neighbour tables are in order, for IPv4 and IPv6."""
    for family in FAMILIES:
        one, two, three = given = _thresholds(kernel, family)
        made = {"gc_thresh1": one, "gc_thresh2": two, "gc_thresh3": three}
        field = f"net.{family}.neigh.default.gc_thresh1, 2, 3"
        yield from refused(field, ", ".join(map(str, given)), partial(NeighbourThresholds.read, field=field), made)


@rule(
    "arp-thresholds-large", subjects.kernels, severity="critical",
    why="a full table refuses new neighbours: pods lose their connections at random",
    source="2018 post; kubernetes/kops#4533", fix="set gc_thresh2 and 3 of net.ipv4.neigh.default and of net.ipv6's",
    nodes=SIZED_FOR,
)  # fmt: skip
def large(kernel: Kernel, nodes: int) -> Iterator[Fault]:
    """The neighbour tables have room for the region, for IPv4 and IPv6."""
    yield from sized(kernel.nodes, nodes, partial(_small, kernel))


def _small(kernel: Kernel, nodes: int) -> Iterator[Fault]:
    total = min(nodes, NODES.value)
    least = table_for(total).thresholds.values
    for family in FAMILIES:
        # Not the first: where addresses are reused soon it is 0, so that what is unused is forgotten.
        for step, given, floor in zip((2, 3), _thresholds(kernel, family)[1:], least[1:], strict=True):
            if given < floor:
                yield Fault(f"net.{family}.neigh.default.gc_thresh{step}", given, f"{floor} or more for {total} nodes")


def _kubelet(subject: Machine | NodePool) -> Options:
    return subject.data.programs["kubelet"] if isinstance(subject.data, UserData) else {}


def _given(own: Options, *names: str) -> str | None:
    """The first that is given: a flag wins over the file."""
    return next((own[name] for name in names if name in own), None)


@rule(
    "kubelet-parallel-pulls", subjects.nodes, severity="high",
    why="one after the other, a 17 GB image holds up all others for half an hour; without a limit they share one disk",
    source="2018 post; kubernetes/kubernetes#115220", fix="set serializeImagePulls false and maxParallelImagePulls 10",
    most=Parameter(AT_ONCE_MAX, "the most pulls at once", "less", least=2),
)  # fmt: skip
def parallel_pulls(node: Machine | NodePool, most: int) -> Iterator[Fault]:
    """Images are pulled in parallel, up to a limit."""
    own = _kubelet(node)
    serialize = _given(own, "serialize-image-pulls", "serializeImagePulls")
    limit = own.get("maxParallelImagePulls", "0")
    if truth(serialize) is not False:
        yield Fault("serializeImagePulls", serialize, "false")
    elif not limit.isdecimal() or not 1 < int(limit) <= most:
        yield Fault("maxParallelImagePulls", own.get("maxParallelImagePulls"), f"2 to {most}")


@rule(
    "kubelet-anonymous", subjects.nodes, severity="critical", benchmark="CIS 4.2.1, CIS 4.2.2, CKV_K8S_138, CKV_K8S_139",
    why="whoever reaches port 10250 runs commands in every pod", source="CIS Kubernetes 4.2.1, 4.2.2",
    fix="set authentication.anonymous.enabled false and authorization.mode Webhook",
)  # fmt: skip
def kubelet_anonymous(node: Machine | NodePool) -> Iterator[Fault]:
    """kubelet knows whom it talks to."""
    own = _kubelet(node)
    # Of the flag the default is true; of the file false.
    given = _given(own, "anonymous-auth", "authentication.anonymous.enabled")
    given = given or ("false" if "kind" in own else "true")
    if truth(given) is not False:
        yield Fault("authentication.anonymous.enabled", given, "false")
    mode = _given(own, "authorization-mode", "authorization.mode")
    mode = mode or ("Webhook" if "kind" in own else "AlwaysAllow")
    if mode == "AlwaysAllow":
        yield Fault("authorization.mode", mode, "Webhook")


@rule(
    "gpu-preflight-taint", subjects.node_pools, severity="medium", level="disabled",
    why="a GPU that is ill is found by the job that waits for it, unless a test of the node comes first",
    source="2021 post: nodes join tainted, and the taint goes when they pass",
    fix="register nodes with the preflight taint, once something removes it",
    key=Parameter("preflight", "what the taint's key has in it"),
)  # fmt: skip
def preflight(pool: NodePool, key: str) -> Iterator[Fault]:
    """Nodes with GPUs join with the preflight taint."""
    size = known(pool.size) or ""
    has = SIZES[size].gpus > 0 if size in SIZES else bool(_GPU.match(size))
    if has:
        known(pool.data)
        taints = pool.options.get("register-with-taints") or pool.options.get("registerWithTaints") or ""
        if key not in taints:
            yield Fault("registerWithTaints", taints or None, f"a taint whose key has {key} in it")


RULES = (ordered, large, parallel_pulls, kubelet_anonymous, preflight)
