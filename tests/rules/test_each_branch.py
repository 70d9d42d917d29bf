"""Every way in which a rule can be broken, and the ways that look like it and break nothing."""

from collections.abc import Mapping
from typing import Any

import pytest
import yaml

from kilonode.apiserver.settings import PROBE_PATHS
from kilonode.rules.facts.controlplane import ApiServer, Member
from kilonode.rules.facts.machines import Disk, Kernel, Machine
from kilonode.rules.facts.network import Subnet
from kilonode.rules.facts.pools import NodePool, Rolling
from kilonode.rules.facts.storage import Storage
from kilonode.rules.facts.workloads import Autoscaler
from kilonode.rules.registry import RULES
from kilonode.rules.rule import Undecided, Violation
from kilonode.rules.unknown import Unknown
from tests.rules.arithmetic import data, machine, member, pool, servers
from tests.rules.changes import MAIN, Change, flag, put, server, update
from tests.rules.changes import machine as machine_with
from tests.rules.changes import pool as pool_with
from tests.rules.foreign import DIGEST, Foreign
from tests.rules.test_arithmetic import findings

URL = "https://10.0.1.1:2380"


def both(*changes: Change) -> Change:
    return lambda of: [change(of) for change in changes]


def commands(*lines: str) -> Change:
    return put("member_commands", list(lines))


def tls(prefix: str, urls: str) -> list[tuple[str, Change, str]]:
    rule = "etcd-peer-tls" if prefix else "etcd-client-tls"
    missing = [
        (rule, flag(f"{prefix}{name}", None), "nothing") for name in ("cert-file", "key-file", "trusted-ca-file")
    ]
    own = "http://10.0.1.1:2380"
    return [*missing, (rule, flag(urls, f"{URL},{own}"), own), (rule, flag(urls, f"{URL},http://127.0.0.1:2379"), "")]


