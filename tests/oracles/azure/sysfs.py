"""A /sys of disks, for machines that have none of Azure's."""

from pathlib import Path


class Sysfs:
    """As much of /sys as tells disks apart, laid out as the kernel does."""

    def __init__(self, root: Path) -> None:
        self.root, self.count = root, 0
        (root / "block").mkdir(parents=True)

    def nvme(self, name: str, model: str, size: int = 1, number: str = "") -> None:
        """A disk with a controller of its own; ``size`` in GiB, ``number`` of the device there really is."""
        controller = self.root / "devices/pci" / name / "nvme"
        self._disk(controller / name, size, number=number)
        (controller / "model").write_text(f"{model:<40}\n")
        (controller / name / "device").symlink_to(controller)

    def scsi(self, name: str, channel: str, lun: int, size: int = 1, partitions: int = 0) -> None:
        """A disk on a channel of the VMBus."""
        bus = self.root / "devices/LNXSYSTM:00/VMBUS:00" / f"{channel.strip('{}')}-{name}"
        target = bus / "host0/target0:0:0" / f"0:0:0:{lun}"
        disk = target / "block" / name
        self._disk(disk, size, partitions)
        (bus / "device_id").write_text(f"{channel}\n")
        (target / "model").write_text("Virtual Disk\n")
        (disk / "device").symlink_to(target)

    def _disk(self, disk: Path, size: int, partitions: int = 0, number: str = "") -> None:
        (disk / "holders").mkdir(parents=True)
        self.count += 16
        (disk / "dev").write_text(f"{number or f'8:{self.count}'}\n")
        (disk / "size").write_text(f"{size * 2**21}\n")
        for place in range(1, partitions + 1):
            partition = disk / f"{disk.name}{place}"
            partition.mkdir()
            (partition / "partition").write_text(f"{place}\n")
            (partition / "dev").write_text(f"8:{self.count + place}\n")
        (self.root / "block" / disk.name).symlink_to(disk)
