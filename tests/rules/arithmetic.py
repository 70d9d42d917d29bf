"""Rules about figures: how subjects are made of drawn figures, and the claim on the same figures, written a second time."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from kilonode.apiserver.sizing import size_for
from kilonode.boot.neighbours import KERNEL_DEFAULT, TABLES
from kilonode.rules.facts.controlplane import ApiServer, ApiServers, EtcdCluster, Member
from kilonode.rules.facts.machines import Disk, Kernel, Machine, UserData
from kilonode.rules.facts.network import Subnet
from kilonode.rules.facts.pools import NodePool, Rolling
from kilonode.rules.facts.stack import Stack, Tagged
from kilonode.rules.facts.workloads import Autoscaler, PriorityClass

GIB = 1024**3
Values = Mapping[str, Any]


@dataclass(frozen=True)
class Figures:
    """One rule; ``hideable`` are figures that may be unknown, and ``settings`` what the rule is told beside."""

    rule: str
    values: dict[str, st.SearchStrategy[Any]]
    subject: Callable[[Values], Any]
    holds: Callable[[Values], bool]
    hideable: tuple[str, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """For the test's id."""
        return f"{self.rule}-{'-'.join(self.values)}"


def near(*figures: int, least: int = 0, most: int = 2**40) -> st.SearchStrategy[int]:
    """At the figures, one beside them, and anywhere."""
    edges = sorted({each + step for each in figures for step in (-1, 0, 1) if least <= each + step <= most})
    return st.sampled_from(edges) | st.integers(least, most)


def machine(**facts: Any) -> Machine:
    return Machine("urn", "m", "azure", **facts)


def member(number: int | str = 1, options: Mapping[str, str] | None = None, **facts: Any) -> Member:
    return Member(machine(**facts), {"name": f"m{number}", **(options or {})})


def cluster(count: int, **facts: Any) -> EtcdCluster:
    return EtcdCluster("main", tuple(member(number) for number in range(count)), **facts)


def server(flags: Mapping[str, Any]) -> ApiServer:
    return ApiServer(machine(), {key: str(value) for key, value in flags.items()}, {})


def servers(count: int, flags: Mapping[str, Any] | None = None, **facts: Any) -> ApiServers:
    return ApiServers(tuple(server(flags or {}) for _ in range(count)), **facts)


def pool(**facts: Any) -> NodePool:
    return NodePool("urn", "p", "azure", **facts)


def scaler(flag: str) -> Callable[[Values], Autoscaler]:
    return lambda v: Autoscaler("urn", {flag: str(v["n"])})


def kernel(v: Values) -> Kernel:
    rows = {f"net.{v['family']}.neigh.default.gc_thresh{n}": str(v[f"t{n}"]) for n in (1, 2, 3)}
    return Kernel("urn", rows, v.get("nodes", 0))


def data(**facts: Any) -> UserData:
    return UserData(**{"size": 0, "texts": (), "files": {}, "programs": {}, "sysctls": {}, **facts})


def room(v: Values) -> Subnet:
    pools = tuple(pool(most=most, addresses=each) for most, each in zip(v["most"], v["each"], strict=True))
    return Subnet("urn", (f"10.0.0.0/{v['prefix']}",), pools)


def table(nodes: int) -> tuple[int, int, int]:
    return next(row.thresholds.values for row in TABLES if nodes <= row.nodes)


FAMILY = st.sampled_from(("ipv4", "ipv6"))
THRESHOLD = near(*(value for row in TABLES for value in row.thresholds.values), most=2**31 + 1)
PERCENT = st.none() | near(5, 20, most=100)
ZONES = st.lists(st.sampled_from("1234"), min_size=1, max_size=7)

