"""Facts about pools of machines."""

from dataclasses import dataclass

from kilonode.rules.facts.machines import Cloud, Options, UserData
from kilonode.rules.unknown import Fact, Unknown


@dataclass(frozen=True)
class Rolling:
    """How machines of a pool are renewed; percentages, None where nothing is said."""

    mode: Fact[str | None]
    batch: Fact[int | None] = None
    unhealthy: Fact[int | None] = None
    upgraded: Fact[int | None] = None
    surge: Fact[bool | None] = None
    """Whether a batch's new machines come before its old ones go."""


@dataclass(frozen=True)
class NodePool:
    """A scale set, or an auto scaling group with its launch template."""

    resource: str
    name: str
    cloud: Cloud
    capacity: Fact[int | None] = None
    most: Fact[int | None] = None
    """The most machines the autoscaler may make, where something says it."""

    autoscaled: Fact[bool] = False
    ignored: Fact[tuple[str, ...]] = ()
    """Properties that Pulumi leaves alone."""

    size: Fact[str | None] = None
    public: Fact[bool] = False
    passwords: Fact[bool] = False
    single_placement_group: Fact[bool | None] = None
    plain_image: Fact[bool] = False
    overprovision: Fact[bool | None] = None
    orchestration: Fact[str | None] = None
    rolling: Rolling | None = None
    addresses: Fact[int] = 1
    """Private addresses that each machine takes."""

    subnets: Fact[tuple[str | None, ...]] = ()
    """URNs of the subnets its machines are spread over; None for one that is not in the stack."""

    data: Fact[UserData | None] = None

    @property
    def largest(self) -> Fact[int]:
        """How many machines it may become: what the autoscaler may make, else its capacity."""
        return self.most if self.most is not None else self.capacity or 0

    @property
    def options(self) -> Options:
        """kubelet's settings."""
        return {} if self.data is None or isinstance(self.data, Unknown) else self.data.programs.get("kubelet", {})
