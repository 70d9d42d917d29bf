"""How pods of an Azure node get their addresses: those of the node's own NIC behind its first, which the scale set gives it.

Keys and modes are the plugin's: Azure/azure-container-networking, docs/cni.md and cni/netconfig.go; the file is that of
cni/azure-linux.conflist without portmap, which local nodes have not either.
"""

import json
from collections.abc import Iterable
from ipaddress import IPv4Network
from typing import Any

PROGRAMS = ("azure-vnet", "azure-vnet-ipam")
"""What the image has to have beside Debian's plugins. azure-vnet-ipam asks the host which addresses the NIC has."""

PATH = "/etc/cni/net.d/10-azure.conflist"
EGRESS = "/etc/kilonode/pod-egress.json"

POD_INTERFACES = "azv"
"""How the host's side of a pod's link is named (network/endpoint_linux.go): what kube-proxy knows a node's own pods by."""

NODE_DNS = "169.254.20.10"
"""Where a cache of cluster DNS listens on each node, once a region has one; pods reach it through their node."""

_TABLE = {"family": "ip", "name": "kilonode-pod-egress"}
_IN_TABLE = {"family": "ip", "table": _TABLE["name"]}
_CHAIN = "postrouting"


def conflist() -> str:
    """The CNI configuration, the same on every node."""
    plugin = {
        "type": "azure-vnet",
        "mode": "transparent",
        "ipsToRouteViaHost": [NODE_DNS],
        "ipam": {"type": "azure-vnet-ipam"},
    }
    return json.dumps({"cniVersion": "0.3.0", "name": "azure", "plugins": [plugin]}, indent=1) + "\n"


def egress(native: Iterable[IPv4Network]) -> str:
    """nftables' JSON for what leaves ``native``, the ranges in which pods' addresses are known: it goes out as the node's.

    Outside of AKS that is the machine's to do (docs/cni.md, "Outbound Connectivity from pods").
    """
    ranges = [{"prefix": {"addr": str(block.network_address), "len": block.prefixlen}} for block in native]
    rule = [
        _unless({"fib": {"result": "type", "flags": ["daddr"]}}, "local"),
        _unless({"payload": {"protocol": "ip", "field": "daddr"}}, {"set": ranges}),
        {"masquerade": None},
    ]
    commands: list[dict[str, Any]] = [
        {"add": {"table": _TABLE}},
        {"delete": {"table": _TABLE}},
        {"add": {"table": _TABLE}},
        {
            "add": {
                "chain": {**_IN_TABLE, "name": _CHAIN, "type": "nat", "hook": _CHAIN, "prio": 100, "policy": "accept"}
            }
        },
        {"add": {"rule": {**_IN_TABLE, "chain": _CHAIN, "expr": rule}}},
    ]
    return json.dumps({"nftables": commands}, indent=1) + "\n"


def _unless(left: dict[str, Any], right: object) -> dict[str, Any]:
    return {"match": {"op": "!=", "left": left, "right": right}}
