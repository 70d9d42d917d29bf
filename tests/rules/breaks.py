"""For each rule one change of a clean stack that breaks only it, and what is then said."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from kilonode.rules.read.resource import Resource
from kilonode.rules.registry import BY_ID
from tests.rules.doors import Told
from tests.rules.foreign import Foreign

Change = Callable[[Foreign], object]


@dataclass(frozen=True)
class Break:
    """One fault, and every word that is said of it; ``settings`` are parameters of the rule."""

    rule: str
    change: Change
    where: tuple[str, ...]
    """Names of the resources it is said of."""

    field: str
    value: str
    limit: str
    why: str = ""
    """The rule's own where it is left out; so is the fix."""

    fix: str = ""
    settings: tuple[tuple[str, Any], ...] = ()
    large: bool = False

    def broken(self) -> Foreign:
        """The stack with the fault."""
        of = Foreign(large=self.large)
        self.change(of)
        return of

    def policy(self) -> dict[str, Any]:
        """What a team has to decide for the rule to be judged."""
        return {"rules": {self.rule: {"level": "mandatory", "parameters": dict(self.settings)}}}

    def told(self, resources: Iterable[Resource]) -> list[Told]:
        """All that is said of ``resources``, word for word."""
        rule, urns = BY_ID[self.rule], {each.name: each.urn for each in resources}
        return sorted(
            Told(
                self.rule,
                urns[name],
                f"resource: {urns[name]}\n"
                f"field:    {self.field}\n"
                f"value:    {self.value}\n"
                f"limit:    {self.limit}\n"
                f"why:      {self.why or rule.why} ({rule.source})\n"
                f"fix:      {self.fix or rule.fix}",
            )
            for name in self.where
        )


def flag(name: str, value: str | None, cluster: int = 1) -> Change:
    """Set or remove a flag of one member."""

    def change(of: Foreign) -> None:
        own = of.members[cluster, 1]
        own.pop(name, None)
        if value is not None:
            own[name] = value

    return change


def server(name: str, value: str | None) -> Change:
    """Set or remove a flag of one API server."""

    def change(of: Foreign) -> None:
        own = of.servers[1]
        own.pop(name, None)
        if value is not None:
            own[name] = value

    return change


def machine(name: str, **properties: Any) -> Change:
    return lambda of: of.machines.update({name: properties})


def pool(path: str, value: Any) -> Change:
    def change(of: Foreign) -> None:
        *above, last = path.split(".")
        place: Any = of.pool
        for step in above:
            place = place[step]
        place[last] = value

    return change


def quotas(value: str | None) -> Change:
    """Of all members of one cluster, so that they stay equal."""

    def change(of: Foreign) -> None:
        for (cluster, _), own in of.members.items():
            if cluster == 1:
                own.pop("quota-backend-bytes")
                if value:
                    own["quota-backend-bytes"] = value

    return change


def one_more_member(of: Foreign) -> None:
    of.members[1, 4] = {**of.members[1, 3], "name": "m1-4"}
    # Of four members over three zones two would be in one, which is another rule's.
    of.machines["etcd-1-4"] = {"zones": ["4"]}


def two_fewer(of: Foreign) -> None:
    del of.members[1, 2], of.members[1, 3]


def two_servers_fewer(of: Foreign) -> None:
    del of.servers[2], of.servers[3]
    of.servers[1]["goaway-chance"] = "0"


def thresholds(step: int, value: int) -> Change:
    return lambda of: of.sysctls.update({f"net.ipv6.neigh.default.gc_thresh{step}": value})


def update(name: str, **values: Any) -> Change:
    return lambda of: getattr(of, name).update(values)


def put(name: str, value: Any) -> Change:
    return lambda of: setattr(of, name, value)


