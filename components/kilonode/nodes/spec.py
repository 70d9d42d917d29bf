"""Node pools as a person writes them; nodes of one pool differ only by name, address and zone."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field, model_validator

from kilonode.cloudspec.azure_pool import AzurePoolSpec
from kilonode.limits import NODES
from kilonode.names import PoolName
from kilonode.network.pool import PoolAddresses, prefix_for
from kilonode.network.spec import Range
from kilonode.nodes.eviction import ImageGcSpec
from kilonode.nodes.images import IMAGES_MAX, PreloadedImageSpec
from kilonode.nodes.labels import LABELS_MAX, POOL_LABEL, TAINTS_MAX, Labels, TaintSpec
from kilonode.nodes.own_sysctls import OWN_MAX, OwnSysctls
from kilonode.nodes.pulls import MIRRORS_MAX, MirrorSpec, PullsSpec
from kilonode.refusal import refuse
from kilonode.spec import Spec

SIMULATORS_MAX = 16
"""Simulated pools of a region, each played by a machine of its own on the one host; their slot has room for more."""

PODS_MAX = 250  # kubelet's own documentation tests no more per node


class PoolSpec(Spec):
    """What every pool has, whoever plays its nodes."""

    name: PoolName
    """Part of its nodes' names."""

    pods_per_node: Annotated[int, Field(ge=1, le=PODS_MAX)] = 30
    """Pods a node takes; jobs on big clusters run one pod per node (2021 post), and kubelet is tested to 250."""

    range: Range
    """Addresses of the pool's nodes and pods: nodes × (podsPerNode + 1) and five reserved must fit."""

    @property
    def addresses(self) -> PoolAddresses:
        """The planned addresses of this pool."""
        return PoolAddresses(self.range, self.pods_per_node)

    @property
    def most(self) -> int:
        """The most nodes the pool will have without an edit."""
        raise NotImplementedError

    def needed_prefix(self, surge: int = 0) -> int:
        """The longest prefix whose range holds the pool at its most; an empty pool is planned for its first node."""
        return prefix_for(max(1, self.most) + surge, self.pods_per_node)


class SimulatedPoolSpec(PoolSpec):
    """Nodes played by kwok on one machine of the local cloud: real API traffic, no kubelet."""

    kind: Literal["simulated"]
    """Who plays the nodes."""

    nodes: Annotated[int, Field(ge=0, le=NODES.value)] = 100
    """How many nodes there are; all pools together stay under the region's ceiling."""

    simulator: Annotated[int, Field(ge=0, le=SIMULATORS_MAX - 1)] = 0
    """Fixed place of the machine that plays this pool: a number that no other simulated pool has."""

    @property
    def most(self) -> int:
        """The most nodes the pool will have without an edit."""
        return self.nodes


class MachinePoolSpec(PoolSpec):
    """Nodes that are machines of the cloud: containerd, kubelet and kube-proxy on each."""

    kind: Literal["machines"]
    """Who plays the nodes."""

    nodes: Annotated[int, Field(ge=0, le=NODES.value)] = 2
    """How many nodes there are, where an autoscaler owns that at first; all pools together stay under the region's ceiling."""

    images: Annotated[tuple[PreloadedImageSpec, ...], Field(strict=False)] = ()
    """Images that are on every node before its first pod: thousands of nodes that pull one at once overload a registry."""

    pulls: PullsSpec = PullsSpec()
    """How all other images are pulled."""

    mirrors: Annotated[tuple[MirrorSpec, ...], Field(strict=False)] = ()
    """Where registries' images are asked for first, a row per registry."""

    image_gc: ImageGcSpec = ImageGcSpec()
    """When unused images are removed; preloaded ones stay."""

    labels: Labels = Field(default={})
    """Labels its nodes register with, beside their pool and zone."""

    taints: Annotated[tuple[TaintSpec, ...], Field(strict=False)] = ()
    """Taints its nodes register with."""

    sysctls: OwnSysctls = Field(default={})
    """Kernel settings of its nodes: above kilonode's floors, or keys it says nothing of."""

    azure: AzurePoolSpec | None = None
    """What its machines are on Azure; there alone, and there needed."""

    @property
    def most(self) -> int:
        """The most nodes the pool will have without an edit: the autoscaler's most, where there is one."""
        return self.nodes if self.azure is None or self.azure.max is None else self.azure.max

    @property
    def cloud_labels(self) -> dict[str, str]:
        """Labels its nodes register with because of where they run."""
        return {} if self.azure is None else self.azure.labels

    @property
    def takes_any_pod(self) -> bool:
        """Whether pods that tolerate nothing find room here; PreferNoSchedule only makes them look elsewhere first."""
        return all(taint.effect == "PreferNoSchedule" for taint in self.taints)

    @model_validator(mode="after")
    def _whole(self) -> "MachinePoolSpec":
        _rows("images", "reference", [image.name for image in self.images], IMAGES_MAX)
        _rows("mirrors", "registry", [mirror.registry for mirror in self.mirrors], MIRRORS_MAX)
        _rows("taints", "effect", [f"{taint.key} {taint.effect}" for taint in self.taints], TAINTS_MAX)
        _few("labels", len(self.labels), LABELS_MAX)
        _few("sysctls", len(self.sysctls), OWN_MAX)
        if self.most < self.nodes:
            raise refuse(
                field="azure.max",
                given=self.most,
                allowed=f"at least nodes ({self.nodes})",
                why="the pool starts with its nodes, and the autoscaler would end some of them at once",
                fix=f"use {self.nodes} or more, or leave it out",
            )
        if self.azure is not None and self.azure.fewest(self.nodes) > self.most:
            raise refuse(
                field="azure.min",
                given=self.azure.min,
                allowed=f"at most azure.max, or nodes without one ({self.most})",
                why="the autoscaler could never have as many",
                fix=f"use {self.most} or less, or leave it out: half of nodes",
            )
        if self.labels.get(POOL_LABEL, self.name) != self.name:
            raise refuse(
                field=f"labels.{POOL_LABEL}",
                given=self.labels[POOL_LABEL],
                allowed=f"the pool's own name, {self.name!r}",
                why="nodes of a pool are found by this label",
                fix="remove it: nodes have this label without it",
            )
        return self

    def warnings(self) -> list[str]:
        """What is allowed but unwise, a sentence each."""
        found = [*self.pulls.warnings(), *(warning for mirror in self.mirrors for warning in mirror.warnings())]
        return [f"pool {self.name}: {warning}" for warning in found]


NodePoolSpec = Annotated[SimulatedPoolSpec | MachinePoolSpec, Field(discriminator="kind")]


def _rows(field: str, key: str, values: Sequence[str], most: int) -> None:
    """Refuse two rows of one value, and more rows than boot data has room for."""
    _few(field, len(values), most)
    for index, value in enumerate(values):
        if value in values[:index]:
            raise refuse(
                field=f"{field}[{index}].{key}",
                given=value,
                allowed=f"one row for each; {field}[{values.index(value)}] has it too",
                why="of two rows one would be in force, and nobody could say which",
                fix="remove one of the two",
            )


def _few(field: str, count: int, most: int) -> None:
    if count > most:
        raise refuse(
            field=field,
            given=f"{count} rows",
            allowed=f"at most {most}",
            why="they are part of every node's boot data, which clouds limit",
            fix="leave out what the pool can do without, or split it into two pools",
        )
