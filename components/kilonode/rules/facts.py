"""Facts about a cluster, whatever cloud and whoever wrote it: frozen, and each value known, absent or explicitly unknown.

Settings of programs keep the programs' own keys: of etcd and of Kubernetes' programs the names of their flags.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from kilonode.rules.unknown import Fact, Unknown

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
    spot: Fact[bool] = False
    passwords: Fact[bool] = False
    protected: Fact[bool] = True
    data: Fact[UserData | None] = None
    disks: Fact[tuple[Disk, ...]] = ()


@dataclass(frozen=True)
class Member:
    """An etcd member."""

    machine: Machine
    options: Options

    @property
    def resource(self) -> str:
        """The machine's."""
        return self.machine.resource

    @property
    def name(self) -> str:
        """The member's name in its cluster."""
        return self.options.get("name", self.machine.name)

    @property
    def peers(self) -> frozenset[str]:
        """Peer URLs, as the member was told them, with its own."""
        told = (entry.rpartition("=")[2] for entry in self.options.get("initial-cluster", "").split(","))
        own = self.options.get("initial-advertise-peer-urls", "").split(",")
        return frozenset(url for url in (*told, *own) if url)

    @property
    def clients(self) -> frozenset[str]:
        """URLs for clients."""
        return frozenset(url for url in self.options.get("advertise-client-urls", "").split(",") if url)


@dataclass(frozen=True)
class EtcdCluster:
    """Members that hold one set of keys; ``nodes`` is how large the region may become."""

    name: str
    members: tuple[Member, ...]
    nodes: Fact[int] = 0
    events: bool = False

    @property
    def resource(self) -> str:
        """The first member's."""
        return self.members[0].resource


@dataclass(frozen=True)
class ApiServer:
    """A machine that runs kube-apiserver; ``clusters`` are all etcd clusters of the stack."""

    machine: Machine
    flags: Options
    files: Mapping[str, str]
    clusters: tuple[EtcdCluster, ...] = ()

    @property
    def resource(self) -> str:
        """The machine's."""
        return self.machine.resource


@dataclass(frozen=True)
class ApiServers:
    """All API servers of a region."""

    servers: tuple[ApiServer, ...]
    nodes: Fact[int] = 0

    @property
    def resource(self) -> str:
        """The first server's."""
        return self.servers[0].resource


@dataclass(frozen=True)
class Rolling:
    """How machines of a pool are renewed; percentages, None where nothing is said."""

    mode: Fact[str | None]
    batch: Fact[int | None] = None
    unhealthy: Fact[int | None] = None
    upgraded: Fact[int | None] = None


@dataclass(frozen=True)
class NodePool:
    """A scale set, or an auto scaling group with its launch template."""

    resource: str
    name: str
    cloud: Cloud
    capacity: Fact[int | None] = None
    most: Fact[int | None] = None
    """The most machines the autoscaler may make; the capacity where nothing says more."""

    autoscaled: Fact[bool] = False
    ignored: Fact[tuple[str, ...]] = ()
    """Properties that Pulumi leaves alone."""

    size: Fact[str | None] = None
    zones: Fact[tuple[str, ...]] = ()
    spot: Fact[bool] = False
    public: Fact[bool] = False
    passwords: Fact[bool] = False
    single_placement_group: Fact[bool | None] = None
    plain_image: Fact[bool] = False
    overprovision: Fact[bool | None] = None
    rolling: Rolling | None = None
    addresses: Fact[int] = 1
    """Private addresses that each machine takes."""

    subnet: Fact[str | None] = None
    """The URN of its subnet; None for one that is not in the stack."""

    data: Fact[UserData | None] = None

    @property
    def options(self) -> Options:
        """kubelet's settings."""
        return {} if self.data is None or isinstance(self.data, Unknown) else self.data.programs.get("kubelet", {})


@dataclass(frozen=True)
class Interface:
    """Whatever may have a public address: an interface, an instance, the template of a pool."""

    resource: str
    public: Fact[bool]


@dataclass(frozen=True)
class Kernel:
    """Kernel settings of one machine or pool, and how large its region may become."""

    resource: str
    sysctls: Mapping[str, str]
    nodes: Fact[int]


@dataclass(frozen=True)
class LoadBalancer:
    """A load balancer for ``port``; ``probe`` is protocol and path."""

    resource: str
    name: str
    ports: Fact[tuple[int, ...]]
    public: Fact[bool]
    protocol: Fact[str | None] = None
    path: Fact[str | None] = None


@dataclass(frozen=True)
class Subnet:
    """A range of addresses."""

    resource: str
    range: Fact[str | None]
    pools: tuple[NodePool, ...] = ()


@dataclass(frozen=True)
class Storage:
    """A store of blobs, of secrets or of files."""

    resource: str
    name: str
    public: Fact[bool]
    protected: Fact[bool]
    stateful: bool = True


@dataclass(frozen=True)
class Workload:
    """Pods of one kind in Kubernetes; ``arguments`` are the flags of all their containers."""

    resource: str
    name: str
    namespace: str
    kind: str
    images: Fact[tuple[str, ...]]
    arguments: Fact[Options]
    tolerations: Fact[tuple[str, ...]] = ()
    priority_class: Fact[str | None] = None


@dataclass(frozen=True)
class PriorityClass:
    """A class of importance; ``balloon`` is whether pods that only hold room have it."""

    resource: str
    name: str
    value: Fact[int | None]
    balloon: Fact[bool]


@dataclass(frozen=True)
class Tagged:
    """A resource that can carry tags, and those it carries."""

    resource: str
    tags: Fact[frozenset[str]]


@dataclass(frozen=True)
class Stack:
    """The stack as a whole."""

    resource: str
    resources: int
    tagged: tuple[Tagged, ...] = ()


@dataclass(frozen=True)
class Unread:
    """Something whose very kind cannot be told yet."""

    resource: str
    field: str


@dataclass(frozen=True)
class Facts:
    """Everything the rules look at."""

    stack: Stack
    machines: tuple[Machine, ...] = ()
    clusters: tuple[EtcdCluster, ...] = ()
    api_servers: ApiServers | None = None
    pools: tuple[NodePool, ...] = ()
    balancers: tuple[LoadBalancer, ...] = ()
    subnets: tuple[Subnet, ...] = ()
    storage: tuple[Storage, ...] = ()
    workloads: tuple[Workload, ...] = ()
    priority_classes: tuple[PriorityClass, ...] = ()
    interfaces: tuple[Interface, ...] = ()
    nodes: Fact[int] = 0
    unread: tuple[Unread, ...] = ()
    """Machines whose role is in user data that is not known yet."""
