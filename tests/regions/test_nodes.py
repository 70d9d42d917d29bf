"""Nodes that are machines, in one small region from their first boot to their last; the tests share it, in this order."""

import json
import secrets
import shutil
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from kilonode.boot.machine import dump_yaml
from kilonode.boot.sysctl import KUBELET, Sysctl, machine_pool_rows
from kilonode.clouds.local.host import cgroup, machines, oci, paths, sweep
from kilonode.nodes import boot, containerd, kubelet
from kilonode.nodes.labels import POOL_LABEL, ZONE_LABEL
from ops.claims import nodes as claims
from ops.claims import pods
from ops.claims.api import NAMESPACE, get
from ops.claims.webhooks import webhooks_are_called_at_their_pods
from ops.engine import Engine
from ops.ready import Region
from ops.stack import Stack
from tests.apiserver.approver import CLIENT, SERVING
from tests.clouds.local.conftest import PATIENCE
from tests.conftest import SMALL
from tests.regions import certificates
from tests.regions.conftest import Home, HostSettings
from tests.regions.node import CTR, NODES, Node, nodes_of, processes_of, until

pytestmark = [pytest.mark.region, pytest.mark.engine]

ORDER = ("systemd-modules-load", "kilonode-sysctl", "containerd", "kilonode-images", "kubelet")
APPROVER = "kilonode-node-approver"
IDLE = "registry.example.com/idle:1"
FORBIDDEN = 403
SILENCE = 60  # seconds; a kubelet that lives renews every ten, and on a busy host may be late more than once


@pytest.fixture(scope="module")
def host() -> HostSettings:
    return HostSettings()


@pytest.fixture(scope="module")
def stack(home: Home, host: HostSettings) -> Iterator[Stack]:
    with home.running(SMALL) as (made, _):
        yield made


@pytest.fixture
def region(stack: Stack) -> Region:
    return Region(stack)


@pytest.fixture
def nodes(region: Region) -> list[Node]:
    return nodes_of(region)


@pytest.fixture(scope="module")
def misused() -> list[str]:
    """Names of the requests that were refused."""
    return []


def test_each_step_of_a_boot_waits_for_the_one_before(nodes: list[Node]) -> None:
    for node in nodes:
        units = [node.unit(f"{name}.service") for name in ORDER]
        *others, kubelet_unit = units
        assert [(unit["ActiveState"], unit["NRestarts"]) for unit in others] == [("active", "0")] * len(others)
        assert kubelet_unit["ActiveState"] == "active"
        begun = [int(unit["InactiveExitTimestampMonotonic"]) for unit in others]
        # kubelet ends where no API server answers in its first minute, and is started again.
        begun.append(node.first_start("kubelet.service"))
        done = [int(unit["ActiveEnterTimestampMonotonic"]) for unit in units]
        assert all(end <= begin for end, begin in zip(done[:-1], begun[1:], strict=True)), (begun, done)
        for unit, end in zip(units, done, strict=True):
            if unit["Type"] == "oneshot":
                assert 0 < int(unit["ExecMainExitTimestampMonotonic"]) <= end


def holds(row: Sysctl, printed: str) -> bool:
    now, wanted = ([int(number) for number in text.split()] for text in (printed, str(row.value)))
    if row.rule == "exact":
        return now == wanted
    return len(now) == len(wanted) and all(each >= floor for each, floor in zip(now, wanted, strict=True))


def test_a_node_has_every_kernel_setting_or_says_that_it_is_the_host_s(nodes: list[Node], stack: Stack) -> None:
    rows = machine_pool_rows(stack.spec.ceiling, reuses_addresses=stack.spec.cloud.reuses_addresses)
    for node in nodes:
        printed = node.inside("sysctl", "--ignore", *(row.key for row in rows))
        now = dict(line.split(" = ", 1) for line in printed.splitlines())
        said = node.inside("journalctl", "--boot", "--unit=kilonode-sysctl", "--output=cat").splitlines()
        passed_over = {
            line.partition(": ")[0]
            for line in said
            if line.endswith(("the host's to set", "not in this kernel namespace"))
        }
        lacking = {row.key for row in rows if not holds(row, now.get(row.key, ""))}
        assert lacking == passed_over
        assert {row.scope for row in rows if row.key in passed_over} <= {"kernel"}
        assert not passed_over & {row.key for row in KUBELET}


