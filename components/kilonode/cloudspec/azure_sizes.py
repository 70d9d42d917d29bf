"""The Azure machine sizes this library knows, as rows; a size it does not know has no disk it could find safely."""

import difflib
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import AfterValidator

from kilonode.explain import Allowed
from kilonode.limits import AZURE_NIC_ADDRESSES
from kilonode.refusal import refuse

DiskKind = Literal["nvme-direct", "nvme-temp-v6", "scsi-temp"]
"""How a size's local disks appear in the machine: each kind is found another way (clouds/azure/rootfs, azure_machine/disks.py)."""

NEAR = 0.85
"""How alike two names must be for one to be offered: all sizes are spelt much alike."""

_SIZES = "https://learn.microsoft.com/azure/virtual-machines/sizes/"


@dataclass(frozen=True)
class LocalDisks:
    """Disks inside the host; whatever is on them is gone when the machine is stopped, moved or made anew."""

    kind: DiskKind
    count: int
    gib: int
    """Of each."""


@dataclass(frozen=True)
class Size:
    """One machine size; all of them are x86-64, boot as generation 2 and have accelerated networking."""

    name: str
    vcpus: int
    memory_gib: int
    source: str
    disks: LocalDisks | None = None
    """Where data and containers go; None: the size has no local disk."""

    temp_gib: int = 0
    """The SCSI resource disk: some sizes have it beside NVMe disks."""

    ephemeral_os: bool = False
    """Whether the platform can keep the operating system's disk on the host."""

    gpus: int = 0
    infiniband: bool = False
    accelerated_networking: bool = True
    addresses: int = AZURE_NIC_ADDRESSES.value
    """Private addresses of one network interface, its own among them."""

    @property
    def has_nvme(self) -> bool:
        """Whether there is a local disk fast enough for etcd."""
        return self.disks is not None and self.disks.kind != "scsi-temp"


