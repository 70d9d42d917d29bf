"""Facts about machines, whatever cloud and whoever wrote them: frozen, and each value known, absent or explicitly unknown.

Settings of programs keep the programs' own keys: of etcd and of Kubernetes' programs the names of their flags.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from kilonode.rules.unknown import Fact

Cloud = Literal["azure", "aws"]
Options = Mapping[str, str]


@dataclass(frozen=True)
class UserData:
    """What a machine is told at first boot, decoded; ``size`` is in bytes, before base64."""

    size: int
    texts: tuple[str, ...]
    """Every part as text, for what must not be in it."""

    files: Mapping[str, str]
    programs: Mapping[str, Options]
    """Program to its settings; a program that is not there is not started from this user data."""

    sysctls: Mapping[str, str]
    commands: tuple[str, ...] = ()
    """Lines that the machine runs: of units, scripts and cloud-init."""

    passwords: Fact[bool] = False
    """Whether it lets somebody log in with a password."""

    unread: str | None = None
    """Where more stands that the machine can read but does not run, and nobody can tell what."""

    etcds: tuple[frozenset[str], ...] = ()
    """URLs for clients of each etcd that it starts, where they are surely several; else of all that there may be."""


@dataclass(frozen=True)
class Disk:
    """A network disk of a machine; ``iops`` is None where nothing is said."""

    iops: Fact[int | None]
    caching: Fact[str | None]


@dataclass(frozen=True)
class Machine:
    """A virtual machine by itself."""

    resource: str
    name: str
    cloud: Cloud
    zone: Fact[str | None] = None
    size: Fact[str | None] = None
    sizes: tuple[str, ...] = ()
    """Those it may have, where it has one of several."""

    spot: Fact[bool] = False
    passwords: Fact[bool] = False
    protected: Fact[bool] = True
    data: Fact[UserData | None] = None
    disks: Fact[tuple[Disk, ...]] = ()
    balancers: Fact[frozenset[str]] = frozenset()
    """URNs of the load balancers it is behind."""


@dataclass(frozen=True)
class Kernel:
    """Kernel settings of one machine or pool, and how large its region may become."""

    resource: str
    sysctls: Mapping[str, str]
    nodes: Fact[int]
