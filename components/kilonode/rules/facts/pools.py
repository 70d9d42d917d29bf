"""Facts about pools of machines."""

from collections.abc import Mapping
from dataclasses import dataclass

from kilonode.rules.facts.machines import Cloud, Disk, Machine, Options, UserData
from kilonode.rules.property_path import covers
from kilonode.rules.unknown import Fact, Unknown

CAPACITY = {"azure": "sku.capacity", "aws": "desiredCapacity"}
CONTROL_PLANE = frozenset({"etcd", "kube-apiserver"})
"""Programs that make a machine one of the control plane."""

MOST = 1_000
"""Machines of one pool that are looked at one by one: far more than any cluster has members, or API servers."""


@dataclass(frozen=True)
class Rolling:
    """How machines of a pool are renewed; percentages, None where nothing is said."""

    mode: Fact[str | None]
    batch: Fact[int | None] = None
    unhealthy: Fact[int | None] = None
    upgraded: Fact[int | None] = None
    surge: Fact[bool | None] = None
    """Whether a batch's new machines come before its old ones go."""

    healthy: Fact[int | None] = None
    """What AWS has in place of all of these: the least share of a group that stays healthy."""


@dataclass(frozen=True)
class NodePool:
    """A scale set, or an auto scaling group with its launch template."""

    resource: str
    name: str
    cloud: Cloud
    capacity: Fact[int | None] = None
    count: Fact[int] = 0
    """How many machines the program asks for, said or not."""

    most: Fact[int | None] = None
    """The most machines the autoscaler may make, where something says it."""

    autoscaled: Fact[bool] = False
    ignored: Fact[tuple[str, ...]] = ()
    """Properties that Pulumi leaves alone."""

    external: bool = False
    """Whether its program only reads it, and so changes nothing of it."""

    size: Fact[str | None] = None
    sizes: tuple[str, ...] = ()
    """Those its machines may have, where they have one of several."""

    spot: Fact[bool] = False
    public: Fact[bool] = False
    protected: Fact[bool] = True
    zones: Fact[tuple[Fact[str | None], ...]] = ()
    disks: Fact[tuple[Disk, ...]] = ()
    passwords: Fact[bool] = False
    single_placement_group: Fact[bool | None] = None
    plain_image: Fact[bool] = False
    overprovision: Fact[bool | None] = None
    orchestration: Fact[str | None] = None
    rolling: Rolling | None = None
    addresses: Fact[int] = 1
    """Private addresses that each machine takes, in the one subnet it is in."""

    subnets: Fact[tuple[str | None, ...]] = ()
    """URNs of the subnets its machines are spread over; None for one that is not in the stack."""

    in_each: Mapping[str, int] | None = None
    """URN of a subnet to the addresses that each machine takes there, where a machine is in all of its pool's subnets."""

    balancers: Fact[frozenset[str]] = frozenset()
    """URNs of the load balancers its machines are behind."""

    data: Fact[UserData | None] = None

    @property
    def controls(self) -> bool:
        """Whether its machines are of the control plane."""
        return isinstance(self.data, UserData) and not CONTROL_PLANE.isdisjoint(self.data.programs)

    @property
    def of_nodes(self) -> bool:
        """Whether its machines surely are nodes; a machine's image may start a kubelet of which nothing here says anything."""
        told = isinstance(self.data, UserData) and "kubelet" in self.data.programs
        return not self.controls and (told or self.autoscaled is True)

    @property
    def left_alone(self) -> Fact[bool]:
        """Whether Pulumi leaves alone how many machines there are."""
        if isinstance(self.ignored, Unknown):
            return self.ignored
        return any(covers(each, CAPACITY[self.cloud]) for each in self.ignored)

    @property
    def counted(self) -> Fact[int]:
        """How many machines there are; what Pulumi leaves alone may be another number than what is asked for."""
        if self.left_alone is not False:
            return Unknown(f"{CAPACITY[self.cloud]}, which ignoreChanges may leave alone,")
        return self.count

    @property
    def machines(self) -> tuple[Machine, ...]:
        """Its machines one by one, over its zones in turn; one for all where nobody can tell how many they are."""
        count = 1 if isinstance(self.counted, Unknown) else min(self.counted, MOST)
        return tuple(
            Machine(
                self.resource,
                f"{self.name}-{number}",
                self.cloud,
                zone=self._zone(number),
                size=self.size,
                sizes=self.sizes,
                spot=self.spot,
                passwords=self.passwords,
                protected=self.protected,
                data=self.data,
                disks=self.disks,
                balancers=self.balancers,
            )
            for number in range(count)
        )

    def _zone(self, number: int) -> Fact[str | None]:
        if isinstance(self.zones, Unknown):
            return self.zones
        return self.zones[number % len(self.zones)] if self.zones else None

    @property
    def largest(self) -> Fact[int]:
        """How many machines it may become: what the autoscaler may make, or what its program asks for.

        AWS makes no more than a group's most; Azure knows nothing of the autoscaler's tag.
        """
        if self.cloud == "aws" and self.most is not None:
            return self.most
        most, capacity = self.most or 0, self.capacity or 0
        if isinstance(most, Unknown):
            return most
        return capacity if isinstance(capacity, Unknown) else max(most, capacity)

    @property
    def options(self) -> Options:
        """kubelet's settings."""
        return {} if self.data is None or isinstance(self.data, Unknown) else self.data.programs.get("kubelet", {})
