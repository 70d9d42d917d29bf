"""Claims about nodes that are machines: joining, pods' own addresses, Services, names, logs and exec."""

import json
import secrets
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import Any

import toolchain
from kilonode.apiserver import dns
from kilonode.clouds.local.archives import TOOLBOX
from kilonode.clouds.local.host.inside import run_in
from kilonode.machines.plan import FixedMachine
from kilonode.nodes.plan import PlannedNode
from kilonode.region.plan import API_PORT
from ops.claims.api import CREATED, NAMESPACE, get
from ops.claims.claim import BrokenClaimError, must
from ops.https import Client
from ops.ready import Region

PORT = 8080
PATIENCE = 90.0  # seconds
PAUSE = 0.3
ROUNDS = 40
"""Requests to a Service of two pods: that one of them gets none has a chance of 2 to the power of -39."""

SERVE = f"""\
mkdir -p /tmp/www/cgi-bin
printf '#!/bin/sh\\nprintf "Content-Type: text/plain\\\\n\\\\n%%s %%s" "$REMOTE_ADDR" "$(/bin/busybox hostname)"\\n' >/tmp/www/cgi-bin/who
/bin/busybox chmod +x /tmp/www/cgi-bin/who
echo serving
exec /bin/busybox httpd -f -p {PORT} -h /tmp/www
"""
"""Answers each request with the caller's address as it arrived, and the pod's own name."""

ASK = "import sys, urllib.request as r; print(r.urlopen(r.Request(sys.argv[1]), timeout=5).read().decode())"


@dataclass(frozen=True)
class Pod:
    """A pod that serves on a node."""

    name: str
    node: PlannedNode
    address: str

    @property
    def url(self) -> str:
        """Where it says who asks."""
        return f"http://{self.address}:{PORT}/cgi-bin/who"


def node_pods_reach_each_other(region: Region) -> str:
    """Every way a packet takes to a pod, with the sender's own address all along."""
    nodes = machine_nodes(region)
    if len(nodes) < 2:  # noqa: PLR2004 - one way needs two ends
        return "passed over: the region has fewer than two nodes that are machines"
    with serving(region, nodes) as pods:
        for pod in pods:
            first, last = pod.node.first_pod, pod.node.last_pod
            must(
                first <= IPv4Address(pod.address) <= last,
                f"{pod.name} has {pod.address}, its node's slice is {first} to {last}",
            )
        for one in pods:
            for other in pods:
                if one is not other:
                    heard = _caller(_exec(region, one, "/bin/busybox", "wget", "-qO-", other.url))
                    must(heard == one.address, f"{other.name} saw {heard}, {one.name} is {one.address}")
        target = pods[0]
        machines: list[FixedMachine | PlannedNode] = [region.plan.api_servers[0], nodes[1], nodes[0]]
        for machine in machines:
            said = run_in(region.plan.spec.name, machine.name, ["python3", "-c", ASK, target.url])
            must(said.returncode == 0, f"{machine.name} to {target.name}: {said.stderr[-200:]}")
            heard = _caller(said.stdout)
            must(heard == str(machine.address), f"{target.name} saw {heard}, {machine.name} is {machine.address}")
        # `-e` runs once the connection stands.
        _exec(
            region,
            target,
            "/bin/busybox",
            "nc",
            "-w3",
            str(region.plan.load_balancer.address),
            str(API_PORT),
            "-e",
            "/bin/busybox", "true",
        )
    ways = ", ".join(machine.name for machine in machines)
    return f"{len(pods)} pods to each other across nodes, and from {ways}, each seen with its own address"


def services_reach_every_node(region: Region) -> str:
    """A Service's address and its name lead to pods of all nodes."""
    nodes = machine_nodes(region)
    if not nodes:
        return "passed over: the region has no nodes that are machines"
    with serving(region, nodes) as pods:
        service = pods[0].name.rsplit("-", 1)[0]
        made = region.api.call(
            f"{region.plan.endpoint}/api/v1/namespaces/{NAMESPACE}/services",
            "POST",
            {
                "metadata": {"name": service},
                "spec": {"selector": {"app": service}, "ports": [{"port": 80, "targetPort": PORT}]},
            },
        )
        must(made.status == CREATED, made.text[:200])
        try:
            name = f"{service}.{NAMESPACE}.svc.{region.plan.spec.network.domain}"
            address = made.json()["spec"]["clusterIP"]
            _until(lambda: address in _exec(region, pods[0], "/bin/busybox", "nslookup", name), f"the name {name}")
            heard: set[str] = set()
            for _ in range(ROUNDS):
                heard.add(
                    _exec(region, pods[0], "/bin/busybox", "wget", "-qO-", f"http://{name}/cgi-bin/who").split()[1]
                )
            must(heard == {pod.name for pod in pods}, f"{ROUNDS} requests reached {sorted(heard)}")
        finally:
            region.api.call(f"{region.plan.endpoint}/api/v1/namespaces/{NAMESPACE}/services/{service}", "DELETE")
        for pod in pods:
            log = region.api.call(f"{region.plan.endpoint}/api/v1/namespaces/{NAMESPACE}/pods/{pod.name}/log")
            must(log.text == "serving\n", f"log of {pod.name}: {log.text[:200]!r}")
    return f"{name} is {address} and reaches {len(pods)} pods on as many nodes; their logs are readable"


