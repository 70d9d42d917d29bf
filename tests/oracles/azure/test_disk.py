"""The disk program on real block devices, with the image's own mkfs, blkid and mount; only /sys is made up.

Loop devices stand for local disks: a container has none of its own, and the kernel of a test no NVMe.
"""

import hashlib
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kilonode.boot.machine import File
from kilonode.clouds.local.host.images import BuiltImage
from tests.oracles.azure import signatures
from tests.oracles.azure.signatures import made_by
from tests.oracles.azure.sysfs import Sysfs
from tests.oracles.machine import Machine

pytestmark = [pytest.mark.tools, pytest.mark.region]

MODEL = "Microsoft NVMe Direct Disk v2"
MOUNT = "/var/lib/etcd"
WAITS = 3
RUNNER = """\
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
sys.path.insert(0, "/usr/lib/kilonode")
from azure_machine import disks
disks.SYS = Path(sys.argv[1])
program = SourceFileLoader("machine_disk", "/usr/lib/kilonode/machine-disk").load_module()
try:
    program.have_mounted("nvme-temp-v6", sys.argv[2])
except program.NotYetError as reason:
    print(reason)
    sys.exit(3)
"""


class Disk:
    """A file that is a block device."""

    def __init__(self, file: Path, size: int) -> None:
        self.file, self.size = file, size
        self.renew()
        self.device = subprocess.run(
            ["losetup", "--find", "--show", file], capture_output=True, text=True, check=True
        ).stdout.strip()
        self.name = Path(self.device).name
        self.number = Path(f"/sys/block/{self.name}/dev").read_text().strip()

    def renew(self) -> None:
        """Make it as it is after a deallocation: raw."""
        self.file.write_bytes(b"")
        with self.file.open("wb") as out:
            out.truncate(self.size * 2**20)

    def digest(self) -> str:
        subprocess.run(["sync"], check=True)
        return hashlib.sha256(self.file.read_bytes()).hexdigest()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator["type[Disk]"]:
    """Make disks; all are let go at the end."""
    made: list[Disk] = []

    def make(size: int = 64) -> Disk:
        made.append(Disk(tmp_path / f"disk-{len(made)}", size))
        return made[-1]

    yield make  # type: ignore[misc]
    for each in made:
        subprocess.run(["losetup", "--detach", each.device], check=True)


@contextmanager
def booted(image: BuiltImage, folder: Path, *disks: Disk) -> Iterator[Machine]:
    """A machine that has just these disks."""
    root = folder / f"sys-{len(list(folder.iterdir()))}"
    sysfs = Sysfs(root)
    for each in disks:
        sysfs.nvme(each.name, MODEL, each.size, each.number)
    with Machine(image, "disks", binds={str(root): root}) as machine:
        machine.write([File("/root/run.py", RUNNER)])
        machine.run(["sh", "-c", f"echo {root} >/root/sys"])
        yield machine


def run(machine: Machine) -> tuple[int, str]:
    """Exit code and words of the program; 3 is a reason to wait."""
    done = machine.run(["python3", "-W", "ignore", "/root/run.py", machine.read("/root/sys").strip(), MOUNT])
    return done.returncode, done.stdout + done.stderr


def test_a_raw_disk_becomes_the_mount_and_stays_it_when_asked_again_and_after_a_reboot(
    azure_image: BuiltImage, disk: "type[Disk]", tmp_path: Path
) -> None:
    one = disk()
    with booted(azure_image, tmp_path, one) as machine:
        code, said = run(machine)
        assert (code, "raw, making a file system" in said) == (0, True), said
        assert machine.run(["mountpoint", MOUNT]).returncode == 0
        assert machine.run(["findmnt", "-no", "SOURCE,FSTYPE", MOUNT]).stdout.split() == [one.device, "ext4"]
        machine.run(["sh", "-c", f"echo data >{MOUNT}/file; sync"], check=True)
        assert run(machine) == (0, f"{MOUNT}: mounted already\n")
        machine.run(["umount", MOUNT], check=True)
    with booted(azure_image, tmp_path, one) as machine:
        code, said = run(machine)
        assert (code, "raw" in said) == (0, False), said
        assert machine.read(f"{MOUNT}/file") == "data\n"
        machine.run(["umount", MOUNT], check=True)
    one.renew()
    with booted(azure_image, tmp_path, one) as machine:
        code, said = run(machine)
        assert (code, "raw, making a file system" in said) == (0, True), said
        assert machine.run(["ls", "-A", MOUNT]).stdout.split() == ["lost+found"]
        machine.run(["umount", MOUNT], check=True)