def _l_v3(letters: str) -> tuple[Size, ...]:
    """One NVMe disk of 1.92 TB for every eight vCPUs, and a small SCSI disk."""
    return tuple(
        Size(
            f"Standard_L{vcpus}{letters}_v3", vcpus, 8 * vcpus, f"{_SIZES}storage-optimized/l{letters}v3-series",
            LocalDisks("nvme-direct", vcpus // 8, 1788), 10 * vcpus, ephemeral_os=True,
        )
        for vcpus in (8, 16, 32, 48, 64, 80)
    )  # fmt: skip


def _l_v4() -> tuple[Size, ...]:
    """NVMe disks of the second kind, and no SCSI disk."""
    return tuple(
        Size(
            f"Standard_L{vcpus}s_v4", vcpus, 8 * vcpus, f"{_SIZES}storage-optimized/lsv4-series",
            LocalDisks("nvme-temp-v6", count, gib), ephemeral_os=True,
        )
        for vcpus, count, gib in ((4, 2, 447), (8, 4, 447), (16, 4, 894), (32, 8, 894))
    )  # fmt: skip


def _without_disk(letter: str, per_vcpu: int, version: int, folder: str) -> tuple[Size, ...]:
    return tuple(
        Size(
            f"Standard_{letter}{vcpus}s_v{version}", vcpus, per_vcpu * vcpus,
            f"{_SIZES}{folder}/{letter.lower()}sv{version}-series",
        )
        for vcpus in (8, 16, 32, 48, 64)
    )  # fmt: skip


def _with_scsi_disk(letter: str, per_vcpu: int, folder: str) -> tuple[Size, ...]:
    """Version 5 with a resource disk."""
    return tuple(
        Size(
            f"Standard_{letter}{vcpus}ds_v5", vcpus, per_vcpu * vcpus, f"{_SIZES}{folder}/{letter.lower()}dsv5-series",
            LocalDisks("scsi-temp", 1, gib), gib, ephemeral_os=True,
        )
        for vcpus, gib in ((8, 300), (16, 600), (32, 1200), (48, 1800), (64, 2400), (96, 3600))
        if (letter, vcpus) != ("E", 96)  # which breaks the family's rule of 8 GiB per vCPU
    )  # fmt: skip


def _with_nvme_disk(letter: str, per_vcpu: int, folder: str) -> tuple[Size, ...]:
    """Version 6 with NVMe disks in place of the resource disk."""
    return tuple(
        Size(
            f"Standard_{letter}{vcpus}ds_v6", vcpus, per_vcpu * vcpus, f"{_SIZES}{folder}/{letter.lower()}dsv6-series",
            LocalDisks("nvme-temp-v6", count, gib), ephemeral_os=letter == "D",  # the page of Edsv6 says: not supported
        )
        for vcpus, count, gib in ((8, 1, 440), (16, 2, 440), (32, 4, 440), (48, 6, 440), (64, 4, 880), (96, 6, 880))
    )  # fmt: skip


def _infiniband() -> tuple[Size, ...]:
    """For jobs over many machines; InfiniBand reaches within one scale set only."""
    gpu = f"{_SIZES}gpu-accelerated/"
    return (
        Size("Standard_ND96isr_H100_v5", 96, 1900, f"{gpu}ndh100v5-series", LocalDisks("nvme-direct", 8, 3584), 1024,
             ephemeral_os=True, gpus=8, infiniband=True),
        Size("Standard_ND96isr_H200_v5", 96, 1850, f"{gpu}nd-h200-v5-series", LocalDisks("nvme-direct", 8, 3584), 1024,
             ephemeral_os=True, gpus=8, infiniband=True),
        Size("Standard_HB176rs_v4", 176, 768, f"{_SIZES}high-performance-compute/hbv4-series", LocalDisks("nvme-direct", 2, 1800), 480,
             ephemeral_os=True, infiniband=True),
    )  # fmt: skip


_GENERAL, _MEMORY = "general-purpose", "memory-optimized"
SIZES = {
    size.name: size
    for size in (
        *_l_v3("s"),
        *_l_v3("as"),
        *_l_v4(),
        *_without_disk("D", 4, 5, _GENERAL),
        *_without_disk("E", 8, 5, _MEMORY),
        *_without_disk("E", 8, 6, _MEMORY),
        *_with_scsi_disk("D", 4, _GENERAL),
        *_with_scsi_disk("E", 8, _MEMORY),
        *_with_nvme_disk("D", 4, _GENERAL),
        *_with_nvme_disk("E", 8, _MEMORY),
        *_infiniband(),
    )
}


def _known(value: str) -> str:
    if value in SIZES:
        return value
    near = difflib.get_close_matches(value, SIZES, n=1, cutoff=NEAR)
    raise refuse(
        allowed=_ALLOWED,
        why="which disks it has, how they are found and what fits on them is known of these only",
        fix=f"did you mean {near[0]!r}?"
        if near
        else "use a size of kilonode/cloudspec/azure_sizes.py, or add its row there",
    )


def for_etcd(value: str) -> str:
    """The size, where its disks are fast enough for etcd; the rule ``etcd-local-disk`` asks here too."""
    if SIZES[value].has_nvme:
        return value
    raise refuse(
        allowed="a size with local NVMe disks, such as Standard_L8s_v3",
        why=f"{value} has {_lack(SIZES[value])}: on network disks etcd's writes took over 100 ms, on local ones 200 µs (2018 post)",
        fix="use a size of the L family, or leave it out",
        rule="etcd-local-disk",
    )


def _for_nodes(value: str) -> str:
    if SIZES[value].disks:
        return value
    raise refuse(
        allowed="a size with a local disk, such as Standard_D16ds_v5",
        why=f"{value} has no local disk, and images and containers on a network disk slow every start (2018 post)",
        fix=f"use {_with_disk(value)}",
    )


def _lack(size: Size) -> str:
    return "no local disk" if size.disks is None else "only a SCSI temporary disk"


def _with_disk(value: str) -> str:
    """The same size of the family that has a disk: Azure marks it with a d."""
    other = value.replace("s_v", "ds_v")
    return other if other in SIZES else "Standard_D16ds_v5"


_ALLOWED = f"one of the {len(SIZES)} sizes this library knows, such as Standard_L8s_v3 or Standard_ND96isr_H100_v5"

AzureSize = Annotated[str, AfterValidator(_known), Allowed(_ALLOWED)]
EtcdSize = Annotated[AzureSize, AfterValidator(for_etcd)]
NodeSize = Annotated[AzureSize, AfterValidator(_for_nodes)]
