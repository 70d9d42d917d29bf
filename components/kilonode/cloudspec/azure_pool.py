"""What a pool of machines needs to be told on Azure: its size, how far it may grow, and how its scale sets are made."""

from math import ceil
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from kilonode.cloudspec.azure_image import GivenImageSpec
from kilonode.cloudspec.azure_sizes import SIZES, NodeSize, Size
from kilonode.cloudspec.locations import Zone
from kilonode.explain import Allowed
from kilonode.limits import AZURE_PLACEMENT_GROUP, AZURE_PLACEMENT_GROUP_RAISED, NODES, Limit
from kilonode.refusal import refuse
from kilonode.spec import Spec
from kilonode.tuning import Row

OS_DISK_MIN = 30
"""GiB; the image is built on a disk of this size, and no machine has a smaller one than its image."""

OS_DISK_MAX = 1024
"""GiB; what is larger belongs on the local disks, where containers are."""


def _no_number(value: object) -> object:
    """1 is no true: pydantic compares choices by their value."""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


Choice = Annotated[Literal["auto", True, False], BeforeValidator(_no_number), Allowed("auto, true or false")]

BATCH = Row(
    "maxBatchInstancePercent", 5,
    "machines of a set that are made anew at once: jobs lose few of their machines, and 1,000 take twenty batches",
    "Azure default 20; the cluster autoscaler of the 2018 post once removed far too many machines at a time",
)  # fmt: skip
EPHEMERAL_RESERVE = Row(
    "trusted launch", 1, "GiB of the local disk that trusted launch takes for itself beside an ephemeral OS disk",
    "https://learn.microsoft.com/azure/virtual-machines/ephemeral-os-disks",
)  # fmt: skip
CONTAINERS = Row(
    "containers", 100, "GiB that must stay for images and containers where they share a disk with the operating system",
    "2018 post: one image of a job was 17 GB; five of them, unpacked, and the kubelet's thresholds",
)  # fmt: skip
ACCELERATOR_LABEL = {"kubernetes.azure.com/accelerator": "nvidia"}
"""By this label the cluster autoscaler knows nodes whose GPUs are still to come (its README for Azure)."""


