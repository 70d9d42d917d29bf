"""Claims about the API servers and what they schedule."""

import base64
import secrets
import time
from datetime import UTC, datetime
from typing import Any

from kilonode.apiserver.controllers import CONTROLLER_MANAGER, SCHEDULER
from kilonode.apiserver.settings import ENCRYPTION_KEY, PROBE_PATHS
from kilonode.nodes.labels import POOL_LABEL
from kilonode.nodes.simulated import TAINT
from kilonode.region.plan import API_PORT
from ops.claims.claim import PATIENCE, BrokenClaimError, must, until
from ops.etcdctl import etcdctl
from ops.https import Client
from ops.ready import OK, Region

NAMESPACE = "default"
CLOSED_PATHS = ("/version", "/api", "/apis", "/metrics", "/api/v1/secrets", "/openapi/v2", "/debug/pprof/")
UNAUTHORIZED, FORBIDDEN, CREATED = 401, 403, 201
LEASE_SECONDS = 20.0  # a leader renews every two seconds
PODS = 200
CONTROLLERS = {CONTROLLER_MANAGER: 10257, SCHEDULER: 10259}
ENCRYPTED = f"k8s:enc:secretbox:v1:{ENCRYPTION_KEY}:".encode()
"""How kube-apiserver begins what secretbox has sealed with the region's key."""


def event_is_written(region: Region) -> str:
    """An Event made now can be read back; where its key lies is another claim's."""
    name = f"kilonode-verify-{secrets.token_hex(4)}"
    event = {
        "metadata": {"name": name},
        "involvedObject": {"kind": "Namespace", "name": NAMESPACE, "namespace": NAMESPACE},
        "reason": "Verify",
        "message": "written by make verify",
        "type": "Normal",
    }
    _made(region, f"/api/v1/namespaces/{NAMESPACE}/events", event)
    return name


def secret_is_encrypted(region: Region) -> str:
    """The bytes of a Secret in etcd are ciphertext."""
    name, canary = f"kilonode-verify-{secrets.token_hex(4)}", secrets.token_hex(16)
    path = f"/api/v1/namespaces/{NAMESPACE}/secrets"
    _made(region, path, {"metadata": {"name": name}, "stringData": {"canary": canary}})
    try:
        found = etcdctl(region, region.plan.main.client_urls, "get", f"/registry/secrets/{NAMESPACE}/{name}")
        stored = base64.b64decode(found["kvs"][0]["value"])
        must(stored.startswith(ENCRYPTED), f"it begins with {stored[:40]!r}")
        must(canary.encode() not in stored, "its text is readable in etcd")
    finally:
        region.api.call(f"{region.plan.endpoint}{path}/{name}", "DELETE")
    return f"{len(stored)} bytes that begin with {ENCRYPTED.decode()}"


def anonymous_refused(region: Region) -> str:
    """Without a credential only the probe paths answer, on every API server."""
    for server in region.plan.api_servers:
        base = f"https://{server.address}:{API_PORT}"
        for path in PROBE_PATHS:
            answer = region.stranger.call(base + path)
            must(answer.text == "ok", f"{server.name}{path}: {answer.status}")
        for path in CLOSED_PATHS:
            answer = region.stranger.call(base + path)
            must(answer.status == UNAUTHORIZED, f"{server.name}{path}: {answer.status}")
    return f"{', '.join(PROBE_PATHS)} open; {len(CLOSED_PATHS)} other paths answer 401 on {len(region.plan.api_servers)} servers"


def controllers_lead(region: Region) -> str:
    """Scheduler and controller manager have a leader that renews its lease, and hide their metrics from strangers."""
    seen = []
    for name, port in CONTROLLERS.items():
        # A busy machine loses its lead now and then; whoever is next has it in a moment.
        until(lambda name=name: _leads(region, name), f"a leader of {name}")  # type: ignore[misc]
        holder = _lease(region, name)["holderIdentity"].rsplit("_", 1)[0]
        for server in region.plan.api_servers:
            url = f"https://{server.address}:{port}/metrics"
            status = Client.trusting_anyone().call(url).status
            must(status in (UNAUTHORIZED, FORBIDDEN), f"{url}: {status} without a credential")
        seen.append(f"{name} on {holder}")
    return "; ".join(seen)


def _lease(region: Region, name: str) -> Any:
    return get(region, f"/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/{name}")["spec"]


def _leads(region: Region, name: str) -> bool:
    lease = _lease(region, name)
    age = (datetime.now(UTC) - datetime.fromisoformat(lease["renewTime"])).total_seconds()
    must(age < LEASE_SECONDS, f"{name}: last renewed {age:.0f} s ago")
    holder = lease["holderIdentity"].rsplit("_", 1)[0]
    must(holder in {server.name for server in region.plan.api_servers}, f"{name}: led by {holder or 'nobody'}")
    return True


def pods_are_scheduled(region: Region) -> str:
    """A deployment of 200 pods gets 200 pods placed on nodes and Running."""
    if not sum(pool.nodes for pool in region.plan.spec.simulated_pools):
        return "passed over: the region has no simulated nodes"
    name = f"kilonode-verify-{secrets.token_hex(4)}"
    path = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments"
    label = {"app": name}
    of_pools = {"key": POOL_LABEL, "operator": "In", "values": [pool.name for pool in region.plan.spec.simulated_pools]}
    # Simulated nodes run anything; on a node that is a machine the image would have to exist.
    on_simulated = {
        "tolerations": [TAINT],
        "affinity": {
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {
                    "nodeSelectorTerms": [{"matchExpressions": [of_pools]}]
                }
            }
        },
    }
    template = {
        "metadata": {"labels": label},
        "spec": {"containers": [{"name": "main", "image": "example.invalid/none"}], **on_simulated},
    }
    body = {
        "metadata": {"name": name},
        "spec": {"replicas": PODS, "selector": {"matchLabels": label}, "template": template},
    }
    begin = time.monotonic()
    _made(region, path, body)
    try:
        while True:
            pods = get(region, f"/api/v1/namespaces/{NAMESPACE}/pods?labelSelector=app={name}")["items"]
            running = [pod for pod in pods if pod["spec"].get("nodeName") and pod["status"].get("phase") == "Running"]
            if len(running) == PODS:
                nodes = {pod["spec"]["nodeName"] for pod in running}
                return f"{PODS} pods on {len(nodes)} nodes in {time.monotonic() - begin:.0f} s"
            if time.monotonic() - begin > PATIENCE:
                raise BrokenClaimError(f"{len(pods)} pods, {len(running)} Running after {PATIENCE:.0f} s")
            time.sleep(0.5)
    finally:
        region.api.call(f"{region.plan.endpoint}{path}/{name}?propagationPolicy=Background", "DELETE")


def _made(region: Region, path: str, body: dict[str, Any]) -> None:
    answer = region.api.call(f"{region.plan.endpoint}{path}", "POST", body)
    must(answer.status == CREATED, f"POST {path}: {answer.status} {answer.text[:200]}")


def get(region: Region, path: str) -> Any:
    """The parsed answer to a GET as the operator."""
    answer = region.api.call(f"{region.plan.endpoint}{path}")
    must(answer.status == OK, f"GET {path}: {answer.status} {answer.text[:200]}")
    return answer.json()
