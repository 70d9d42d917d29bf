"""For each rule one change of a clean stack that breaks only it, and what is then said."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.rules.foreign import Foreign

Change = Callable[[Foreign], object]


@dataclass(frozen=True)
class Break:
    """``field`` and ``value`` are the violation's; ``settings`` are parameters of the rule."""

    rule: str
    change: Change
    field: str
    value: str
    settings: tuple[tuple[str, Any], ...] = ()
    large: bool = False


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
BREAKS = (
    Break("etcd-quota", quotas(None), "quota-backend-bytes", "nothing"),
    Break("etcd-quota-ceiling", quotas("8589934593"), "quota-backend-bytes", "8589934593"),
    Break("etcd-quota-equal", flag("quota-backend-bytes", "4294967296"), "quota-backend-bytes", "4294967296"),
    Break("etcd-members-odd", one_more_member, "members", "4"),
    Break("etcd-members-enough", two_fewer, "members", "1"),
    Break("etcd-zones", machine("etcd-1-1", zones=["2"]), "zones", "2 members in 2"),
    Break("etcd-local-disk", machine("etcd-1-1", hardwareProfile={"vmSize": "Standard_D16s_v5"}), "size", "Standard_D16s_v5"),
    Break("etcd-host-cache", machine("etcd-1-1", storageProfile={"dataDisks": [{"caching": "ReadWrite"}]}),
          "storageProfile.dataDisks[0].caching", "ReadWrite"),
    Break("etcd-compaction", flag("auto-compaction-retention", None), "auto-compaction-retention", "nothing"),
    Break("etcd-client-tls", flag("client-cert-auth", "false"), "client-cert-auth", "false"),
    Break("etcd-peer-tls", flag("peer-client-cert-auth", None), "peer-client-cert-auth", "nothing"),
    Break("etcd-no-auto-tls", flag("auto-tls", "true"), "auto-tls", "true"),
    Break("etcd-peer-authority", flag("peer-trusted-ca-file", "/etc/etcd/pki/ca.crt"), "peer-trusted-ca-file", "/etc/etcd/pki/ca.crt"),
    Break("etcd-data-mode", put("member_commands", ["mkdir -p -m 0755 /var/lib/etcd/data"]), "data-dir", "mode 0755"),
    Break("etcd-snapshots", put("snapshot", "true"), "snapshots", "nothing"),
    Break("apiserver-count", two_servers_fewer, "API servers", "1"),
    Break("apiserver-zones", machine("api-1", zones=["2"]), "zones", "2, 3"),
    Break("apiserver-probe", update("probe", requestPath="/healthz"), "probe", "HTTPS /healthz"),
    Break("apiserver-anonymous", server("anonymous-auth", None), "anonymous-auth", "nothing"),
    Break("apiserver-node-restriction", server("enable-admission-plugins", "ServiceAccount"), "enable-admission-plugins", "ServiceAccount"),
    Break("apiserver-authorization", server("authorization-mode", "AlwaysAllow"), "authorization-mode", "AlwaysAllow"),
    Break("apiserver-audit", server("audit-log-maxage", "7"), "audit-log-maxage", "7"),
    Break("apiserver-encryption", server("encryption-provider-config", None), "encryption-provider-config", "nothing"),
    Break("apiserver-profiling", server("profiling", None), "profiling", "nothing"),
    Break("apiserver-always-pull", server("enable-admission-plugins", "NodeRestriction,AlwaysPullImages"),
          "enable-admission-plugins", "NodeRestriction,AlwaysPullImages"),
    Break("apiserver-event-ttl", server("event-ttl", "25h"), "event-ttl", "25h"),
    Break("apiserver-in-flight", server("max-requests-inflight", "400"), "max-requests-inflight", "400", (("nodes", 2_500),)),
    Break("apiserver-goaway", server("goaway-chance", "0.05"), "goaway-chance", "0.05"),
    Break("apiserver-override-syntax", server("etcd-servers-overrides", "/events#https://10.0.2.1:2379,https://10.0.2.2:2379"),
          "etcd-servers-overrides", "/events#https://10.0.2.1:2379,https://10.0.2.2:2379"),
    Break("etcd-events-apart", server("etcd-servers-overrides", f"/events#{MAIN}"), "etcd-servers-overrides", "10.0.1.1 has both"),
    Break("arp-thresholds-ordered", thresholds(1, 40_000), "net.ipv6.neigh.default.gc_thresh1, 2, 3", "40000, 32768, 65536"),
    Break("arp-thresholds-large", thresholds(3, 32_769), "net.ipv6.neigh.default.gc_thresh3", "32769"),
    Break("kubelet-parallel-pulls", update("kubelet", maxParallelImagePulls=101), "maxParallelImagePulls", "101"),
    Break("kubelet-anonymous", update("kubelet", authentication={"anonymous": {"enabled": True}}), "authentication.anonymous.enabled", "true"),
    Break("pool-capacity-ignored", put("ignore", ("tags",)), "ignoreChanges", "tags"),
    Break("scale-set-size", lambda of: (pool("tags.max", "1001")(of), put("range", "10.4.0.0/15")(of)), "tags.max", "1001", large=True),
    Break("scale-set-placement", pool("singlePlacementGroup", True), "singlePlacementGroup", "True"),
    Break("scale-set-overprovision", lambda of: of.pool.pop("overprovision"), "overprovision", "nothing"),
    Break("pool-rolling-upgrade", pool("upgradePolicy.mode", "Automatic"), "upgradePolicy.mode", "Automatic"),
    Break("control-plane-no-spot", machine("api-1", priority="Spot"), "priority", "Spot"),
    Break("autoscaler-limit", lambda of: of.autoscaler.pop("max-nodes-total"), "--max-nodes-total", "nothing"),
    Break("autoscaler-scale-in", lambda of: of.autoscaler.update({"max-scale-down-parallelism": "50"}), "--max-scale-down-parallelism", "50"),
    Break("autoscaler-unready", lambda of: of.autoscaler.update({"max-total-unready-percentage": "100"}), "--max-total-unready-percentage", "100"),
    Break("autoscaler-ramp", lambda of: of.autoscaler.pop("max-nodes-per-scaleup"), "--max-nodes-per-scaleup", "nothing"),
    Break("balloon-priority", put("balloon", -11), "value", "-11"),
    Break("public-address", put("address", {"publicIPAddressConfiguration": {"name": "out"}}), "public address", "one"),
    Break("api-private", put("front", {"publicIPAddress": {"id": "/p"}}), "frontend", "a public address"),
    Break("ssh-keys-only", put("login", {}), "osProfile.linuxConfiguration.disablePasswordAuthentication", "not true"),
    Break("address-budget", put("range", "10.4.0.0/21"), "addressPrefix", "10.4.0.0/21, 2048 addresses"),
    Break("storage-private", update("account", allowBlobPublicAccess=True), "public access", "possible"),
    Break("user-data-size", lambda of: setattr(of, "more_user_data", "# " + "x" * 66_000), "user data", "66"),
    Break("user-data-secrets", put("more_user_data", "# -----BEGIN EC PRIVATE KEY-----\n"), "user data", "a private key"),
    Break("image-digest", put("image", "registry.example.com/app:v1"), "image", "registry.example.com/app:v1"),
    Break("image-latest", put("image", "registry.example.com/app"), "image", "registry.example.com/app"),
    Break("etcd-protected", put("protect", False), "protect", "false"),
    Break("required-tags", lambda of: None, "tags", "without owner", (("names", ("owner",)),)),
    Break("stack-size", lambda of: None, "resources", "18", (("most", 10),)),
    Break("gpu-preflight-taint", pool("sku.name", "Standard_ND96isr_H100_v5"), "registerWithTaints", "nothing"),
)  # fmt: skip