class AzurePoolSpec(Spec):
    """A pool's machines on Azure."""

    size: NodeSize
    """The machines' size; it must have a local disk, where images and containers go."""

    max: Annotated[int, Field(ge=1, le=NODES.value)] | None = None
    """The most nodes the autoscaler may make; the pool's nodes where it is left out."""

    min: Annotated[int, Field(ge=0, le=NODES.value)] | None = None
    """The fewest nodes the autoscaler may leave; half of the pool's nodes where it is left out, as one once removed all."""

    zones: Annotated[tuple[Zone, ...], Field(strict=False)] | None = None
    """The zones it may use, of the region's own; GPU sizes are often in one only."""

    placement_group: Choice = "auto"
    """Whether a scale set is one placement group: auto means for InfiniBand, which reaches no further than one; decided for good when the pool is made."""

    ephemeral_os_disk: Choice = "auto"
    """Whether the operating system's disk is on the host, which starts faster and costs nothing: auto means where it fits."""

    os_disk_gib: Annotated[int, Field(ge=OS_DISK_MIN, le=OS_DISK_MAX)] = 64
    """The operating system's disk; preloaded images are on it too."""

    image: GivenImageSpec | None = None
    """What its machines boot in place of cloud.image, so that a new image reaches one pool at a time."""

    surge: bool = False
    """Whether an upgrade makes new machines before it ends old ones; they need free quota and addresses."""

    spot: bool = False
    """Whether the machines may be taken away at any time; not yet."""

    @model_validator(mode="after")
    def _whole(self) -> "AzurePoolSpec":
        if self.spot:
            raise refuse(
                field="spot",
                given="true",
                allowed="false, or nothing",
                why="machines would be taken away with half a minute's notice, and nothing here drains them yet",
                fix="remove spot",
            )
        if self.type.infiniband and self.placement_group is False:
            raise refuse(
                field="placementGroup",
                given="false",
                allowed=f"auto or true with {self.size}",
                why="InfiniBand reaches no further than one placement group, and such a set has several",
                fix="leave placementGroup out",
            )
        if self.zones is not None and (not self.zones or len(set(self.zones)) < len(self.zones)):
            raise refuse(
                field="zones",
                given=list(self.zones),
                allowed="one to three different zones",
                why="machines are spread over them",
                fix="name each zone once, or leave zones out",
            )
        if self.ephemeral_os_disk is True and not self.ephemeral_fits:
            raise refuse(
                field="ephemeralOsDisk",
                given="true",
                allowed=f"auto or false with {self.size} and an OS disk of {self.os_disk_gib} GiB",
                why=self._misfit(),
                fix="leave it out, use a smaller osDiskGib, or a size with more local disks",
            )
        return self

    @property
    def type(self) -> Size:
        """The row of its size."""
        return SIZES[self.size]

    @property
    def single_placement_group(self) -> bool:
        """Whether each scale set is one placement group; it does not depend on how many nodes there are, as it cannot be taken back."""
        return self.type.infiniband if self.placement_group == "auto" else self.placement_group

    @property
    def placement_group_limit(self) -> Limit:
        """The most machines of one placement group."""
        raised = self.type.infiniband and self.placement_group is True
        return AZURE_PLACEMENT_GROUP_RAISED if raised else AZURE_PLACEMENT_GROUP

    @property
    def ephemeral(self) -> bool:
        """Whether the operating system's disk is on the host."""
        return self.ephemeral_fits if self.ephemeral_os_disk == "auto" else self.ephemeral_os_disk

    @property
    def ephemeral_fits(self) -> bool:
        """Whether an ephemeral OS disk leaves room for containers."""
        size, need = self.type, self.os_disk_gib + int(EPHEMERAL_RESERVE.value)
        if not size.ephemeral_os or size.disks is None:
            return False
        match size.disks.kind:
            case "nvme-direct":
                return need <= size.temp_gib
            case "scsi-temp":
                return need + int(CONTAINERS.value) <= size.temp_gib
            case "nvme-temp-v6":
                # It takes whole disks, and gives nothing of them back.
                return ceil(need / size.disks.gib) < size.disks.count

    @property
    def labels(self) -> dict[str, str]:
        """Labels its nodes register with because of where they run."""
        return dict(ACCELERATOR_LABEL) if self.type.gpus else {}

    def set_sizes(self, most: int, limit: Limit) -> tuple[int, ...]:
        """The most machines of each scale set of a pool of ``most``; ``limit`` is that of its image.

        Sets are filled in order: when the pool grows, only the last set grows, and new ones come behind it.
        """
        size = self.placement_group_limit.value if self.single_placement_group else limit.value
        return tuple(min(size, most - first) for first in range(0, most, size))

    def fewest(self, nodes: int) -> int:
        """The fewest nodes the autoscaler may leave of a pool that begins with ``nodes``."""
        return nodes // 2 if self.min is None else self.min

    def surge_nodes(self, most: int, limit: Limit) -> int:
        """Nodes above ``most`` while all sets are upgraded at once."""
        sizes = self.set_sizes(most, limit) if self.surge else ()
        return sum(ceil(size * int(BATCH.value) / 100) for size in sizes)

    def _misfit(self) -> str:
        size = self.type
        if not size.ephemeral_os or size.disks is None:
            return f"{self.size} cannot have one"
        if size.disks.kind == "nvme-temp-v6":
            return f"it takes whole NVMe disks, and of {size.disks.count} × {size.disks.gib} GiB one must stay for containers"
        return f"its {size.temp_gib} GiB must hold the OS disk, {EPHEMERAL_RESERVE.value} GiB and what containers share with it"
