"""What an Azure machine has that a local one has not: files of its image, and rows of its boot data.

``rootfs`` is the counterpart of the local cloud's: the only place where machines differ.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from kilonode.boot.machine import BootData, File
from kilonode.boot.templates import UNIT_FOLDER, files_below, filled, mode_of
from kilonode.clouds.azure import cni, health
from kilonode.cloudspec.azure_sizes import DiskKind
from kilonode.etcd.config import MOUNT as ETCD
from kilonode.nodes.containerd import MOUNT as CONTAINERD
from kilonode.tuning import Row

PACKAGES = ("chrony", "cloud-guest-utils", "openssh-server", "sudo", "waagent")
"""Debian packages beside :data:`kilonode.boot.image.PACKAGES`: the clock follows the host's, the disk grows to its size, the
operator comes in, and the platform's agent runs the extensions, of which a scale set's health is one."""

FACTS = "/etc/kilonode/azure.json"
_COMPUTE = "ds.meta_data.imds.compute"
POOL = {
    "zone": [f"{_COMPUTE}.location", f"{_COMPUTE}.zone"],
    "provider_id": {"prefix": "azure://", "path": f"{_COMPUTE}.resourceId"},
}
"""What a node works out of itself: no planned addresses; its zone as the cluster autoscaler's own label has it,
``southcentralus-1``; and the id by which the autoscaler finds its instance: without one every machine is an
unregistered node, which it ends (kubernetes/autoscaler#3392). What cloud-init calls the availability zone is the fault
domain on Azure (its DataSourceAzure)."""

SECRETS_EVERY = Row(
    "secrets.every",
    "hourly",
    "a renewed certificate is on the machine within two hours, with the spread, months before the old one ends",
    "Azure Key Vault service limits: 4,000 reads of a vault in ten seconds; 7,500 machines make two a second",
)
SECRETS_SPREAD = Row("secrets.spread", "1h", "machines that booted together do not ask together", "systemd.timer(5)")
SNAPSHOT_EVERY = Row(
    "snapshot.every",
    "*:00/30",
    "a restore loses at most half an hour; a snapshot of 8 GiB takes minutes",
    "etcd docs, disaster recovery",
)

_VALUES: dict[str, dict[str, object]] = {
    f"{UNIT_FOLDER}kilonode-secrets.timer": {"every": SECRETS_EVERY.value, "spread": SECRETS_SPREAD.value},
    f"{UNIT_FOLDER}kilonode-snapshot.timer": {"every": SNAPSHOT_EVERY.value},
    f"{UNIT_FOLDER}kilonode-pod-egress.service": {"rules": cni.EGRESS},
    f"{UNIT_FOLDER}kilonode-health.service": {"port": health.PORT},
    f"{UNIT_FOLDER}etcd.service.d/azure.conf": {"mount": ETCD},
    f"{UNIT_FOLDER}containerd.service.d/azure.conf": {"mount": CONTAINERD},
}

ALWAYS = ("kilonode-secrets.service", "kilonode-secrets.timer")
DISK = "kilonode-disk.service"
MARKS = "kilonode-marks.service"
SNAPSHOTS = "kilonode-snapshot.timer"
EGRESS = "kilonode-pod-egress.service"
HEALTH = "kilonode-health.service"


@dataclass(frozen=True)
class AzureFacts:
    """Where a machine finds what is its own; URLs without a slash at the end. No secret is in here."""

    vault: str
    """``https://<vault>.vault.azure.net``."""

    secret: str
    """The name of the machine's own secret, or of its pool's."""

    identity: str
    """The id of the machine's own identity below its subscription; a policy may give a machine others beside it."""

    disk: tuple[DiskKind, str] | None = None
    """What kind of local disk the size has, by which it is found, and where it is mounted."""

    marks: str = ""
    """URL of the container with the marks of the machine's etcd cluster."""

    snapshots: str = ""
    """URL of the container that takes its snapshots."""

    @property
    def file(self) -> File:
        """The facts as the machine reads them."""
        rows = {"vault": self.vault, "secret": self.secret, "identity": self.identity}
        rows |= {"marks": self.marks, "snapshots": self.snapshots}
        document: dict[str, object] = {key: value for key, value in rows.items() if value}
        if self.disk:
            document["disk"] = dict(zip(("selector", "mount"), self.disk, strict=True))
        return File(FACTS, json.dumps(document, indent=1) + "\n")

    @property
    def units(self) -> tuple[str, ...]:
        """What the machine starts for them."""
        wanted = ((self.disk, DISK), (self.marks, MARKS), (self.snapshots, SNAPSHOTS))
        return (*ALWAYS, *(unit for fact, unit in wanted if fact))


def on_azure(boot: BootData, facts: AzureFacts, *more: File, units: Iterable[str] = ()) -> BootData:
    """The boot data of a machine on Azure: that of any cloud, its facts, and ``more`` files and units of its role."""
    return replace(boot, files=(*boot.files, facts.file, *more), units=(*facts.units, *units, *boot.units))


@cache
def image_files() -> tuple[File, ...]:
    """What the image holds beside :func:`kilonode.boot.image.machine_image`; later files win.

    Raises:
        ValueError: when a template's variables and its values are not the same names.
    """
    tree = files_below(files("kilonode.clouds.azure") / "rootfs")
    unknown = _VALUES.keys() - tree.keys()
    if unknown:
        raise ValueError(f"values for files that are not there: {', '.join(sorted(unknown))}")
    return tuple(File(path, _rendered(path, text), mode_of(path)) for path, text in tree.items())


def _rendered(path: str, text: str) -> str:
    """Render what is a template, or should be one; every other file stands as it is."""
    return filled(path, text, _VALUES.get(path, {})) if "{{" in text or path in _VALUES else text
