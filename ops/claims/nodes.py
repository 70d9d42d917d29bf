"""Claims about nodes that are machines: pods' own addresses, Services, names, logs and exec."""

from ipaddress import IPv4Address

from kilonode.apiserver import dns
from kilonode.clouds.local.host import paths
from kilonode.clouds.local.host.inside import run_in
from kilonode.machines.plan import FixedMachine
from kilonode.nodes.plan import PlannedNode
from kilonode.region.plan import API_PORT
from ops.claims.api import CREATED, FORBIDDEN, NAMESPACE, UNAUTHORIZED, get
from ops.claims.claim import must, until
from ops.claims.pods import BUSYBOX, PORT, Pod, caller, serving
from ops.https import Client
from ops.ready import Region

KUBELET, READ_ONLY = 10250, 10255
CLOSED_PATHS = ("/pods", "/metrics", "/runningpods/", "/configz")
NO_NODES = "passed over: the region has no nodes that are machines"
ROUNDS = 40
"""Requests to a Service of two pods: that one of them gets none has a chance of 2 to the power of -39."""

ASK = "import sys, urllib.request as r; print(r.urlopen(r.Request(sys.argv[1]), timeout=30).read().decode())"


def pods_are_reached(region: Region) -> str:
    """Every way a packet takes to a pod, with the sender's own address all along."""
    nodes = machine_nodes(region)
    if not nodes:
        return NO_NODES
    with serving(region, nodes) as pods:
        for pod in pods:
            first, last = pod.node.first_pod, pod.node.last_pod
            of_slice = first <= IPv4Address(pod.address) <= last
            must(of_slice, f"{pod.name} has {pod.address}, its node's slice is {first} to {last}")
            for other in pods:
                heard = caller(pod.ask(other.url))
                must(heard == pod.address or pod is other, f"{other.name} saw {heard}, {pod.name} is {pod.address}")
        target = pods[0]
        machines: list[FixedMachine | PlannedNode] = [region.plan.api_servers[0], *nodes]
        for machine in machines:
            said = run_in(region.plan.spec.name, machine.name, ["python3", "-c", ASK, target.url])
            must(said.returncode == 0, f"{machine.name} to {target.name}: {said.stderr[-200:]}")
            heard = caller(said.stdout)
            must(heard == str(machine.address), f"{target.name} saw {heard}, {machine.name} is {machine.address}")
        # `-e` runs once the connection stands.
        endpoint = str(region.plan.load_balancer.address)
        target.exec(BUSYBOX, "nc", "-w30", endpoint, str(API_PORT), "-e", BUSYBOX, "true")
    ways = ", ".join(machine.name for machine in machines)
    return f"{len(pods)} pods to each other across nodes, and from {ways}, each seen with its own address"


def services_reach_every_node(region: Region) -> str:
    """A Service's address and its name lead to pods of all nodes; logs of all can be read."""
    nodes = machine_nodes(region)
    if not nodes:
        return NO_NODES
    base = f"{region.plan.endpoint}/api/v1/namespaces/{NAMESPACE}"
    with serving(region, nodes) as pods:
        service = pods[0].name.rsplit("-", 1)[0]
        spec = {"selector": {"app": service}, "ports": [{"port": 80, "targetPort": PORT}]}
        made = region.api.call(f"{base}/services", "POST", {"metadata": {"name": service}, "spec": spec})
        must(made.status == CREATED, made.text[:200])
        try:
            name = f"{service}.{NAMESPACE}.svc.{region.plan.spec.network.domain}"
            address = made.json()["spec"]["clusterIP"]
            for pod in pods:
                until(lambda pod=pod: address in pod.exec(BUSYBOX, "nslookup", name), f"the name {name}")  # type: ignore[misc]
            until(lambda: _all_serve(pods, f"http://{name}/cgi-bin/who"), f"the Service {name}")
        finally:
            region.api.call(f"{base}/services/{service}", "DELETE")
        for pod in pods:
            until(lambda pod=pod: _has_logged(region, f"{base}/pods/{pod.name}/log"), f"the log of {pod.name}")  # type: ignore[misc]
    return f"{name} is {address} and reaches {len(pods)} pods on as many nodes; their logs are readable"


def _all_serve(pods: list[Pod], url: str) -> bool:
    """Whether requests of one pod reach all; its node learns in its own time who is behind a Service."""
    heard = {pods[0].ask(url).split()[1] for _ in range(ROUNDS)}
    must(heard == {pod.name for pod in pods}, f"{ROUNDS} requests reached {sorted(heard)}")
    return True


def _has_logged(region: Region, url: str) -> bool:
    log = region.api.call(url)
    must(log.text == "serving\n", f"{url}: {log.text[:200]!r}")
    return True


def dns_is_spread(region: Region) -> str:
    """Cluster DNS is ready, each server on a node of its own."""
    open_to_all = [node for pool in region.plan.machine_pools if pool.spec.takes_any_pod for node in pool.nodes]
    if not open_to_all:
        return "passed over: no node of the region takes any pod"
    wanted = min(dns.replicas(region.plan.spec.ceiling), len(open_to_all))
    path = f"/apis/apps/v1/namespaces/{dns.NAMESPACE}/deployments/{dns.NAME}"
    until(lambda: get(region, path)["status"].get("readyReplicas") == wanted, f"{wanted} servers of cluster DNS")
    selector = ",".join(f"{key}={value}" for key, value in dns.LABELS.items())
    pods = get(region, f"/api/v1/namespaces/{dns.NAMESPACE}/pods?labelSelector={selector}")["items"]
    on = [pod["spec"]["nodeName"] for pod in pods if pod["spec"].get("nodeName")]
    must(len(on) == len(set(on)) == wanted, f"servers on {sorted(on)}")
    must(set(on) <= {node.name for node in open_to_all}, f"servers on {sorted(on)}")
    return f"{wanted} servers, on {', '.join(sorted(on))}"


def kubelets_refuse_strangers(region: Region) -> str:
    """A kubelet serves with a certificate of the nodes' authority for its address, and answers nobody without one."""
    nodes = machine_nodes(region)
    if not nodes:
        return NO_NODES
    server = region.plan.api_servers[0]
    trusting = Client(paths.secrets(region.plan.spec.name, server.name) / "kube-apiserver" / "kubelet-ca.crt")
    for node in nodes:
        for path in CLOSED_PATHS:
            answer = trusting.call(f"https://{node.address}:{KUBELET}{path}")
            must(answer.status in (UNAUTHORIZED, FORBIDDEN), f"{node.name}{path}: {answer.status} {answer.text[:200]}")
        open_port = Client.trusting_anyone().call(f"http://{node.address}:{READ_ONLY}/pods")
        must(open_port.status == 0, f"{node.name}: port {READ_ONLY} answers {open_port.status}")
    return f"{len(CLOSED_PATHS)} paths of {len(nodes)} kubelets refuse; port {READ_ONLY} is closed"


def machine_nodes(region: Region) -> list[PlannedNode]:
    """The nodes that are machines."""
    return [node for pool in region.plan.machine_pools for node in pool.nodes]
