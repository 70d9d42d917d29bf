"""Node objects that outlived their machines: a cloud's controller removes them, on this host `make up` does."""

import re
from typing import Any

from kilonode.clouds.local.host import machines
from kilonode.nodes.labels import POOL_LABEL
from kilonode.nodes.plan import NUMBER
from ops.ready import OK, Region

PAGE = 500
MISSING, CONFLICT = 404, 409


def forget_gone(region: Region) -> list[str]:
    """Delete the Node objects of machines that are no more, or were made anew under the same name; their names.

    A bootstrap credential joins a name once: while the old Node stands, the new machine waits. Simulated nodes are their
    own machine's to remove, except where the whole pool is gone.

    Raises:
        RuntimeError: when the API does not answer.
    """
    spec = region.plan.spec
    planned = {node.name for pool in region.plan.machine_pools for node in pool.nodes}
    simulated = {pool.name for pool in spec.simulated_pools}
    ours = re.compile(rf"{re.escape(spec.name)}-[a-z0-9-]+-{NUMBER}")
    gone = []
    for node in _listed(region):
        about = node["metadata"]
        name = about["name"]
        if not ours.fullmatch(name) or about.get("labels", {}).get(POOL_LABEL) in simulated:
            continue
        told = node["status"].get("nodeInfo", {}).get("machineID", "")
        if (name not in planned or told != machines.machine_id(spec.name, name)) and _deleted(region, about):
            gone.append(name)
    return gone


def _deleted(region: Region, about: dict[str, Any]) -> bool:
    """Delete this very Node: not one that a new machine of the name has registered since."""
    url = f"{region.plan.endpoint}/api/v1/nodes/{about['name']}"
    answer = region.api.call(url, "DELETE", {"preconditions": {"uid": about["uid"]}})
    if answer.status not in (OK, MISSING, CONFLICT):
        raise RuntimeError(f"DELETE {url}: {answer.status} {answer.text[:200]}")
    return answer.status == OK


def _listed(region: Region) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    token = ""
    while True:
        url = f"{region.plan.endpoint}/api/v1/nodes?limit={PAGE}&continue={token}"
        answer = region.api.call(url)
        if answer.status != OK:
            raise RuntimeError(f"GET {url}: {answer.status} {answer.text[:200]}")
        page = answer.json()
        found += page["items"]
        token = page["metadata"].get("continue", "")
        if not token:
            return found
