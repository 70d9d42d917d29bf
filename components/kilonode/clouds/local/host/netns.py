"""The region's network on the host: a namespace with one bridge, and a veth pair that lets the host in.

Every machine is a port of the bridge, so the region is one flat network, as a VNet is to its machines.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Interface, IPv4Network
from pathlib import Path
from typing import Any

from kilonode.clouds.local.host import inotify, names
from kilonode.clouds.local.host.command import CommandError, run
from kilonode.clouds.local.host.lock import HOST_LOCK, locked
from kilonode.clouds.local.host.refusal import refused

BRIDGE = "br0"
UPLINK = "host"
FOLDER = Path("/run/netns")
HALF = 1
"""VPNs write a default route as two halves, 0.0.0.0/1 and 128.0.0.0/1; like the default they use no address."""


@dataclass(frozen=True)
class NetworkSpec:
    """A region's network: its ranges, the bridge's address, the host's address on it."""

    region: str
    ranges: tuple[IPv4Network, ...]
    gateway: IPv4Interface
    host_address: IPv4Interface


def path(region: str) -> Path:
    """Return the file that names the region's namespace."""
    return FOLDER / names.netns(region)


def exists(region: str) -> bool:
    """Tell whether the namespace is there; its file alone, left by a run that died before mounting it, is not."""
    return identity(path(region)) is not None


def identity(file: Path) -> int | None:
    """Return the namespace a file stands for as a number to compare, None if it stands for none."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_ino if found.st_dev == Path("/proc/self/ns/net").stat().st_dev else None


def refuse_overlaps(spec: NetworkSpec) -> None:
    """Raise RefusedError if a range of the region meets a route or address of the host that is not its own."""
    own = names.host_link(spec.region)
    for route in _ip(["-4", "route", "show", "table", "all"]):
        destination, device = route["dst"], route.get("dev", "")
        if destination == "default" or device == own or route.get("type") == "multicast":
            continue
        there = IPv4Network(destination)
        if there.prefixlen <= HALF:
            continue
        for mine in (*spec.ranges, spec.host_address.network):
            if mine.overlaps(there):
                raise refused(
                    "ranges",
                    given=str(mine),
                    allowed="addresses this host does not use",
                    why=f"the host reaches {there} through {device or 'a route of its own'}",
                    fix="give the region another range, or remove that route",
                )


def ensure(spec: NetworkSpec) -> None:
    """Make what is missing of the network and set its addresses; what is right already stays as it is."""
    region, space = spec.region, names.netns(spec.region)
    with locked(HOST_LOCK):
        inotify.raise_limit()
        if not exists(region):
            _make_namespace(region)
    if UPLINK not in _links(space):
        _remove_host_link(region)
        run(["ip", "link", "add", names.host_link(region), "type", "veth", "peer", "name", UPLINK, "netns", space])
    if BRIDGE not in _links(space):
        run(["ip", "-n", space, "link", "add", BRIDGE, "type", "bridge"])
    for link in _unplugged(space):
        run(["ip", "-n", space, "link", "set", link, "master", BRIDGE])
    for link in ("lo", BRIDGE, UPLINK):
        run(["ip", "-n", space, "link", "set", link, "up"])
    run(["ip", "link", "set", names.host_link(region), "up"])
    _address(["-n", space], BRIDGE, spec.gateway, spec.ranges)
    _address([], names.host_link(region), spec.host_address, spec.ranges)


def complete(spec: NetworkSpec) -> bool:
    """Tell whether namespace, bridge, both ends of the veth pair and both addresses are there."""
    space, link = names.netns(spec.region), names.host_link(spec.region)
    if not exists(spec.region) or not {BRIDGE, UPLINK} <= _links(space) or _unplugged(space):
        return False
    return str(spec.gateway) in _addresses(["-n", space], BRIDGE) and str(spec.host_address) in _addresses([], link)


def remove(region: str) -> list[str]:
    """Remove the namespace and the veth pair and return what was there; the host keeps no trace."""
    removed = []
    if _remove_host_link(region):
        removed.append(f"link {names.host_link(region)}")
    with locked(HOST_LOCK):
        file = path(region)
        if file.exists():
            while exists(region):
                run(["umount", "--lazy", str(file)])
            file.unlink()
            removed.append(f"netns {names.netns(region)}")
        if not any(FOLDER.glob(f"{names.NETNS_PREFIX}*")):
            inotify.restore_limit()
        with suppress(OSError):
            FOLDER.rmdir()
    return removed


def remove_port(region: str, machine: str) -> None:
    """Remove a dead machine's port: the kernel does it too, but only some time after the last process ended."""
    port, space = names.port(region, machine), names.netns(region)
    if exists(region) and port in _links(space):
        try:
            run(["ip", "-n", space, "link", "delete", port])
        except CommandError:
            if port in _links(space):
                raise


def host_link_exists(region: str) -> bool:
    """Tell whether the host's end of the veth pair is there."""
    return Path("/sys/class/net", names.host_link(region)).exists()


_NO_IPV6 = "f=/proc/sys/net/ipv6/conf/default/disable_ipv6; [ ! -e $f ] || echo 1 >$f"
"""A host booted without IPv6 has no such file."""


def _make_namespace(region: str) -> None:
    # `ip netns add` would first turn /run/netns into a shared mount of its own and leave it so for good.
    FOLDER.mkdir(parents=True, exist_ok=True)
    os.close(os.open(path(region), os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o444))
    run(["unshare", f"--net={path(region)}", "--", "sh", "-c", _NO_IPV6])


def _remove_host_link(region: str) -> bool:
    if not host_link_exists(region):
        return False
    try:
        run(["ip", "link", "delete", names.host_link(region)])
    except CommandError:
        if host_link_exists(region):
            raise
    return True


def _address(where: list[str], link: str, address: IPv4Interface, ranges: tuple[IPv4Network, ...]) -> None:
    for stale in _addresses(where, link) - {str(address)}:
        run(["ip", *where, "address", "delete", stale, "dev", link])
    run(["ip", *where, "address", "replace", str(address), "dev", link])
    wanted = {str(each) for each in ranges if not each.subnet_of(address.network)}
    present = {route["dst"] for route in _ip([*where, "-4", "route", "show", "dev", link])}
    for stale in present - wanted - {str(address.network)}:
        run(["ip", *where, "route", "delete", stale, "dev", link])
    for extra in sorted(wanted):
        run(["ip", *where, "route", "replace", extra, "dev", link, "src", str(address.ip)])


def _unplugged(space: str) -> list[str]:
    """The uplink and machines' ports that are not on the bridge."""
    rows = _ip(["-n", space, "link", "show"])
    ours = [row for row in rows if row["ifname"] == UPLINK or row["ifname"].startswith(names.PORT_PREFIX)]
    return [row["ifname"] for row in ours if row.get("master") != BRIDGE]


def _links(space: str) -> set[str]:
    return {link["ifname"] for link in _ip(["-n", space, "link", "show"])}


def _addresses(where: list[str], link: str) -> set[str]:
    try:
        rows = _ip([*where, "-4", "address", "show", "dev", link])
    except CommandError:
        return set()
    return {f"{each['local']}/{each['prefixlen']}" for row in rows for each in row.get("addr_info", [])}


def _ip(arguments: list[str]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(run(["ip", "-json", *arguments]) or "[]")
    return [row for row in rows if row]
