"""The local disks of an Azure VM, by what they are and never by their place in a list.

Which disk is which is told by Azure's own rules (Azure/azure-vm-utils: udev/80-azure-disk.rules, doc/disk-identification.md):
local NVMe disks by their controller's model, the temporary SCSI disk by its place on the VMBus.
"""

import re
from dataclasses import dataclass
from pathlib import Path

SYS = Path("/sys")
DIRECT, DIRECT_2 = "Microsoft NVMe Direct Disk", "Microsoft NVMe Direct Disk v2"
MODELS = {
    # Sizes made for local NVMe. Remote disks are "MSFT NVMe Accelerator v1.0" and never match.
    "nvme-direct": {DIRECT, DIRECT_2},
    # Sizes of v6 and later whose temporary disk is a raw NVMe disk.
    "nvme-temp-v6": {DIRECT_2},
}
SCSI_TEMPORARY = "scsi-temp"
SELECTORS = (*MODELS, SCSI_TEMPORARY)
GENERATION_1 = re.compile(r"\{00000000-0001-")
GENERATION_2, LUN = "{f8b3781a-1e82-4818-a1c3-63d806ec15bb}", "1"
"""The controller that a generation 2 VM has for the disk of its system, LUN 0, and the temporary one, LUN 1."""

SECTOR = 512  # bytes; what sysfs counts in, whatever the disk's own sectors


@dataclass(frozen=True)
class Disk:
    """A whole disk by the kernel's name for it; ``size`` in bytes."""

    name: str
    size: int
    number: str
    """Major and minor, as in /proc/self/mountinfo."""

    partitions: dict[str, str]
    """The kernel's name of each to its number."""

    held: bool
    """Whether something is built on it, such as an array."""


def local_disks(selector: str) -> list[Disk]:
    """The disks that ``selector`` names, the biggest first."""
    found = [_disk(block) for block in (SYS / "block").iterdir() if _is(block, selector)]
    return sorted(found, key=lambda disk: (-disk.size, disk.name))


def _is(block: Path, selector: str) -> bool:
    if selector == SCSI_TEMPORARY:
        return _is_temporary(block)
    model = block / "device" / "model"
    return model.is_file() and model.read_text().strip() in MODELS[selector]


def _is_temporary(block: Path) -> bool:
    place = block.resolve()
    identity = next((each / "device_id" for each in place.parents if (each / "device_id").is_file()), None)
    if identity is None:
        return False
    channel, lun = identity.read_text().strip(), (block / "device").resolve().name.rpartition(":")[2]
    return bool(GENERATION_1.match(channel)) or (channel == GENERATION_2 and lun == LUN)


def _disk(block: Path) -> Disk:
    partitions = [each for each in sorted(block.iterdir()) if (each / "partition").is_file()]
    return Disk(
        block.name,
        int((block / "size").read_text()) * SECTOR,
        (block / "dev").read_text().strip(),
        {each.name: (each / "dev").read_text().strip() for each in partitions},
        any((block / "holders").iterdir()),
    )