CASES: tuple[tuple[str, Change, str], ...] = (
    # The last is the violation's value; nothing where nothing is broken.
    *tls("", "listen-client-urls"),
    *tls("peer-", "listen-peer-urls"),
    ("etcd-local-disk", machine_with("etcd-1-1", hardwareProfile={}), "nothing"),
    *(("etcd-compaction", flag("auto-compaction-retention", text), text) for text in ("0", "0s")),
    ("etcd-no-auto-tls", flag("peer-auto-tls", "true"), "true"),
    ("etcd-no-auto-tls", flag("auto-tls", "false"), ""),
    ("etcd-data-mode", commands("chmod -R 750 /var/lib/etcd/data/"), "mode 750"),
    ("etcd-data-mode", commands("chown -R root:root /var/lib/etcd/data"), "owner root"),
    ("etcd-data-mode", commands("chown etcd:etcd /var/lib/etcd/data", "chmod 0755 /var/lib/etcd"), ""),
    ("etcd-data-mode", flag("data-dir", None), ""),
    ("etcd-snapshots", put("snapshot", "systemctl start etcd-backup"), ""),
    ("etcd-snapshots", put("every", "@weekly"), "@weekly"),
    ("etcd-snapshots", put("every", "@daily"), ""),
    ("apiserver-probe", update("probe", protocol="Tcp", requestPath="/livez"), "TCP /livez"),
    ("apiserver-node-restriction", server("enable-admission-plugins", None), "nothing"),
    *(("apiserver-authorization", server("authorization-mode", text), text) for text in ("RBAC", "Node", "Node,RBAC,AlwaysAllow")),
    ("apiserver-audit", server("audit-policy-file", None), "nothing"),
    ("apiserver-audit", server("audit-log-path", None), "nothing"),
    ("apiserver-audit", both(server("audit-log-path", None), server("audit-webhook-config-file", "/w")), ""),
    ("apiserver-audit", server("audit-log-maxbackup", "9"), "9"),
    ("apiserver-audit", server("audit-log-maxsize", "99"), "99"),
    ("apiserver-audit", server("audit-log-maxage", "0"), ""),
    ("apiserver-event-ttl", server("event-ttl", "24h0m1s"), "24h0m1s"),
    ("apiserver-event-ttl", server("event-ttl", "24h"), ""),
    ("apiserver-event-ttl", server("event-ttl", None), ""),
    ("apiserver-in-flight", server("max-mutating-requests-inflight", "100"), "100"),
    ("apiserver-in-flight", server("max-requests-inflight", None), ""),
    ("etcd-events-apart", server("etcd-servers-overrides", None), "nothing"),
    ("apiserver-override-syntax", server("etcd-servers-overrides", f"/events#{MAIN.replace('1.1', '2.1')},apps/deployments#{MAIN}"), ""),
    ("kubelet-parallel-pulls", update("kubelet", serializeImagePulls=True), "true"),
    ("kubelet-anonymous", update("kubelet", authorization={"mode": "AlwaysAllow"}), "AlwaysAllow"),
    ("kubelet-anonymous", update("kubelet", authorization={}, authentication={}), ""),
    ("pool-rolling-upgrade", pool_with("upgradePolicy.mode", "Manual"), ""),
    ("autoscaler-scale-in", lambda of: of.autoscaler.update({"max-empty-bulk-delete": "11"}), "11"),
    ("autoscaler-scale-in", lambda of: of.autoscaler.pop("max-scale-down-parallelism"), ""),
    ("autoscaler-unready", lambda of: of.autoscaler.pop("max-total-unready-percentage"), ""),
    ("user-data-secrets", put("more_user_data", "# token: abcdef.0123456789abcdef\n"), "a bootstrap token"),
    ("user-data-secrets", put("more_user_data", "# AKIAABCDEFGHIJKLMNOP\n"), "an access key"),
    ("user-data-secrets", put("more_user_data", "# client-key-data: LS0t\n"), "a private key"),
    ("user-data-secrets", put("more_user_data", "# -----BEGIN CERTIFICATE-----\n"), ""),
    ("image-latest", put("image", "registry.example.com:5000/app"), "registry.example.com:5000/app"),
    ("image-latest", put("image", f"registry.example.com/app:latest{DIGEST}"), f"registry.example.com/app:latest{DIGEST}"),
    ("image-latest", put("image", f"registry.example.com/app{DIGEST}"), ""),
    ("image-digest", put("image", "registry.example.com/app:v1@sha256:ab"), "registry.example.com/app:v1@sha256:ab"),
    ("image-digest", put("image", "registry.example.com/app:v1@sha512:" + "ab" * 64), ""),
    ("image-digest", put("image", "registry.example.com/app:v1@sha512:" + "ab" * 32), "registry.example.com/app:v1@sha512:" + "ab" * 32),
)  # fmt: skip


@pytest.mark.parametrize(("rule", "change", "value"), CASES, ids=[f"{rule}-{n}" for n, (rule, *_) in enumerate(CASES)])
def test_a_change_breaks_the_rule_or_nothing(rule: str, change: Change, value: str) -> None:
    of = Foreign()
    change(of)
    facts = of.facts()
    found = [each for each in RULES if each.level != "disabled" for each in each.check(facts)]
    assert all(isinstance(each, Violation) for each in found)
    assert {(each.rule, each.value) for each in found} == ({(rule, value)} if value else set())


def authentication(anonymous: Any) -> ApiServer:
    return ApiServer(machine(), {"authentication-config": "/a"}, {"/a": yaml.safe_dump({"anonymous": anonymous})})


def authorizers(*types: Any) -> ApiServer:
    text = yaml.safe_dump({"authorizers": [{"type": each} for each in types]})
    return ApiServer(machine(), {"authorization-config": "/a"}, {"/a": text})


def conditions(*paths: str) -> dict[str, Any]:
    return {"enabled": True, "conditions": [{"path": path} for path in paths]}


def kubelet(options: Mapping[str, str], **facts: Any) -> Machine:
    return machine(data=data(programs={"kubelet": dict(options)}), **facts)


