"""Pods that say who asks them, one on each node, and asking from inside of them."""

import json
import secrets
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import toolchain
from kilonode.clouds.local.archives import TOOLBOX
from kilonode.nodes.plan import PlannedNode
from ops.claims.api import CREATED, NAMESPACE, get
from ops.claims.claim import PATIENCE, must, until
from ops.ready import Region

PORT = 8080
BUSYBOX = "/bin/busybox"

SERVE = f"""\
mkdir -p /tmp/www/cgi-bin
printf '#!/bin/sh\\nprintf "Content-Type: text/plain\\\\n\\\\n%%s %%s" "$REMOTE_ADDR" "$({BUSYBOX} hostname)"\\n' >/tmp/www/cgi-bin/who
{BUSYBOX} chmod +x /tmp/www/cgi-bin/who
echo serving
exec {BUSYBOX} httpd -f -p {PORT} -h /tmp/www
"""
"""Answers each request with the caller's address as it arrived, and the pod's own name."""


@dataclass(frozen=True)
class Pod:
    """A pod that serves on a node."""

    region: Region
    name: str
    node: PlannedNode
    address: str

    @property
    def url(self) -> str:
        """Where it says who asks."""
        return f"http://{self.address}:{PORT}/cgi-bin/who"

    def exec(self, *words: str) -> str:
        """Run a command in it, as `kubectl exec` does; what it prints."""
        kubectl = str(toolchain.locate("kubernetes") / "kubectl")
        done = subprocess.run(
            [
                kubectl,
                f"--kubeconfig={self.region.kubeconfig}",
                "--namespace",
                NAMESPACE,
                "exec",
                self.name,
                "--",
                *words,
            ],
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=PATIENCE,
        )
        must(done.returncode == 0, f"exec {' '.join(words)} in {self.name}: {done.stderr.strip()[-300:]}")
        return done.stdout

    def ask(self, url: str) -> str:
        """Fetch a URL from inside of it."""
        return self.exec(BUSYBOX, "wget", "-qO-", url)


def caller(answer: str) -> str:
    """The caller's address; the server listens on IPv6 too, where an IPv4 address has a form of its own."""
    return answer.split(maxsplit=1)[0].strip("[]").removeprefix("::ffff:")


@contextmanager
def serving(region: Region, nodes: list[PlannedNode]) -> Iterator[list[Pod]]:
    """One serving pod on each node, from a preloaded image that is never pulled."""
    run = f"kilonode-verify-{secrets.token_hex(4)}"
    path = f"/api/v1/namespaces/{NAMESPACE}/pods"
    made = {f"{run}-{index}": node for index, node in enumerate(nodes)}
    try:
        for name, node in made.items():
            answer = region.api.call(f"{region.plan.endpoint}{path}", "POST", _pod(name, run, node))
            must(answer.status == CREATED, f"{name}: {answer.text[:200]}")
        until(lambda: all(_address_of(region, name) for name in made), f"{len(made)} pods", lambda: _why(region, run))
        yield [Pod(region, name, node, _address_of(region, name)) for name, node in made.items()]
    finally:
        for name in made:
            region.api.call(f"{region.plan.endpoint}{path}/{name}?gracePeriodSeconds=0", "DELETE")


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
            "tolerations": [{"operator": "Exists"}],
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
