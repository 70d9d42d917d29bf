"""What leaves a node that runs full: unused images first, then pods."""

from typing import Annotated

from pydantic import Field, model_validator

from kilonode.refusal import refuse
from kilonode.spec import Spec
from kilonode.tuning import Row

PERCENT = 100
_STATED = "kubelet default, stated: a signal that is not named counts as 0 as soon as another one is"

IMAGEFS_AVAILABLE = 15

MEMORY = Row(
    "memory.available",
    "500Mi",
    "kubelet looks every ten seconds; a job takes the last 100Mi (the default) faster, and the kernel then chooses what dies",
    "kilonode; kubelet default 100Mi",
)
DISK = (
    Row("nodefs.available", "10%", "room for logs and writable volumes", _STATED),
    Row("nodefs.inodesFree", "5%", "a disk is also full without a free inode", _STATED),
    Row("imagefs.available", f"{IMAGEFS_AVAILABLE}%", "room for the next image and for what containers write", _STATED),
    Row("imagefs.inodesFree", "5%", "images of many small files run out of inodes first", _STATED),
)
IMAGE_MINIMUM_AGE = Row(
    "imageMinimumGCAge",
    "2m0s",
    "an image just pulled for a pod that has not started yet counts as unused",
    "kubelet default, stated",
)


class ImageGcSpec(Spec):
    """When unused images are removed, in percent of the disk that holds them."""

    high_percent: Annotated[int, Field(ge=1, le=PERCENT)] = PERCENT - IMAGEFS_AVAILABLE
    """Removal starts above it: 85 is kubelet's default, and the most that comes before pods are evicted."""

    low_percent: Annotated[int, Field(ge=0, le=PERCENT - 1)] = 80
    """Removal ends below it; 80 is kubelet's default."""

    @model_validator(mode="after")
    def _before_eviction(self) -> "ImageGcSpec":
        if self.low_percent >= self.high_percent:
            raise refuse(
                field="lowPercent",
                given=self.low_percent,
                allowed=f"less than highPercent ({self.high_percent})",
                why="kubelet does not start when removal would end where it begins",
                fix="use 80 and 85",
            )
        most = PERCENT - IMAGEFS_AVAILABLE
        if self.high_percent > most:
            raise refuse(
                field="highPercent",
                given=self.high_percent,
                allowed=f"at most {most}",
                why=f"pods are evicted when less than {IMAGEFS_AVAILABLE} % of the disk is free, so they would go before "
                f"unused images do; {PERCENT} even turns the removal of images off",
                fix=f"use {most} or less",
            )
        return self
