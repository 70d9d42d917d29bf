"""The cloud behind the plugin: what a create, an update, a read and a delete do, and what they are answered with."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any, Final

from . import (
    addresses,
    builds,
    disks,
    faults,
    holds,
    ids,
    immutable,
    parts,
    paths,
    reading,
    references,
    server,
    soft_delete,
)
from .kinds import Kind
from .refusal import ArmError, HalfMadeError, Refusal, raise_all
from .store import Store, Stored

CAPACITY: Final = "sku.capacity"


class Cloud:
    """Azure for one test, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.store = Store(folder)
        self.faults = faults.Faults(folder)

    def create(self, kind: Kind, resource: str, inputs: dict[str, Any]) -> Stored:
        """Make a resource; raises ArmError, HalfMadeError when it exists in spite of the error."""
        identifier = ids.make(kind, inputs, self.store.subscription)
        with self.store.held():
            fault = self._due(kind, "create", identifier)
            if self.store.get(identifier):
                raise ArmError(409, "Conflict", f"cannot create already existing resource '{identifier}'")
            self._need_parent(identifier)
            back = soft_delete.recovered(self.store, kind, identifier, inputs)
            made = back or Stored(identifier, kind.token, deepcopy(inputs))
            self.judge(kind, resource, identifier, inputs)
            if back:
                soft_delete.recover(self.store, back)
            else:
                server.at_creation(self.store, made)
                disks.attach(self.store, made)
                self.store.put(made)
                parts.write(self.store, made, None)
                builds.begin(self.store, made, self.faults.due(kind.token, "build", made.name))
            self._log("create", made, recovered=back is not None)
            if fault == "half-made":
                raise HalfMadeError(identifier)
            if fault == "lost":
                raise faults.failed(identifier)
            return made

    def update(self, identifier: str, resource: str, inputs: dict[str, Any]) -> Stored:
        """Change a resource in place; raises ArmError where Azure cannot."""
        with self.store.held():
            old = self._existing(identifier)
            fault = self._due(old.kind, "update", identifier)
            body = parts.kept(inputs, old)
            immutable.refuse(old.kind, old.body, body)
            if old.token == "network:Subnet":
                addresses.refuse_prefix_change(self.store, old, body)
            self.judge(old.kind, resource, old.id, body)
            live, asked = paths.one(old.body, CAPACITY), paths.one(body, CAPACITY)
            new = Stored(old.id, old.token, body, dict(old.server), old.origin)
            server.at_write(self.store, new)
            self.store.put(new)
            parts.write(self.store, new, old)
            more: dict[str, Any] = {"changed": paths.changed(old.body, new.body)}
            if isinstance(live, int) and isinstance(asked, int) and asked < live:
                more["lowered"] = [live, asked]
            if "hardwareProfile.vmSize" in more["changed"]:
                # A resize moves the machine to other hardware: its local disk is empty afterwards.
                more["wiped"] = True
            self._log("update", new, **more)
            if fault == "half-made":
                raise HalfMadeError(identifier)
            return new

    def read(self, identifier: str) -> Stored | None:
        """The resource of this id, or None."""
        with self.store.held():
            found = self.store.get(identifier)
            if found:
                self._due(found.kind, "read", identifier)
                builds.look(self.store, found)
                self._log("read", found)
            return found

    def delete(self, identifier: str) -> None:
        """Remove a resource and what lies in it; what is gone already is fine."""
        with self.store.held():
            gone = self.store.get(identifier)
            if gone is None:
                return
            self._due(gone.kind, "delete", identifier)
            if gone.token != "resources:ResourceGroup":
                holds.refuse(self.store, gone)
            within = self.store.beneath(identifier)
            disks.detach(self.store, gone)
            for each in within:
                if each.token == "keyvault:Secret":
                    each.origin = "with its vault"
                self.store.remove(each.id, softly=each.token in soft_delete.SOFT)
            self.store.remove(identifier, softly=gone.token in soft_delete.SOFT)
            self._log("delete", gone, swept=[each.id for each in within if each.origin != "part"])

    def outputs(self, resource: Stored) -> dict[str, Any]:
        """What a GET of the resource answers."""
        return reading.outputs(self.store, resource)

    def judge(
        self,
        kind: Kind,
        resource: str,
        identifier: str,
        inputs: dict[str, Any],
        planned: Callable[[str], bool] | None = None,
    ) -> None:
        """Answer 400 to references and addresses that cannot be; in a preview (`planned`) only to what it can tell."""
        whole = Stored(identifier, kind.token, inputs)
        never: Callable[[str], bool] = lambda _given: False  # noqa: E731
        raise_all(
            "InvalidResourceReference",
            references.judge(self.store, kind, resource, identifier, inputs, planned or never),
        )
        found: list[tuple[str, Any, str]] = [*addresses.judge_static(self.store, whole, real=planned is None)]
        if planned is None:
            references.judge_use(self.store, identifier, kind, inputs)
            found += [*addresses.judge_room(self.store, whole), *self._judge_placement(whole)]
        raise_all("InvalidRequestFormat", [Refusal(resource, path, given, allowed) for path, given, allowed in found])

    def _judge_placement(self, resource: Stored) -> Iterator[tuple[str, Any, str]]:
        if resource.token == "network:VirtualNetwork" and "subnets" not in resource.body:
            kept = [
                (each.name, each.body) for each in self.store.beneath(resource.id) if each.token == "network:Subnet"
            ]
            yield from addresses.judge_subnets(addresses.ranges(resource.body), kept)
        if resource.token == "network:Subnet":
            network = self._existing(ids.parent(resource.id) or "")
            others = [each for each in self.store.beneath(network.id) if each.token == resource.token]
            apart = [(each.name, each.body) for each in others if ids.key(each.id) != ids.key(resource.id)]
            yield from addresses.judge_subnets(addresses.ranges(network.body), [*apart, (resource.name, resource.body)])
        if resource.token == "network:VirtualNetworkPeering":
            yield from self._judge_peers(resource)
        if resource.token == "authorization:RoleAssignment":
            yield from references.principals(self.store, resource.body)
        if resource.token == builds.TEMPLATE:
            yield from builds.judge(self.store, resource.body)

    def _judge_peers(self, peering: Stored) -> Iterator[tuple[str, Any, str]]:
        here = self._existing(ids.parent(peering.id) or "")
        there = self.store.get(str(paths.one(peering.body, "remoteVirtualNetwork.id")))
        for outer in addresses.ranges(there.body) if there else []:
            if any(outer.overlaps(inner) for inner in addresses.ranges(here.body)):
                yield (
                    "remoteVirtualNetwork",
                    str(outer),
                    f"a network clear of {', '.join(addresses.prefixes(here.body))}",
                )

    def _need_parent(self, identifier: str) -> None:
        above = ids.parent(identifier)
        if above and not self.store.get(above):
            group = "/providers/" not in above
            name = above.rpartition("/")[2]
            if group:
                raise ArmError(404, "ResourceGroupNotFound", f"Resource group '{name}' could not be found.")
            raise ArmError(
                404,
                "ParentResourceNotFound",
                f"Can not perform requested operation on nested resource. '{above}' not found.",
            )

    def _existing(self, identifier: str) -> Stored:
        found = self.store.get(identifier)
        if found is None:
            raise ArmError(404, "ResourceNotFound", f"The Resource '{identifier}' was not found.")
        return found

    def _due(self, kind: Kind, verb: str, identifier: str) -> str | None:
        answer = self.faults.due(kind.token, verb, identifier.rpartition("/")[2])
        if answer in {"throttled", "refused"}:
            self.store.log(verb=verb, token=kind.token, id=identifier, answer=answer)
            raise faults.throttled() if answer == "throttled" else faults.failed(identifier)
        return answer

    def _log(self, verb: str, resource: Stored, **more: Any) -> None:
        self.store.log(verb=verb, token=resource.token, id=resource.id, **more)