def test_nodes_are_ready_as_planned(region: Region, nodes: list[Node]) -> None:
    pool = region.plan.machine_pools[0].spec.name
    found = get(region, f"{NODES}?labelSelector={POOL_LABEL}={pool}")["items"]
    assert {node["metadata"]["name"] for node in found} == {node.name for node in nodes}
    for node in nodes:
        until(node.is_ready)
        assert node.address() == node.planned.address
        labels = node.object()["metadata"]["labels"]
        assert (labels[ZONE_LABEL], labels["kubernetes.io/hostname"]) == (node.planned.zone, node.name)


@pytest.mark.parametrize("claim", [claims.dns_is_spread, claims.pods_are_reached, webhooks_are_called_at_their_pods])
def test_pods_of_new_nodes_have_their_own_addresses(region: Region, claim: Callable[[Region], str]) -> None:
    assert "passed over" not in claim(region)


@pytest.mark.parametrize(
    ("signer", "other", "reason"),
    [
        (CLIENT, "{region}-workers-00001", "this credential is for system:node:{own} of system:nodes alone"),
        (CLIENT, "{region}-workers-00009", "this credential is for system:node:{own} of system:nodes alone"),
        (CLIENT, "{region}-sim-00000", "this credential is for system:node:{own} of system:nodes alone"),
        (CLIENT, "{own}", "the Node {own} exists, so its credential for joining is used up"),
        (SERVING, "{own}", "a machine that has not joined serves nothing"),
    ],
)
def test_the_credential_for_joining_gets_no_second_certificate_and_none_of_another(
    region: Region, nodes: list[Node], misused: list[str], signer: str, other: str, reason: str
) -> None:
    words = {"own": nodes[0].name, "region": region.plan.spec.name}
    addresses = (str(nodes[0].planned.address),) if signer == SERVING else ()
    made = certificates.ask(region, certificates.joining(nodes[0]), signer, other.format(**words), *addresses)
    misused.append(made)
    assert certificates.refused(region, made).startswith(reason.format(**words))


def test_a_node_gets_serving_certificates_for_its_own_address_alone(
    region: Region, nodes: list[Node], misused: list[str], tmp_path: Path
) -> None:
    own, other = nodes
    who = certificates.joined(own, tmp_path)
    made = certificates.ask(region, who, SERVING, own.name, str(other.planned.address))
    both = certificates.ask(region, who, SERVING, own.name, str(own.planned.address), str(other.planned.address))
    misused += [made, both]
    for request in (made, both):
        reason = f"{own.name} serves at {own.planned.address} under its own name, and it asks for"
        assert certificates.refused(region, request).startswith(reason)
    certificates.signed(region, certificates.ask(region, who, SERVING, own.name, str(own.planned.address)))


def test_another_approver_refuses_the_same_and_says_nothing_twice(region: Region, misused: list[str]) -> None:
    approver = Node(region, region.plan.api_servers[0])  # type: ignore[arg-type]
    approver.inside("systemctl", "restart", APPROVER)
    run = f"_SYSTEMD_INVOCATION_ID={approver.unit(f'{APPROVER}.service')['InvocationID']}"
    until(lambda: all(f"refused {each}: " in approver.inside("journalctl", run) for each in misused))
    assert len(misused) == 7
    for request in misused:
        assert certificates.status(region, request) == {}
        assert [event["count"] for event in certificates.refusals(region, request)] == [1]
        # One that waits for its name to be free would take it in place of the machine that is made anew below.
        certificates.withdraw(region, request)


def test_the_credential_for_joining_is_good_for_nothing_else(region: Region, nodes: list[Node]) -> None:
    who = certificates.joining(nodes[0])
    for path in (NODES, f"{NODES}/{nodes[0].name}", "/api/v1/secrets", "/api/v1/pods", "/api/v1/services"):
        assert who.call(f"{region.plan.endpoint}{path}", timeout=PATIENCE).status == FORBIDDEN, path


def test_a_node_changes_neither_another_node_nor_its_own_pool(
    region: Region, nodes: list[Node], tmp_path: Path
) -> None:
    who = certificates.joined(nodes[0], tmp_path)

    def put(node: Node, **labels: str | None) -> Any:
        body = node.object()
        del body["metadata"]["resourceVersion"]  # its kubelet writes too
        kept = body["metadata"]["labels"] | labels
        body["metadata"]["labels"] = {key: value for key, value in kept.items() if value is not None}
        return who.call(f"{region.plan.endpoint}{NODES}/{node.name}", "PUT", body, PATIENCE)

    harmless = {"node.kubernetes.io/mark": "1"}
    assert put(nodes[1], **harmless).status == FORBIDDEN
    for pool in ("sim", None):
        answer = put(nodes[0], **{POOL_LABEL: pool})
        assert answer.status == FORBIDDEN
        assert "a node of the pool workers does not carry" in answer.text
    assert put(nodes[0], **harmless).status == 200, "what is refused is the pool, not any change"
    assert who.call(f"{region.plan.endpoint}/api/v1/secrets", timeout=PATIENCE).status == FORBIDDEN


