"""Names by convention: all that a region owns on the host is found from the region's name alone, without any state."""

from __future__ import annotations

import hashlib
import re

from kilonode.clouds.local.host.refusal import refused
from kilonode.limits import HOSTNAME

REGION_LENGTH = 24
MACHINE_LENGTH = HOSTNAME.value
"""A machine's name is its host name."""

NETNS_PREFIX = "kilonode-"
PORT_PREFIX = "vb-"  # nspawn's own
_WORD = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?")


def checked(field: str, name: str, length: int) -> str:
    """Return `name` if it is a lower-case DNS label of at most `length` characters, else raise RefusedError."""
    if not _WORD.fullmatch(name) or len(name) > length:
        raise refused(
            field,
            given=name,
            allowed=f"1 to {length} of a-z, 0-9 and inner '-'",
            why="it becomes a folder, a cgroup, a namespace and part of a host name",
            fix="choose a shorter, plain name",
        )
    return name


def region_name(name: str) -> str:
    """Check a region's name."""
    return checked("region", name, REGION_LENGTH)


def machine_name(name: str) -> str:
    """Check a machine's name, which is also its host name."""
    return checked("machine", name, MACHINE_LENGTH)


def netns(region: str) -> str:
    """Name of the region's network namespace."""
    return f"{NETNS_PREFIX}{region_name(region)}"


def host_link(region: str) -> str:
    """Name of the host's end of the region's veth pair; a hash, as interface names hold 15 characters (IFNAMSIZ)."""
    return f"kn-{hashlib.sha256(region_name(region).encode()).hexdigest()[:12]}"


def cgroup(region: str, machine: str | None = None) -> str:
    """Path of the region's or machine's cgroup below each hierarchy's root."""
    return "/".join(["kilonode", region_name(region), *([] if machine is None else [machine_name(machine)])])


def whole(region: str, machine: str) -> str:
    """Region and machine in one name; '.' is in neither part, so `a.b-c` and `a-b.c` never meet."""
    return f"{region_name(region)}.{machine_name(machine)}"


def nspawn(region: str, machine: str) -> str:
    """Name by which nspawn knows the machine: short, so that nspawn does not shorten the port's name in its own way."""
    return hashlib.sha256(whole(region, machine).encode()).hexdigest()[:12]


def port(region: str, machine: str) -> str:
    """Name of the machine's port on the region's bridge: nspawn's prefix and its name for the machine."""
    return f"{PORT_PREFIX}{nspawn(region, machine)}"
