"""NoCloud boot data: what cloud-init reads on a local machine in place of a cloud's metadata service."""

from __future__ import annotations

import json
from collections.abc import Sequence

FOLDER = "var/lib/cloud/seed/nocloud"
LINK = "host0"
"""nspawn's name for the machine's end of its veth pair."""


def files(
    *,
    hostname: str,
    boot_hash: str,
    user_data: str,
    address: str,
    gateway: str,
    on_link: Sequence[str] = (),
    zone: str = "",
) -> dict[str, str]:
    """Return the files of the seed folder. The instance id follows the boot hash: new boot data is a new instance."""
    about = {"instance-id": f"i-{boot_hash[:17]}", "local-hostname": hostname, "dsmode": "local"}
    if zone:
        about["availability-zone"] = zone
    return {
        "user-data": user_data,
        "meta-data": json.dumps(about),
        "network-config": json.dumps(_network(address, gateway, on_link)),
    }


def _network(address: str, gateway: str, on_link: Sequence[str]) -> dict[str, object]:
    routes: list[dict[str, object]] = [{"to": "0.0.0.0/0", "via": gateway}]
    routes += [{"to": each, "via": gateway, "on-link": True} for each in on_link]
    link = {"dhcp4": False, "addresses": [address], "routes": routes}
    return {"version": 2, "ethernets": {LINK: link}}