H100, CPU = "Standard_ND96isr_H100_v5", "Standard_D16ds_v5"
QUIET, BROKEN, WAITS = None, Violation, Undecided
SUBJECTS: tuple[tuple[str, Any, type | None], ...] = (
    ("apiserver-anonymous", authentication(conditions(*PROBE_PATHS)), QUIET),
    ("apiserver-anonymous", authentication({"enabled": False}), QUIET),
    ("apiserver-anonymous", authentication(conditions()), BROKEN),
    ("apiserver-anonymous", authentication(conditions(PROBE_PATHS[0], "/metrics")), BROKEN),
    ("apiserver-anonymous", authentication(None), BROKEN),
    ("apiserver-anonymous", authentication([]), BROKEN),
    ("apiserver-anonymous", ApiServer(machine(), {"authentication-config": "/a"}, {}), WAITS),
    ("apiserver-authorization", ApiServer(machine(), {"authorization-config": "/a"}, {}), WAITS),
    ("apiserver-authorization", authorizers("Node", "RBAC"), QUIET),
    ("apiserver-authorization", authorizers("Node", "Webhook", "RBAC"), QUIET),
    ("apiserver-authorization", authorizers("Node", "RBAC", "AlwaysAllow"), BROKEN),
    ("apiserver-authorization", authorizers("RBAC"), BROKEN),
    ("apiserver-authorization", authorizers(), BROKEN),
    ("apiserver-authorization", authorizers("Node", "RBAC", None), WAITS),
    ("apiserver-event-ttl", ApiServer(machine(), {"event-ttl": "soon"}, {}), BROKEN),
    ("kubelet-anonymous", kubelet({}), BROKEN),
    ("kubelet-anonymous", kubelet({"anonymous-auth": "false", "authorization-mode": "Webhook"}), QUIET),
    ("kubelet-anonymous", kubelet({"anonymous-auth": "false"}), BROKEN),
    ("kubelet-anonymous", kubelet({"kind": "KubeletConfiguration"}), QUIET),
    ("kubelet-anonymous", kubelet({"kind": "KubeletConfiguration", "anonymous-auth": "true"}), BROKEN),
    ("gpu-preflight-taint", pool(size=H100, data=data()), BROKEN),
    ("gpu-preflight-taint", pool(size=CPU, data=data()), QUIET),
    ("gpu-preflight-taint", pool(size="p5.48xlarge", data=data()), BROKEN),
    ("gpu-preflight-taint", pool(size="m7i.large", data=data()), QUIET),
    *(("gpu-preflight-taint", pool(size=size, data=data()), BROKEN) for size in (
        "p6-b200.48xlarge", "p6e-gb200.36xlarge", "gr6.4xlarge", "g4dn.xlarge", "Standard_NG32ads_V620_v1", "standard_nd40rs_v2",
    )),
    *(("gpu-preflight-taint", pool(size=size, data=data()), QUIET) for size in ("Standard_NP10s", "Standard_HB120rs_v3", "i4g.large", "m6g.large")),
    ("gpu-preflight-taint", pool(size=None), QUIET),
    ("gpu-preflight-taint", pool(size=H100, data=data(programs={"kubelet": {"register-with-taints": "example.com/preflight=x:NoSchedule"}})), QUIET),
    ("gpu-preflight-taint", pool(size=H100, data=data(programs={"kubelet": {"registerWithTaints": "{'key': 'preflight'}"}})), QUIET),
    ("etcd-local-disk", member(size=Unknown("s"), sizes=("i4i.large", "i3.large")), QUIET),
    ("etcd-local-disk", member(size=Unknown("s"), sizes=("i4i.large", "m7i.large")), WAITS),
    ("etcd-local-disk", member(size=Unknown("s"), sizes=("m6i.large", "m7i.large")), BROKEN),
    ("etcd-local-disk", member(size="m7i.large", disks=(Disk(Unknown("iops"), None), Disk(16_000, None))), QUIET),
    ("etcd-quota", member(options={}), BROKEN),
    ("etcd-quota", member(options={"quota-backend-bytes": "8GiB"}), BROKEN),
    ("apiserver-anonymous", ApiServer(machine(), {"authentication-config": "/a"}, {"/a": ""}), BROKEN),
    ("apiserver-in-flight", servers(1, {"max-requests-inflight": "many"}, nodes=1), QUIET),
    ("apiserver-audit", ApiServer(machine(), {"audit-policy-file": "p", "audit-log-path": "l", "audit-log-maxage": "long"}, {}), QUIET),
    ("apiserver-override-syntax", ApiServer(machine(), {}, {}), QUIET),
    ("etcd-quota-ceiling", member(options={"quota-backend-bytes": "much"}), QUIET),
    ("etcd-compaction", member(options={"auto-compaction-retention": ""}), BROKEN),
    ("etcd-host-cache", Member(Machine("urn", "m", "aws", disks=(Disk(None, "ReadWrite"),)), {}), QUIET),
    ("etcd-host-cache", member(disks=(Disk(None, "None"), Disk(None, None))), QUIET),
    ("etcd-host-cache", member(disks=(Disk(None, "None"), Disk(None, "ReadOnly"))), QUIET),
    ("etcd-host-cache", member(disks=(Disk(None, "None"), Disk(None, "readWrite"))), BROKEN),
    ("etcd-peer-authority", member(options={}), QUIET),
    ("address-budget", Subnet("urn", ("10.0.0.0/30",)), QUIET),
    ("address-budget", Subnet("urn", (), (pool(most=20),)), QUIET),
    ("address-budget", Subnet("urn", ("10.0.0.0/28",), (pool(capacity=20),)), BROKEN),
    ("address-budget", Subnet("urn", ("10.0.0.0/28", "10.0.1.0/28"), (pool(capacity=20),)), QUIET),
    ("address-budget", Subnet("urn", ("10.0.0.0/28", "fd00::/64"), (pool(capacity=20),)), BROKEN),
    ("address-budget", Subnet("urn", ("10.0.0.0/28", "somewhere"), (pool(capacity=20),)), WAITS),
    ("arp-thresholds-ordered", Kernel("urn", {}, 1), QUIET),
    ("arp-thresholds-large", Kernel("urn", {}, 1), BROKEN),
    ("arp-thresholds-large", Kernel("urn", {"net.ipv4.neigh.default.gc_thresh3": "many"}, 1), BROKEN),
    ("kubelet-parallel-pulls", kubelet({"serializeImagePulls": "false", "maxParallelImagePulls": "many"}), BROKEN),
    ("store-protected", Storage("urn", "s", opened=None, protected=False), QUIET),
    ("user-data-size", machine(), QUIET),
    ("user-data-secrets", machine(), QUIET),
    ("scale-set-size", pool(capacity=1_001), BROKEN),
    ("pool-capacity-ignored", pool(), BROKEN),
    ("pool-capacity-ignored", pool(external=True), QUIET),
    *(("pool-capacity-ignored", NodePool("urn", "p", "aws", capacity=n), said) for n, said in ((None, QUIET), (3, BROKEN))),
    ("scale-set-placement", pool(single_placement_group=True, size="Standard_Z9", most=101), BROKEN),
    ("scale-set-placement", pool(single_placement_group=True, orchestration="Flexible", most=101), BROKEN),
    *(
        ("scale-set-placement", pool(single_placement_group=True, size=size, most=most), said)
        for size in ("Standard_HB120rs_v3", "Standard_HB120-16rs_v3", "Standard_HC44rs", "Standard_H16mr", "Standard_ND96asr_v4",
                     "Standard_ND96isr_MI300X_v5", "standard_nc24rs_v3", H100)
        for most, said in ((300, QUIET), (301, BROKEN))
    ),
    *(
        ("scale-set-placement", pool(single_placement_group=True, size=size, most=101), BROKEN)
        for size in ("Standard_NC24ads_A100_v4", "Standard_H16", "Standard_NV36adms_A10_v5", "Standard_D16ds_v5", None)
    ),
    ("scale-set-placement", pool(orchestration="Flexible", most=101), QUIET),
    ("scale-set-placement", pool(orchestration=Unknown("o"), most=101), WAITS),
    ("pool-rolling-upgrade", pool(orchestration="Flexible", rolling=Rolling(None)), QUIET),
    ("pool-rolling-upgrade", pool(orchestration="Flexible", rolling=Rolling("Automatic")), BROKEN),
    ("pool-rolling-upgrade", pool(orchestration=Unknown("o"), rolling=Rolling(None)), WAITS),
    ("pool-rolling-upgrade", pool(rolling=Rolling(None)), BROKEN),
    ("scale-set-placement", pool(single_placement_group=True, size="Standard_Z9", most=100), QUIET),
    ("pool-rolling-upgrade", pool(), QUIET),
    ("pool-rolling-upgrade", pool(rolling=Rolling("Rolling", 20, 20, 20)), QUIET),
    *(("pool-rolling-upgrade", pool(rolling=Rolling("Rolling", *caps)), BROKEN) for caps in ((21, 20, 20), (20, 21, 20), (20, 20, 21))),
    *(
        ("pool-rolling-upgrade", NodePool("urn", "p", "aws", rolling=Rolling(mode, healthy=healthy)), said)
        for mode, healthy, said in (
            ("Rolling", None, QUIET), ("Rolling", 80, QUIET), ("Rolling", 79, BROKEN), ("Manual", 0, QUIET),
            ("Rolling", Unknown("h"), WAITS), (Unknown("m"), 0, WAITS),
        )
    ),
    *(("autoscaler-ramp", Autoscaler("urn", {"max-nodes-per-scaleup": text}), BROKEN) for text in ("many", "101", "0", "-1")),
    ("autoscaler-unready", Autoscaler("urn", {"max-total-unready-percentage": "many"}), BROKEN),
    ("autoscaler-limit", Autoscaler("urn", {}), BROKEN),
    ("control-plane-no-spot", Machine("urn", "m", "aws", spot=True), BROKEN),
)  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "subject", "said"), SUBJECTS, ids=[f"{rule}-{n}" for n, (rule, *_) in enumerate(SUBJECTS)]
)
def test_a_subject_is_judged_as_it_should_be(rule: str, subject: Any, said: type | None) -> None:
    assert {type(each) for each in findings(rule, subject)} == ({said} if said else set())