FOREIGN = {
    "another file system": made_by("mkfs.ext4", "-q", "-L", "data"),
    "a file system without a label": made_by("mkfs.ext4", "-q"),
    "swap": made_by("mkswap"),
    "our label on another kind": made_by("mkswap", "-L", "kilonode-local"),
    "a DOS partition table": signatures.mbr,
    "an empty GUID partition table": signatures.gpt,
    "a physical volume": signatures.lvm,
    "an encrypted volume": signatures.luks,
}


@pytest.mark.parametrize("what", FOREIGN)
def test_a_disk_with_anything_else_on_it_is_left_as_it_is(
    what: str, azure_image: BuiltImage, disk: "type[Disk]", tmp_path: Path
) -> None:
    one = disk()
    FOREIGN[what](Path(one.device))
    before = one.digest()
    with booted(azure_image, tmp_path, one) as machine:
        code, said = run(machine)
        assert (code, "none that is raw" in said) == (WAITS, True), said
        assert machine.run(["mountpoint", "--quiet", MOUNT]).returncode
    assert one.digest() == before


def test_of_several_raw_disks_the_biggest_is_used_and_the_others_are_left_alone(
    azure_image: BuiltImage, disk: "type[Disk]", tmp_path: Path
) -> None:
    small, big, other = disk(64), disk(96), disk(64)
    before = [small.digest(), other.digest()]
    with booted(azure_image, tmp_path, small, big, other) as machine:
        assert run(machine)[0] == 0
        assert machine.run(["findmnt", "-no", "SOURCE", MOUNT]).stdout.strip() == big.device
        machine.run(["umount", MOUNT], check=True)
    assert [small.digest(), other.digest()] == before
    with booted(azure_image, tmp_path, other, big, small) as machine:
        assert "raw" not in run(machine)[1]
        assert machine.run(["findmnt", "-no", "SOURCE", MOUNT]).stdout.strip() == big.device
        machine.run(["umount", MOUNT], check=True)


def test_two_disks_that_both_say_they_are_ours_are_neither_mounted_nor_formatted(
    azure_image: BuiltImage, disk: "type[Disk]", tmp_path: Path
) -> None:
    disks = [disk(), disk()]
    for each in disks:
        subprocess.run(["mkfs.ext4", "-q", "-L", "kilonode-local", each.device], check=True)
    before = [each.digest() for each in disks]
    with booted(azure_image, tmp_path, *disks) as machine:
        code, said = run(machine)
        assert (code, "all say they are this machine's disk" in said) == (WAITS, True), said
    assert [each.digest() for each in disks] == before


def test_a_mount_of_something_else_is_not_taken_for_the_disk(
    azure_image: BuiltImage, disk: "type[Disk]", tmp_path: Path
) -> None:
    one = disk()
    before = one.digest()
    with booted(azure_image, tmp_path, one) as machine:
        machine.run(["sh", "-c", f"mkdir -p {MOUNT} && mount -t tmpfs none {MOUNT}"], check=True)
        code, said = run(machine)
        assert (code, "is a mount of something else" in said) == (WAITS, True), said
    assert one.digest() == before


def test_a_disk_that_cannot_be_read_is_not_taken_for_a_raw_one(
    azure_image: BuiltImage, disk: "type[Disk]", tmp_path: Path
) -> None:
    """blkid finds nothing on such a disk and says so with the same code as on a raw one."""
    one = disk()
    with one.file.open("wb") as out:
        out.truncate(0)
    with booted(azure_image, tmp_path, one) as machine:
        code, said = run(machine)
        assert code not in (0, WAITS)
        assert "Input/output error" in said
        assert "making" not in said


def test_a_machine_without_such_a_disk_waits_for_it(azure_image: BuiltImage, tmp_path: Path) -> None:
    with booted(azure_image, tmp_path) as machine:
        code, said = run(machine)
        assert (code, said.startswith("nvme-temp-v6: no disk")) == (WAITS, True), said
