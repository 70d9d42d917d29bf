"""How Azure learns whether a node serves: the health extension on the machine asks the machine's own unit.

kube-proxy's health alone says too little: it is well on a machine whose kubelet never joined, and a rolling upgrade would go
through a whole pool that way. The unit (``rootfs``, ``node-health``) looks at all that a node needs to take pods.
"""

from kilonode.tuning import Row

_EXTENSION = "https://learn.microsoft.com/azure/virtual-machine-scale-sets/virtual-machine-scale-sets-health-extension"

PORT = 10260
"""The first behind those of Kubernetes' own programs, on the machine's loopback: below the ports of NodePorts and of outgoing
connections."""

PATH = "/healthz"

VERSION = "2.0"
"""Of the extension: in version 1 a node that is not ready yet is ill from its first second, and ends the upgrade. In this
one any answer but a 2xx with a state in its body leaves it initializing until GRACE is over, and an upgrade waits."""

INTERVAL = Row(
    "intervalInSeconds", 15, "each question asks two more programs on the machine; an upgrade waits for minutes anyway",
    f"Azure default 5, at most 60: {_EXTENSION}",
)  # fmt: skip
PROBES = Row(
    "numberOfProbes", 4, "a kubelet that is started again, or changes its certificate, is not an ill node: only a minute is",
    f"Azure default 1, at most 24, and 240 seconds of probes: {_EXTENSION}; Azure/applicationhealth-extension-linux",
)  # fmt: skip
GRACE = Row(
    "gracePeriod", 1800,
    "an upgrade waits so long for a node to serve: it boots and loads its images (minutes), waits until its old Node has been silent"
    " (SILENCE_SECONDS, 300), and asks once more a quarter of an hour later if an approver had to begin anew",
    f"Azure default intervalInSeconds * numberOfProbes, at most 14400: {_EXTENSION}",
)  # fmt: skip


def settings() -> dict[str, object]:
    """What the extension is told."""
    rows = (INTERVAL, PROBES, GRACE)
    return {"protocol": "http", "port": PORT, "requestPath": PATH, **{row.key: row.value for row in rows}}
