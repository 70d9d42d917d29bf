"""Node objects that outlived their machines: a cloud's controller removes them, on this host the desk does."""

import re
from typing import Any

from kilonode.clouds.local.host import machines
from ops.ready import OK, Region

PAGE = 500


def forget_gone(region: Region) -> list[str]:
    """Delete the Node objects of machines that are no more, or were made anew under the same name; their names.

    A bootstrap credential joins a name once: while the old Node stands, the new machine waits.
    """
    spec = region.plan.spec
    machine_nodes = {node.name for pool in region.plan.machine_pools for node in pool.nodes}
    simulated = {f"{spec.name}-{pool.name}-{index:05d}" for pool in spec.simulated_pools for index in range(pool.nodes)}
    ours = re.compile(rf"{re.escape(spec.name)}-[a-z0-9-]+-\d{{5}}")
    gone = []
    for node in _listed(region):
        name = node["metadata"]["name"]
        if name in simulated or not ours.fullmatch(name):
            continue
        told = node["status"].get("nodeInfo", {}).get("machineID", "")
        if name not in machine_nodes or told != machines.machine_id(spec.name, name):
            gone.append(name)
    for name in gone:
        region.api.call(f"{region.plan.endpoint}/api/v1/nodes/{name}", "DELETE")
    return gone


def _listed(region: Region) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    token = ""
    while True:
        url = f"{region.plan.endpoint}/api/v1/nodes?limit={PAGE}&continue={token}"
        answer = region.api.call(url, timeout=30)
        if answer.status != OK:
            raise RuntimeError(f"GET nodes: {answer.status} {answer.text[:200]}")
        page = answer.json()
        found += page["items"]
        token = page["metadata"].get("continue", "")
        if not token:
            return found
