"""Disks that come with a machine: made from its image, and left behind unless the machine says to delete them.

Source: the model's own text on OSDisk.deleteOption and DataDisk.deleteOption (the default is Detach: the disk stays after
the machine is deleted); an ephemeral disk (diffDiskSettings) is none of its own.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from . import ids, paths, server
from .refusal import ArmError
from .store import Store, Stored

ATTACHED: Final = "Attach"


def attach(store: Store, machine: Stored) -> None:
    """Make the disks of a new machine; a disk of that name that is there already stands in the way."""
    for name, given in _disks(machine):
        identifier = f"{ids.parent(machine.id)}/providers/Microsoft.Compute/disks/{name}"
        if store.get(identifier):
            raise ArmError(409, "Conflict", f"Disk '{name}' already exists, and cannot be made for '{machine.name}'.")
        body = {
            "resourceGroupName": machine.body["resourceGroupName"],
            "diskName": name,
            "location": machine.body.get("location"),
            "creationData": {"createOption": given.get("createOption")},
        }
        made = Stored(identifier, "compute:Disk", body, origin="machine")
        server.at_creation(store, made)
        store.put(made)


def detach(store: Store, machine: Stored) -> None:
    """Delete the disks of a machine that say so; the others stay."""
    for name, given in _disks(machine):
        identifier = f"{ids.parent(machine.id)}/providers/Microsoft.Compute/disks/{name}"
        if given.get("deleteOption") == "Delete" and store.get(identifier):
            store.remove(identifier)


def _disks(machine: Stored) -> Iterator[tuple[str, Mapping[str, Any]]]:
    system = paths.one(machine.body, "storageProfile.osDisk")
    listed = [("OsDisk", system)] if isinstance(system, Mapping) else []
    listed += [
        (f"disk{each.get('lun')}", each) for each in paths.objects(paths.one(machine.body, "storageProfile.dataDisks"))
    ]
    for suffix, each in listed:
        if each.get("createOption") != ATTACHED and "diffDiskSettings" not in each:
            yield str(each.get("name") or f"{machine.name}_{suffix}_{machine.server['guid'].replace('-', '')}"), each
