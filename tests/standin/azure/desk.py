"""What a test does with the cloud: looks at it, orders faults, changes it behind Pulumi's back."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import ids, paths, server, soft_delete
from .cloud import Cloud
from .kinds import kind_of
from .store import Stored


@dataclass(frozen=True)
class Request:
    """One request the cloud saw: create, update, read or delete, and what came of it."""

    verb: str
    token: str
    id: str
    details: dict[str, Any]

    @property
    def name(self) -> str:
        """The resource's own name."""
        return self.id.rpartition("/")[2]

    @property
    def changed(self) -> list[str]:
        """The paths that an update changed."""
        return list(self.details.get("changed", []))


class AzureCloud:
    """The Azure of one test, in a folder that the plugin finds through the environment."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._cloud = Cloud(folder)

    @property
    def environment(self) -> dict[str, str]:
        """What a process needs so that its engine takes this cloud for Azure; PATH gets the launcher in front."""
        return {"KILONODE_STANDIN_AZURE": str(self.folder)}

    @property
    def launchers(self) -> Path:
        """The folder to put on PATH."""
        return Path(__file__).resolve().parents[1] / "launchers"

    def resources(self, token: str) -> dict[str, Stored]:
        """What exists of a type, such as `compute:VirtualMachine`, by name."""
        return {each.name: each for each in self._cloud.store.all(token)}

    def names(self) -> list[str]:
        """Everything that exists, as `type name`."""
        return sorted(f"{each.token} {each.name}" for each in self._cloud.store.all())

    def deleted(self) -> list[str]:
        """Everything that was deleted softly, as `type name`."""
        return sorted(f"{each.token} {each.name}" for each in self._cloud.store.all_deleted())

    def requests(self, verb: str = "", token: str = "") -> list[Request]:
        """The requests in order, of a verb and a type if asked; refused ones only where a fault was ordered."""
        rows = [dict(each) for each in self._cloud.store.logged()]
        made = [Request(row.pop("verb"), row.pop("token"), row.pop("id"), row) for row in rows]
        return [each for each in made if verb in {"", each.verb} and token in {"", each.token}]

    def writes(self) -> list[Request]:
        """The requests that changed something."""
        return [each for each in self.requests() if each.verb != "read"]

    def lowered(self) -> list[Request]:
        """Requests that took machines away from a scale set which had more."""
        return [each for each in self.requests("update") if "lowered" in each.details]

    def wiped(self) -> list[Request]:
        """Requests that moved a machine to other hardware, which empties its local disk."""
        return [each for each in self.requests("update") if each.details.get("wiped")]

    def set_capacity(self, name: str, machines: int) -> None:
        """Let a scale set have another number of machines, as an autoscaler would."""
        found = self.resources("compute:VirtualMachineScaleSet")[name]
        found.body["sku"]["capacity"] = machines
        self._cloud.store.put(found)

    def change(self, token: str, name: str, path: str, value: Any) -> None:
        """Change a property of a resource by hand, as somebody in the portal would."""
        found = self.resources(token)[name]
        head, _, last = path.rpartition(".")
        holder = paths.one(found.body, head) if head else found.body
        holder[last] = value
        self._cloud.store.put(found)

    def remove(self, token: str, name: str) -> None:
        """Delete a resource by hand, whatever uses it."""
        found = self.resources(token)[name]
        self._cloud.store.remove(found.id, softly=token in soft_delete.SOFT)

    def place(self, token: str, body: dict[str, Any]) -> str:
        """Let a resource exist that no program made, such as a shared network; returns its id."""
        kind = kind_of(token)
        made = Stored(ids.make(kind, body), token, dict(body), origin="given")
        server.at_creation(self._cloud.store, made)
        self._cloud.store.put(made)
        return made.id

    def purge(self, token: str, name: str) -> None:
        """Purge what was deleted softly; raises ArmError where that is protected."""
        found = next(each for each in self._cloud.store.all_deleted() if (each.token, each.name) == (token, name))
        soft_delete.purge(self._cloud.store, found.id)

    def order(
        self, answer: str, token: str, verb: str = "create", *, request: int = 1, times: int = 1, name: str = ""
    ) -> None:
        """Order a fault: `throttled`, `refused`, `half-made`, `lost` or `failed`; see faults.py."""
        self._cloud.faults.order(answer, token, verb, request=request, times=times, name=name)