def test_a_machine_that_died_is_the_same_node_again_and_its_pods_are_back(
    home: Home, stack: Stack, region: Region, nodes: list[Node]
) -> None:
    node = nodes[0]
    with pods.serving(region, [node.planned]) as [pod]:
        path = f"/api/v1/namespaces/{NAMESPACE}/pods/{pod.name}"
        containers, joins, old = node.containers(), certificates.joins(region), node.object()
        ran = get(region, path)["status"]["containerStatuses"][0]["containerID"].rpartition("/")[2]
        assert ran in containers
        assert processes_of(containers)
        died = datetime.now(UTC)
        cgroup.end(stack.spec.name, node.name)
        assert processes_of(containers) == []
        home.ops("up", stack)
        until(lambda: node.renewed() > died)
        until(lambda: runs_anew(region, path, ran))
        again = replace(pod, address=get(region, path)["status"]["podIP"])
        until(lambda: answers(again))
        assert not containers & node.containers()
        until(node.is_ready)
        assert certificates.joins(region) == joins
        new = node.object()
        assert new["metadata"]["uid"] == old["metadata"]["uid"]
        assert new["status"]["nodeInfo"]["bootID"] != old["status"]["nodeInfo"]["bootID"]


def answers(pod: pods.Pod) -> bool:
    """Whether it says its name; a container that runs may not listen yet."""
    try:
        with urllib.request.urlopen(pod.url, timeout=10) as answer:
            return bool(answer.read().decode().split()[1] == pod.name)
    except OSError:
        return False


def runs_anew(region: Region, path: str, ran: str) -> bool:
    status = get(region, path)["status"]
    ready = any(row["type"] == "Ready" and row["status"] == "True" for row in status["conditions"])
    return ready and all(not each["containerID"].endswith(ran) for each in status["containerStatuses"])


def test_a_full_disk_takes_unused_images_and_leaves_the_preloaded_ones(nodes: list[Node]) -> None:
    node = nodes[1]
    preloaded = {row["reference"]: row["digest"] for row in json.loads(node.inside("cat", boot.IMAGES))}
    assert len(preloaded) >= 3
    archive = node.disk / f"{secrets.token_hex(4)}.tar"
    oci.write_archive(archive, IDLE, {"/idle": Path("/etc/hostname")}, entrypoint=["/idle"])
    node.inside(*CTR, "images", "import", f"{containerd.MOUNT}/{archive.name}")
    archive.unlink()
    assert IDLE in node.images()
    usual = node.inside("cat", kubelet.PATH)
    full = yaml.safe_load(usual)
    full["imageMinimumGCAge"] = "1ms"  # 0 stands for the default
    full["evictionHard"]["imagefs.available"] = "99%"
    try:
        restart_kubelet(node, dump_yaml(full))
        until(lambda: node.condition("DiskPressure") == "True")
        until(lambda: IDLE not in node.images())
        assert node.images() == preloaded
    finally:
        restart_kubelet(node, usual)
    until(lambda: node.condition("DiskPressure") == "False")
    until(lambda: node.is_ready() and not node.taints())


def restart_kubelet(node: Node, config: str) -> None:
    node.inside("tee", kubelet.PATH, stdin=config)
    node.inside("systemctl", "restart", "kubelet")


def processes(stack: Stack, nodes: list[Node]) -> dict[str, Any]:
    """What must not be started again when another node comes or goes."""
    machines_of = [machine.name for machine in stack.plan.machines] + [node.name for node in nodes]
    leaders = {name: cgroup.leader(stack.spec.name, name) for name in machines_of}
    units = ("containerd", "kubelet", "kube-proxy")
    return leaders | {
        f"{node.name} {unit}": node.unit(f"{unit}.service")["MainPID"] for node in nodes for unit in units
    }


def test_a_third_node_comes_and_goes_and_nobody_else_is_touched(home: Home, stack: Stack, nodes: list[Node]) -> None:
    settings = stack.spec.model_dump(by_alias=True, mode="json", exclude_none=True)["nodePools"]
    ran = processes(stack, nodes)
    try:
        grown = home.edited(stack, nodePools=[settings[0], settings[1] | {"nodes": 3}])
        engine = Engine(grown)
        engine.select()
        steps = json.loads(engine.act("preview", "--json", capture=True))["steps"]
        changed = {step["urn"].rpartition("::")[2]: step["op"] for step in steps if step["op"] != "same"}
        assert changed[f"{stack.spec.name}-nodes-workers"] == "update"
        assert set(changed.values()) <= {"create", "update"}, changed
        home.ops("up", grown)
        third = nodes_of(Region(grown))[2]
        until(third.is_ready)
        assert third.address() == third.planned.address
        assert processes(stack, nodes) == ran
    finally:
        home.edited(stack)
    home.ops("up", stack)
    assert third.call("GET").status == 404
    assert [
        folder for folder in (third.disk, third.secrets, paths.machine(stack.spec.name, third.name)) if folder.exists()
    ] == []
    assert processes(stack, nodes) == ran