def dns_is_spread(region: Region) -> str:
    """Cluster DNS is ready, on as many nodes as it can be."""
    nodes = machine_nodes(region)
    if not nodes:
        return "passed over: the region has no nodes that are machines"
    wanted = dns.replicas(region.plan.spec.ceiling)
    path = f"/apis/apps/v1/namespaces/{dns.NAMESPACE}/deployments/{dns.NAME}"
    _until(lambda: get(region, path)["status"].get("readyReplicas") == wanted, f"{wanted} servers of cluster DNS")
    pods = get(region, f"/api/v1/namespaces/{dns.NAMESPACE}/pods?labelSelector=k8s-app=kube-dns")["items"]
    on: dict[str, int] = {}
    for pod in pods:
        on[pod["spec"]["nodeName"]] = on.get(pod["spec"]["nodeName"], 0) + 1
    must(set(on) <= {node.name for node in nodes}, f"servers on {sorted(on)}")
    must(max(on.values()) - min(on.values()) <= 1 and len(on) == min(wanted, len(nodes)), f"uneven: {on}")
    return f"{wanted} servers on {len(on)} nodes: {', '.join(f'{node} {count}' for node, count in sorted(on.items()))}"


def kubelets_refuse_strangers(region: Region) -> str:
    """A kubelet serves with a certificate of the nodes' authority and answers nobody without one of its own."""
    nodes = machine_nodes(region)
    seen = 0
    for node in nodes:
        for path in ("/pods", "/metrics", "/runningpods/", "/configz"):
            status = Client.trusting_anyone().call(f"https://{node.address}:10250{path}").status
            must(status in (401, 403), f"{node.name}{path}: {status} without a certificate")
            seen += 1
        must(
            Client.trusting_anyone().call(f"http://{node.address}:10255/pods").status == 0,
            f"{node.name}: 10255 is open",
        )
    return f"{seen} paths of {len(nodes)} kubelets refuse; port 10255 is closed"


def machine_nodes(region: Region) -> list[PlannedNode]:
    """The nodes that are machines."""
    return [node for pool in region.plan.machine_pools for node in pool.nodes]


@contextmanager
def serving(region: Region, nodes: list[PlannedNode]) -> Iterator[list[Pod]]:
    """One serving pod on each node, from a preloaded image that is never pulled."""
    run = f"kilonode-verify-{secrets.token_hex(4)}"
    path = f"/api/v1/namespaces/{NAMESPACE}/pods"
    made = {f"{run}-{index}": node for index, node in enumerate(nodes)}
    for name, node in made.items():
        answer = region.api.call(f"{region.plan.endpoint}{path}", "POST", _pod(name, run, node))
        must(answer.status == CREATED, f"{name}: {answer.text[:200]}")
    try:
        _until(lambda: all(_address_of(region, name) for name in made), f"{len(made)} pods", lambda: _why(region, run))
        yield [Pod(name, node, _address_of(region, name)) for name, node in made.items()]
    finally:
        for name in made:
            region.api.call(f"{region.plan.endpoint}{path}/{name}?gracePeriodSeconds=0", "DELETE")


def _caller(answer: str) -> str:
    """The caller's address; the server listens on IPv6 too, where an IPv4 address has a form of its own."""
    return answer.split(maxsplit=1)[0].strip("[]").removeprefix("::ffff:")


def _pod(name: str, run: str, node: PlannedNode) -> dict[str, Any]:
    container = {
        "name": "main",
        "image": TOOLBOX,
        "imagePullPolicy": "Never",
        "command": ["/bin/sh", "-c", SERVE],
        "readinessProbe": {"httpGet": {"path": "/cgi-bin/who", "port": PORT}, "periodSeconds": 1},
    }
    return {
        "metadata": {"name": name, "labels": {"app": run}},
        "spec": {
            "nodeSelector": {"kubernetes.io/hostname": node.name},
            "containers": [container],
            "terminationGracePeriodSeconds": 0,
        },
    }


def _address_of(region: Region, name: str) -> str:
    status = get(region, f"/api/v1/namespaces/{NAMESPACE}/pods/{name}")["status"]
    ready = any(row["type"] == "Ready" and row["status"] == "True" for row in status.get("conditions", []))
    return status.get("podIP", "") if ready else ""


def _why(region: Region, run: str) -> str:
    pods = get(region, f"/api/v1/namespaces/{NAMESPACE}/pods?labelSelector=app={run}")["items"]
    return json.dumps([pod["status"] for pod in pods])[:1500]


def _exec(region: Region, pod: Pod, *words: str) -> str:
    kubectl = str(toolchain.locate("kubernetes") / "kubectl")
    done = subprocess.run(
        [kubectl, f"--kubeconfig={region.kubeconfig}", "--namespace", NAMESPACE, "exec", pod.name, "--", *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    must(done.returncode == 0, f"exec {' '.join(words)} in {pod.name}: {done.stderr.strip()[-300:]}")
    return done.stdout


def _until(ready: Callable[[], bool], what: str, why: Callable[[], str] = str) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            if ready():
                return
        except BrokenClaimError:
            if time.monotonic() > end:
                raise
        if time.monotonic() > end:
            raise BrokenClaimError(f"{what}: not there after {PATIENCE:.0f} s {why()}")
        time.sleep(PAUSE)
