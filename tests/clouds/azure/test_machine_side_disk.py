"""Which disk of a VM is its local one: by what it is, as sysfs shows it, whatever its name and place."""

from pathlib import Path
from typing import Any, get_args

import pytest

from kilonode.cloudspec.azure_sizes import DiskKind
from tests.oracles.azure.programs import FOLDER, loaded
from tests.oracles.azure.sysfs import Sysfs

from azure_machine import disks  # isort: skip

program = loaded("machine-disk")

REMOTE = "MSFT NVMe Accelerator v1.0"
DIRECT, DIRECT_2 = "Microsoft NVMe Direct Disk", "Microsoft NVMe Direct Disk v2"
SYSTEM_CHANNEL = "{f8b3781a-1e82-4818-a1c3-63d806ec15bb}"
DATA_CHANNEL = "{f8b3781b-1e82-4818-a1c3-63d806ec15bb}"


@pytest.fixture
def sysfs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sysfs:
    monkeypatch.setattr(disks, "SYS", tmp_path / "sys")
    return Sysfs(tmp_path / "sys")


def l8s_v3(sysfs: Sysfs) -> None:
    """A mixed size: system and temporary disk on SCSI, and the local disk on NVMe."""
    sysfs.scsi("sda", SYSTEM_CHANNEL, 1, 80, partitions=1)
    sysfs.scsi("sdb", SYSTEM_CHANNEL, 0, 30, partitions=3)
    sysfs.nvme("nvme0n1", DIRECT, 1788)


def d2ds_v5(sysfs: Sysfs) -> None:
    sysfs.scsi("sda", SYSTEM_CHANNEL, 0, 30, partitions=3)
    sysfs.scsi("sdc", SYSTEM_CHANNEL, 1, 75, partitions=1)
    sysfs.scsi("sdb", DATA_CHANNEL, 1, 500)


def generation_1(sysfs: Sysfs) -> None:
    sysfs.scsi("sda", "{00000000-0000-8899-0000-000000000000}", 0, 30, partitions=1)
    sysfs.scsi("sdb", "{00000000-0001-8899-0000-000000000000}", 0, 75, partitions=1)
    sysfs.scsi("sdc", DATA_CHANNEL, 0, 500)


def d16ds_v6(sysfs: Sysfs) -> None:
    sysfs.nvme("nvme0n1", REMOTE, 30)
    sysfs.nvme("nvme0n2", REMOTE, 4000)
    sysfs.nvme("nvme2n1", DIRECT_2, 440)
    sysfs.nvme("nvme1n1", DIRECT_2, 440)


@pytest.mark.parametrize(
    ("size", "selector", "found"),
    [
        (l8s_v3, "nvme-direct", ["nvme0n1"]),
        (l8s_v3, "nvme-temp-v6", []),
        (l8s_v3, "scsi-temp", ["sda"]),
        (d2ds_v5, "scsi-temp", ["sdc"]),
        (d2ds_v5, "nvme-direct", []),
        (generation_1, "scsi-temp", ["sdb"]),
        (d16ds_v6, "nvme-temp-v6", ["nvme1n1", "nvme2n1"]),
        (d16ds_v6, "nvme-direct", ["nvme1n1", "nvme2n1"]),
        (d16ds_v6, "scsi-temp", []),
    ],
)
def test_each_kind_of_size_has_its_own_way_and_finds_its_local_disks_only(
    size: Any, selector: str, found: list[str], sysfs: Sysfs
) -> None:
    """Case E10."""
    size(sysfs)
    assert [disk.name for disk in disks.local_disks(selector)] == found


def test_the_biggest_comes_first(sysfs: Sysfs) -> None:
    sysfs.nvme("nvme0n1", DIRECT, 100)
    sysfs.nvme("nvme1n1", DIRECT, 300)
    sysfs.nvme("nvme2n1", DIRECT, 200)
    assert [disk.size // 2**30 for disk in disks.local_disks("nvme-direct")] == [300, 200, 100]


def test_the_kinds_of_disks_are_those_that_sizes_have() -> None:
    assert set(disks.SELECTORS) == set(get_args(DiskKind))


def test_no_program_knows_a_disk_by_the_kernel_s_name_for_it() -> None:
    for file in (FOLDER / "machine-disk", FOLDER / "azure_machine/disks.py"):
        assert not [word for word in ("/dev/sd", "sda", "sdb", "nvme0", "nvme1") if word in file.read_text()], file


AS_DELIVERED = {"TYPE": "ntfs", "LABEL": "Temporary Storage"}


@pytest.mark.parametrize(
    ("partition", "files", "driver", "raw"),
    [
        (AS_DELIVERED, ["DATALOSS_WARNING_README.txt", "System Volume Information"], True, True),
        (AS_DELIVERED, [], False, True),
        (AS_DELIVERED, ["DATALOSS_WARNING_README.txt", "pagefile.sys"], True, False),
        ({"TYPE": "ntfs", "LABEL": "Data"}, [], True, False),
        ({"TYPE": "ext4", "LABEL": "Temporary Storage"}, [], True, False),
        ({}, [], True, False),
    ],
)
def test_a_temporary_scsi_disk_counts_as_raw_only_as_azure_delivers_it(
    partition: dict[str, str], files: list[str], driver: bool, raw: bool, sysfs: Sysfs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No NTFS can be made or mounted where tests run: what blkid and mount would say is given."""
    d2ds_v5(sysfs)
    seen = {"sdc": {"PTTYPE": "dos"}, "sdc1": partition}
    monkeypatch.setattr(program, "signature", lambda name: seen[name])
    monkeypatch.setattr(program, "mounted", dict)
    monkeypatch.setattr(program, "run", lambda *_: None)

    def run(words: list[str], **_: Any) -> Any:
        for name in files if driver else ():
            (Path(words[-1]) / name).touch()
        return type("Done", (), {"returncode": 0 if driver else 32})

    monkeypatch.setattr(program.subprocess, "run", run)
    (disk,) = disks.local_disks("scsi-temp")
    assert program.is_raw(disk, "scsi-temp") is raw


def test_a_disk_whose_partition_is_mounted_is_in_use(sysfs: Sysfs, monkeypatch: pytest.MonkeyPatch) -> None:
    d2ds_v5(sysfs)
    (disk,) = disks.local_disks("scsi-temp")
    monkeypatch.setattr(program, "mounted", lambda: {"/mnt": next(iter(disk.partitions.values()))})
    assert program.in_use(disk)