@pytest.mark.parametrize(("index", "deleted"), [(0, True), (1, False)], ids=["Node deleted", "Node still there"])
def test_a_machine_made_anew_joins_under_its_old_name(
    home: Home, stack: Stack, nodes: list[Node], index: int, deleted: bool
) -> None:
    node, other, name = nodes[index], nodes[1 - index], stack.spec.name
    old, neighbour = node.object(), cgroup.leader(name, other.name)
    (node.disk / "from-before").touch()
    if deleted:
        assert node.call("DELETE").status == 200
    machines.remove(name, node.name)
    home.ops("up", stack)
    new = node.object()
    assert new["metadata"]["uid"] != old["metadata"]["uid"]
    assert new["status"]["nodeInfo"]["machineID"] == machines.machine_id(name, node.name)
    assert new["status"]["nodeInfo"]["machineID"] != old["status"]["nodeInfo"]["machineID"]
    until(node.is_ready)
    assert not (node.disk / "from-before").exists()
    assert cgroup.leader(name, other.name) == neighbour


@pytest.fixture
def impatient(region: Region) -> Iterator[list[Node]]:
    """The API servers, whose approvers take a node for silent after a few renewals of its Lease."""
    servers = [Node(region, server) for server in region.plan.api_servers]  # type: ignore[arg-type]
    folder = f"/run/systemd/system/{APPROVER}.service.d"
    for server in servers:
        server.inside("mkdir", "-p", folder)
        server.inside("tee", f"{folder}/silence.conf", stdin=f"[Service]\nEnvironment=SILENCE_SECONDS={SILENCE}\n")
        restart_approver(server)
    yield servers
    for server in servers:
        server.inside("rm", "-r", folder)
        restart_approver(server)


def restart_approver(server: Node) -> None:
    server.inside("systemctl", "daemon-reload")
    server.inside("systemctl", "restart", APPROVER)


def test_a_machine_with_an_empty_disk_comes_back_by_itself_and_nobody_takes_the_name_of_one_that_lives(
    home: Home, stack: Stack, region: Region, nodes: list[Node], impatient: list[Node]
) -> None:
    """As a reimage on a cloud leaves it: its Node is there, its certificate is not, and no program removes Nodes."""
    node, other, name = *nodes, stack.spec.name
    old, neighbour, joins = node.object(), other.object(), certificates.joins(region)
    greedy = certificates.ask(region, certificates.joining(other), CLIENT, other.name)
    cgroup.end(name, node.name)
    shutil.rmtree(paths.machine(name, node.name) / "upper" / kubelet.FOLDER.lstrip("/"))
    home.ops("up", stack)  # it has the same machine id, so its Node is left alone
    until(lambda: comes_after(node, old))
    until(node.is_ready)
    journals = "".join(server.inside("journalctl", "--unit", APPROVER) for server in impatient)
    assert journals.count(f"removed the Node {node.name}: silent for {SILENCE} s") == 1
    assert journals.count("removed the Node") == 1
    assert len(certificates.joins(region) - joins - {greedy}) >= 1
    assert f"the Node {other.name} exists" in certificates.refused(region, greedy)
    assert other.object()["metadata"]["uid"] == neighbour["metadata"]["uid"]
    certificates.withdraw(region, greedy)


def comes_after(node: Node, old: Any) -> bool:
    answer = node.call("GET")
    return answer.status == 200 and answer.json()["metadata"]["uid"] != old["metadata"]["uid"]


@pytest.mark.parametrize("claim", [claims.services_reach_every_node, claims.kubelets_refuse_strangers])
def test_what_nodes_promise_holds_after_all_this(region: Region, claim: Callable[[Region], str]) -> None:
    assert "passed over" not in claim(region)


def test_down_ends_every_container_and_leaves_the_host_as_it_was(
    home: Home, stack: Stack, nodes: list[Node], host: HostSettings
) -> None:
    containers = {container for node in nodes for container in node.containers()}
    assert processes_of(containers)
    home.ops("down", stack)
    assert sweep.leftovers(stack.spec.name) == []
    assert processes_of(containers) == []
    assert host.changes() == {}