@pytest.mark.parametrize(
    ("wanted", "plugins", "said"), [(True, "NodeRestriction", 1), (True, "AlwaysPullImages", 0), (False, "", 0)]
)
def test_apiserver_always_pull_is_as_a_team_has_decided(wanted: bool, plugins: str, said: int) -> None:
    subject = ApiServer(machine(), {"enable-admission-plugins": plugins}, {})
    assert len(findings("apiserver-always-pull", subject, {"wanted": wanted})) == said


@pytest.mark.parametrize(
    ("rule", "subject", "value"),
    [
        ("apiserver-anonymous", authentication(conditions("/metrics", "/logs")), "/logs, /metrics"),
        ("apiserver-anonymous", authentication(conditions()), "every path"),
        ("gpu-preflight-taint", pool(size=H100, data=data(programs={"kubelet": {"registerWithTaints": "x"}})), "x"),
        ("autoscaler-ramp", Autoscaler("urn", {"max-nodes-per-scaleup": "many"}), "many"),
        ("control-plane-no-spot", Machine("urn", "m", "aws", spot=True), "spot"),
    ],
)
def test_a_fault_shows_all_that_is_there(rule: str, subject: Any, value: str) -> None:
    (found,) = findings(rule, subject)
    assert isinstance(found, Violation)
    assert found.value == value