ROWS = (
    Figures("etcd-quota", {"n": near(0, 2 * GIB, 2**63 - 1, least=-(2**64), most=2**64)},
            lambda v: member(options={"quota-backend-bytes": str(v["n"])}), lambda v: 2 * GIB < v["n"] < 2**63),
    Figures("etcd-quota-ceiling", {"n": near(8 * GIB, 16 * GIB)},
            lambda v: member(options={"quota-backend-bytes": str(v["n"])}), lambda v: v["n"] <= 8 * GIB),
    Figures("etcd-quota-equal", {"all": st.lists(st.sampled_from((1, 2, 3)), min_size=1, max_size=7)},
            lambda v: EtcdCluster("c", tuple(member(n, {"quota-backend-bytes": str(q)}) for n, q in enumerate(v["all"]))),
            lambda v: len(set(v["all"])) == 1),
    Figures("etcd-members-odd", {"n": st.integers(1, 12)}, lambda v: cluster(v["n"]), lambda v: v["n"] in {1, 3, 5, 7}),
    Figures("etcd-members-enough", {"n": st.integers(1, 7), "nodes": near(500, 40, most=10_000)},
            lambda v: cluster(v["n"], nodes=v["nodes"]),
            lambda v: v["n"] >= 5 or (v["n"] >= 3 and v["nodes"] <= 500), ("nodes",)),
    Figures("etcd-members-enough", {"n": st.integers(1, 7), "nodes": near(40, most=100)},
            lambda v: cluster(v["n"], nodes=v["nodes"]),
            lambda v: v["n"] >= 5 or (v["n"] >= 3 and v["nodes"] <= 40), ("nodes",), {"many": 40}),
    Figures("etcd-zones", {"zones": ZONES},
            lambda v: EtcdCluster("c", tuple(member(n, zone=zone) for n, zone in enumerate(v["zones"]))),
            lambda v: len(v["zones"]) < 3 or max(map(v["zones"].count, v["zones"])) * 2 < len(v["zones"])),
    Figures("etcd-zones", {"a": st.sampled_from("123"), "b": st.sampled_from("123"), "c": st.none() | st.sampled_from("123")},
            lambda v: EtcdCluster("c", tuple(member(n, zone=v[n]) for n in "abc")), lambda v: len({*v.values()}) == 3, ("a", "b", "c")),
    Figures("etcd-local-disk", {"iops": st.none() | near(16_000), "size": st.sampled_from(("Standard_L8s_v3", "Standard_D16ds_v5", "i4i.2xlarge", "m7i.large", "m7gd.large"))},
            lambda v: member(size=v["size"], disks=(Disk(v["iops"], None),)),
            lambda v: v["size"] in {"Standard_L8s_v3", "i4i.2xlarge", "m7gd.large"} or (v["iops"] or 0) >= 16_000,
            ("iops", "size")),
    Figures("apiserver-count", {"n": st.integers(1, 9), "nodes": near(500, most=10_000)},
            lambda v: servers(v["n"], nodes=v["nodes"]),
            lambda v: v["n"] >= 5 or (v["n"] >= 3 and v["nodes"] <= 500), ("nodes",)),
    Figures("apiserver-zones", {"zones": ZONES},
            lambda v: ApiServers(tuple(ApiServer(machine(zone=zone), {}, {}) for zone in v["zones"])),
            lambda v: len(set(v["zones"])) >= min(3, len(v["zones"]))),
    Figures("apiserver-zones", {"a": st.sampled_from("123"), "b": st.sampled_from("123"), "c": st.none() | st.sampled_from("123")},
            lambda v: ApiServers(tuple(ApiServer(machine(zone=v[n]), {}, {}) for n in "abc")), lambda v: len({*v.values()}) == 3,
            ("a", "b", "c")),
    Figures("apiserver-event-ttl", {"h": st.integers(0, 26), "m": st.integers(0, 59), "s": st.integers(0, 59)},
            lambda v: server({"event-ttl": f"{v['h']}h{v['m']}m{v['s']}s"}),
            lambda v: 1 <= v["h"] * 3600 + v["m"] * 60 + v["s"] <= 86_400),
    Figures("apiserver-compaction", {"s": near(0, 1_800, most=4_000)},
            lambda v: server({"etcd-compaction-interval": f"{v['s']}s"}), lambda v: 0 < v["s"] <= 1_800),
    Figures("apiserver-audit", {"age": near(0, 30, most=60), "files": near(0, 10, most=20), "size": near(0, 100, most=200)},
            lambda v: server({"audit-policy-file": "p", "audit-log-path": "l", "audit-log-maxage": v["age"],
                              "audit-log-maxbackup": v["files"], "audit-log-maxsize": v["size"]}),
            lambda v: v["age"] not in range(1, 30) and v["files"] not in range(1, 10) and v["size"] not in range(1, 100)),
    Figures("apiserver-in-flight", {"nodes": near(1, 100, 1_000, 3_000, least=1, most=10_000), "r": near(400, 1_500, 3_000, most=6_000), "w": near(200, 500, 1_000, most=3_000)},
            lambda v: servers(2, {"max-requests-inflight": v["r"], "max-mutating-requests-inflight": v["w"]}, nodes=v["nodes"]),
            lambda v: v["r"] >= size_for(v["nodes"]).reads_in_flight and v["w"] >= size_for(v["nodes"]).mutations_in_flight,
            ("nodes",)),
    Figures("apiserver-goaway", {"n": st.integers(1, 5), "thousandths": near(0, 20, most=100)},
            lambda v: servers(v["n"], {"goaway-chance": v["thousandths"] / 1000}),
            lambda v: v["thousandths"] <= (20 if v["n"] > 1 else 0)),
    Figures("arp-thresholds-ordered", {"family": FAMILY, "t1": THRESHOLD, "t2": THRESHOLD, "t3": THRESHOLD}, kernel,
            lambda v: v["t1"] <= v["t2"] < v["t3"] < 2**31),
    Figures("arp-thresholds-ordered", {"family": FAMILY, "t1": near(*KERNEL_DEFAULT, most=2_000), "t2": near(*KERNEL_DEFAULT, most=2_000), "t3": near(*KERNEL_DEFAULT, most=2_000)},
            kernel, lambda v: v["t1"] <= v["t2"] < v["t3"]),
    Figures("arp-thresholds-large", {"family": FAMILY, "t1": THRESHOLD, "t2": THRESHOLD, "t3": THRESHOLD, "nodes": near(250, 1_000, most=10_000)},
            # Of the other family there is nothing, so the kernel's own hold, which are enough for nobody.
            lambda v: kernel(v | {"family": "ipv4"}), lambda _: False, ("nodes",)),
    Figures("arp-thresholds-large", {"t2": THRESHOLD, "t3": THRESHOLD, "nodes": near(250, 1_000, most=10_000)},
            lambda v: Kernel("urn", {f"net.{f}.neigh.default.gc_thresh{n}": str(v[f"t{n}"]) for f in ("ipv4", "ipv6") for n in (2, 3)}, v["nodes"]),
            lambda v: v["t2"] >= table(v["nodes"])[1] and v["t3"] >= table(v["nodes"])[2], ("nodes",)),
    Figures("arp-thresholds-large", {"t2": THRESHOLD, "t3": THRESHOLD},
            lambda v: Kernel("urn", {f"net.{f}.neigh.default.gc_thresh{n}": str(v[f"t{n}"]) for f in ("ipv4", "ipv6") for n in (2, 3)}, 1),
            lambda v: v["t2"] >= 90_000 and v["t3"] >= 100_000, (), {"nodes": 2_500}),
    Figures("kubelet-parallel-pulls", {"n": near(0, 1, 2, 100, most=1_000)},
            lambda v: pool(data=data(programs={"kubelet": {"serializeImagePulls": "false", "maxParallelImagePulls": str(v["n"])}})),
            lambda v: 2 <= v["n"] <= 100),
    Figures("scale-set-size", {"most": near(0, 600, 1_000, most=2_000), "plain": st.booleans()},
            lambda v: pool(most=v["most"], plain_image=v["plain"]),
            lambda v: v["most"] <= (600 if v["plain"] else 1_000), ("most", "plain")),
    Figures("scale-set-placement", {"most": near(100, 300, most=2_000), "single": st.none() | st.booleans(), "size": st.sampled_from(("Standard_D16ds_v5", "Standard_HB176rs_v4"))},
            lambda v: pool(most=v["most"], single_placement_group=v["single"], size=v["size"]),
            lambda v: v["single"] is False or v["most"] <= (300 if "HB" in v["size"] else 100), ("most", "single", "size")),
    Figures("pool-rolling-upgrade", {"mode": st.sampled_from(("Rolling", "Manual", "Automatic", None)), "batch": PERCENT, "ill": PERCENT, "after": PERCENT},
            lambda v: pool(rolling=Rolling(v["mode"], v["batch"], v["ill"], v["after"])),
            lambda v: v["mode"] == "Manual" or (v["mode"] == "Rolling" and all(p is not None and p <= 20 for p in (v["batch"], v["ill"], v["after"]))),
            ("mode", "batch", "ill", "after")),
    Figures("autoscaler-limit", {"n": near(0, most=20_000)}, scaler("max-nodes-total"), lambda v: v["n"] > 0),
    Figures("autoscaler-scale-in", {"n": near(10, most=1_000)}, scaler("max-scale-down-parallelism"), lambda v: v["n"] <= 10),
    Figures("autoscaler-scale-in", {"n": near(10, most=1_000)}, scaler("max-empty-bulk-delete"), lambda v: v["n"] <= 10),
    Figures("autoscaler-unready", {"n": near(45, most=100)}, scaler("max-total-unready-percentage"), lambda v: v["n"] <= 45),
    Figures("autoscaler-unready", {"n": near(10, most=1_000_000)}, scaler("ok-total-unready-count"), lambda v: v["n"] <= 10),
    Figures("autoscaler-ramp", {"n": near(100, most=10_000)}, scaler("max-nodes-per-scaleup"), lambda v: 0 < v["n"] <= 100),
    Figures("balloon-priority", {"n": st.none() | near(-10, 0, least=-(2**31), most=2**31 - 1)},
            lambda v: PriorityClass("urn", "c", v["n"], balloon=True), lambda v: v["n"] is not None and -10 <= v["n"] < 0, ("n",)),
    Figures("address-budget", {"prefix": st.integers(16, 29), "most": st.lists(near(0, 1, 8, most=2_000), min_size=2, max_size=2), "each": st.lists(st.integers(1, 256), min_size=2, max_size=2)},
            room, lambda v: sum(m * e for m, e in zip(v["most"], v["each"], strict=True)) + 5 <= 2 ** (32 - v["prefix"])),
    Figures("address-budget", {"most": near(11, most=20), "each": st.just(1), "range": st.just("10.0.0.0/28")},
            lambda v: Subnet("urn", (v["range"],), (pool(most=v["most"], addresses=v["each"]),)), lambda v: v["most"] <= 11,
            ("most", "each", "range")),
    Figures("user-data-size", {"n": near(16_384, 65_535, most=100_000), "cloud": st.sampled_from(("azure", "aws"))},
            lambda v: Machine("urn", "m", v["cloud"], data=data(size=v["n"])),
            lambda v: v["n"] <= (65_535 if v["cloud"] == "azure" else 16_384)),
    Figures("stack-size", {"n": near(2_000, most=10_000)}, lambda v: Stack("urn", v["n"]), lambda v: v["n"] <= 2_000),
    Figures("required-tags", {"own": st.frozensets(st.sampled_from(("owner", "cost", "team")))},
            lambda v: Stack("urn", 1, (Tagged("urn", v["own"]),)), lambda v: {"owner", "cost"} <= v["own"], ("own",),
            {"names": ("owner", "cost")}),
)  # fmt: skip