MAIN = "https://10.0.1.1:2379"
ONE_CLUSTER = ("etcd-1-1", "etcd-1-2", "etcd-1-3")
MEMBERS = (*ONE_CLUSTER, "etcd-2-1", "etcd-2-2", "etcd-2-3")
CLUSTER = (*MEMBERS, "api-1", "api-2", "api-3", "pool")
BREAKS = (
    Break(
        "etcd-quota", quotas(None),
        ONE_CLUSTER, "quota-backend-bytes", "nothing", "a whole number of bytes, more than 2147483648",
    ),
    Break(
        "etcd-quota-ceiling", quotas("8589934593"),
        ONE_CLUSTER, "quota-backend-bytes", "8589934593", "at most 8589934592 bytes",
    ),
    Break(
        "etcd-quota-equal", flag("quota-backend-bytes", "4294967296"),
        ("etcd-1-1",), "quota-backend-bytes", "4294967296", "8589934592, as the other members",
    ),
    Break(
        "etcd-members-odd", one_more_member,
        ("etcd-1-1",), "members", "4", "an odd whole number from 1 to 7; 5 for a big cluster",
        why="an even count tolerates no more failures than one less, and more than seven slow every write",
        fix="use 5, or 3 for a small region",
    ),
    Break("etcd-members-enough", two_fewer, ("etcd-1-1",), "members", "1", "3 or more"),
    Break(
        "etcd-zones", machine("etcd-1-1", zones=["2"]),
        ("etcd-1-1",), "zones", "2 members in 2", "at most 1 of 3 in one zone",
    ),
    Break(
        "etcd-local-disk", machine("etcd-1-1", hardwareProfile={"vmSize": "Standard_D16s_v5"}),
        ("etcd-1-1",), "size", "Standard_D16s_v5", "a size with local NVMe disks, such as Standard_L8s_v3",
        why="Standard_D16s_v5 has no local disk: on network disks etcd's writes took over 100 ms, on local ones 200 µs (2018 post)",
        fix="use a size of the L family, or leave it out",
    ),
    Break(
        "etcd-host-cache", machine("etcd-1-1", storageProfile={"dataDisks": [{"caching": "ReadWrite"}]}),
        ("etcd-1-1",), "storageProfile.dataDisks[0].caching", "ReadWrite", "None, or ReadOnly",
    ),
    Break(
        "etcd-compaction", flag("auto-compaction-retention", None),
        ("etcd-1-1",), "auto-compaction-retention", "nothing", "more than 0, such as 5m",
    ),
    Break("etcd-client-tls", flag("client-cert-auth", "false"), ("etcd-1-1",), "client-cert-auth", "false", "true"),
    Break(
        "etcd-peer-tls", flag("peer-client-cert-auth", None),
        ("etcd-1-1",), "peer-client-cert-auth", "nothing", "true",
    ),
    Break("etcd-no-auto-tls", flag("auto-tls", "true"), ("etcd-1-1",), "auto-tls", "true", "false"),
    Break(
        "etcd-peer-authority", flag("peer-trusted-ca-file", "/etc/etcd/pki/ca.crt"),
        ("etcd-1-1",), "peer-trusted-ca-file", "/etc/etcd/pki/ca.crt", "another file than trusted-ca-file",
    ),
    Break(
        "etcd-data-mode", put("member_commands", ["mkdir -p -m 0755 /var/lib/etcd/data"]),
        MEMBERS, "data-dir", "mode 0755", "0700",
    ),
    Break(
        "etcd-snapshots", put("snapshot", "true"),
        ("etcd-1-1", "etcd-2-1"), "snapshots", "nothing", "a timer that runs etcdctl snapshot save",
    ),
    Break("apiserver-count", two_servers_fewer, ("api-1",), "API servers", "1", "3 or more"),
    Break("apiserver-zones", machine("api-1", zones=["2"]), ("api-1",), "zones", "2, 3", "3 zones"),
    Break(
        "apiserver-probe", update("probe", requestPath="/healthz"),
        ("api",), "probe", "HTTPS /healthz", "HTTPS /readyz",
    ),
    Break("apiserver-anonymous", server("anonymous-auth", None), ("api-1",), "anonymous-auth", "nothing", "false"),
    Break(
        "apiserver-node-restriction", server("enable-admission-plugins", "ServiceAccount"),
        ("api-1",), "enable-admission-plugins", "ServiceAccount", "with NodeRestriction",
    ),
    Break(
        "apiserver-authorization", server("authorization-mode", "AlwaysAllow"),
        ("api-1",), "authorization-mode", "AlwaysAllow", "Node,RBAC",
    ),
    Break("apiserver-audit", server("audit-log-maxage", "7"), ("api-1",), "audit-log-maxage", "7", "30 or more"),
    Break(
        "apiserver-encryption", server("encryption-provider-config", None),
        ("api-1",), "encryption-provider-config", "nothing", "a file",
    ),
    Break("apiserver-profiling", server("profiling", None), ("api-1",), "profiling", "nothing", "false"),
    Break(
        "apiserver-always-pull", server("enable-admission-plugins", "NodeRestriction,AlwaysPullImages"),
        ("api-1",), "enable-admission-plugins", "NodeRestriction,AlwaysPullImages", "without AlwaysPullImages",
    ),
    Break("apiserver-event-ttl", server("event-ttl", "25h"), ("api-1",), "event-ttl", "25h", "at most 24h, and at least 1s"),
    Break(
        "apiserver-compaction", server("etcd-compaction-interval", "0"),
        ("api-1",), "etcd-compaction-interval", "0", "more than 0, at most 30m",
    ),
    Break(
        "apiserver-in-flight", server("max-requests-inflight", "400"),
        ("api-1",), "max-requests-inflight", "400", "1500 or more for 2500 nodes",
        settings=(("nodes", 2_500),),
    ),
    Break("apiserver-goaway", server("goaway-chance", "0.05"), ("api-1",), "goaway-chance", "0.05", "at most 0.02"),
    Break(
        "apiserver-override-syntax", server("etcd-servers-overrides", "/events#https://10.0.2.1:2379,https://10.0.2.2:2379"),
        ("api-1",), "etcd-servers-overrides", "/events#https://10.0.2.1:2379,https://10.0.2.2:2379", "resource#url;url, and commas between resources",
    ),
    Break(
        "etcd-events-apart", server("etcd-servers-overrides", f"/events#{MAIN}"),
        ("api-1",), "etcd-servers-overrides", "10.0.1.1 has both", "machines that etcd-servers does not name",
    ),
    Break(
        "arp-thresholds-ordered", thresholds(1, 40_000),
        CLUSTER, "net.ipv6.neigh.default.gc_thresh1, 2, 3", "40000, 32768, 65536", "gcThresh1 <= gcThresh2 < gcThresh3",
        why="the collector starts at the first, hurries at the second, and at the third there is no room",
        fix="put them in order",
    ),
    Break(
        "arp-thresholds-large", thresholds(3, 32_769),
        CLUSTER, "net.ipv6.neigh.default.gc_thresh3", "32769", "65536 or more for 400 nodes",
    ),
    Break(
        "kubelet-parallel-pulls", update("kubelet", maxParallelImagePulls=101),
        ("pool",), "maxParallelImagePulls", "101", "2 to 100",
    ),
    Break(
        "kubelet-anonymous", update("kubelet", authentication={"anonymous": {"enabled": True}}),
        ("pool",), "authentication.anonymous.enabled", "true", "false",
    ),
    Break("pool-capacity-ignored", put("ignore", ("tags",)), ("pool",), "ignoreChanges", "tags", "sku.capacity"),
    Break(
        "scale-set-size", lambda of: (pool("tags.max", "1001")(of), put("range", "10.4.0.0/15")(of)),
        ("pool",), "tags.max", "1001", "at most 1000",
        large=True,
    ),
    Break(
        "scale-set-placement", pool("singlePlacementGroup", True),
        ("pool",), "singlePlacementGroup", "True", "false above 100 machines; 400 are possible",
    ),
    Break(
        "scale-set-overprovision", lambda of: of.pool.pop("overprovision"),
        ("pool",), "overprovision", "nothing", "false",
    ),
    Break(
        "pool-rolling-upgrade", pool("upgradePolicy.mode", "Automatic"),
        ("pool",), "upgradePolicy.mode", "Automatic", "Rolling, or Manual",
    ),
    Break("control-plane-no-spot", machine("api-1", priority="Spot"), ("api-1",), "priority", "Spot", "Regular"),
    Break(
        "autoscaler-limit", lambda of: of.autoscaler.pop("max-nodes-total"),
        ("cluster-autoscaler",), "--max-nodes-total", "nothing", "more than 0",
    ),
    Break(
        "autoscaler-scale-in", lambda of: of.autoscaler.update({"max-scale-down-parallelism": "50"}),
        ("cluster-autoscaler",), "--max-scale-down-parallelism", "50", "at most 10",
    ),
    Break(
        "autoscaler-unready", lambda of: of.autoscaler.update({"max-total-unready-percentage": "100"}),
        ("cluster-autoscaler",), "--max-total-unready-percentage", "100", "at most 45",
    ),
    Break(
        "autoscaler-ramp", lambda of: of.autoscaler.pop("max-nodes-per-scaleup"),
        ("cluster-autoscaler",), "--max-nodes-per-scaleup", "nothing", "at most 100",
    ),
    Break("balloon-priority", put("balloon", -11), ("room",), "value", "-11", "-10 to -1"),
    Break(
        "public-address", put("address", {"publicIPAddressConfiguration": {"name": "out"}}),
        ("pool",), "public address", "one", "none",
    ),
    Break(
        "api-private", put("front", {"publicIPAddress": {"id": "/p"}}),
        ("api",), "frontend", "a public address", "an internal one",
    ),
    Break(
        "ssh-keys-only", put("login", {}),
        ("pool",), "osProfile.linuxConfiguration.disablePasswordAuthentication", "not true", "true",
    ),
    Break(
        "address-budget", put("range", "10.4.0.0/21"),
        ("subnet",), "addressPrefix", "10.4.0.0/21, 2048 addresses", "a /18 or larger: 12405 are needed",
    ),
    Break(
        "storage-private", update("account", allowBlobPublicAccess=True),
        ("backups",), "public access", "possible", "forbidden",
    ),
    Break(
        "store-protected", put("protect_stores", False),
        ("backups",), "protect", "false; it is called backups", "true",
    ),
    Break(
        "user-data-size", lambda of: setattr(of, "more_user_data", "# " + "x" * 66_000),
        ("pool",), "user data", "66741 bytes", "at most 65535 bytes before base64",
    ),
    Break(
        "user-data-secrets", put("more_user_data", "# -----BEGIN EC PRIVATE KEY-----\n"),
        ("pool",), "user data", "a private key", "no key, token or password",
    ),
    Break(
        "image-digest", put("image", "registry.example.com/app:v1"),
        ("app",), "image", "registry.example.com/app:v1", "a name with @sha256:…",
    ),
    Break(
        "image-latest", put("image", "registry.example.com/app"),
        ("app",), "image", "registry.example.com/app", "a version, and its digest",
    ),
    Break("etcd-protected", put("protect", False), MEMBERS, "protect", "false", "true"),
    Break(
        "required-tags", lambda of: None,
        ("api", "backups", "card", *CLUSTER), "tags", "without owner", "owner",
        settings=(("names", ("owner",)),),
    ),
    Break("stack-size", lambda of: None, ("foreign-prod",), "resources", "18", "at most 10", settings=(("most", 10),)),
    Break(
        "gpu-preflight-taint", pool("sku.name", "Standard_ND96isr_H100_v5"),
        ("pool",), "registerWithTaints", "nothing", "a taint whose key has preflight in it",
    ),
)  # fmt: skip
