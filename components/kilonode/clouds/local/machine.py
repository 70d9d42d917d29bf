"""A machine as a Pulumi resource."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from typing import Any

import pulumi
from pulumi import dynamic

from kilonode.clouds.local.checks import changed, checked
from kilonode.clouds.local.host import machines, names
from kilonode.clouds.local.host.addresses import parsed
from kilonode.clouds.local.host.machines import MachineSpec
from kilonode.clouds.local.host.nspawn import Bind
from kilonode.clouds.local.host.refusal import refused

REPLACES = ("region", "machine", "image", "address", "gateway", "on_link", "user_data", "binds")
"""What a machine boots from. Replacement removes the old machine first, since its address is taken until then."""

UPDATES = ("layers", "memory_bytes")


class MachineProvider(dynamic.ResourceProvider):
    """Makes, reads, starts and removes machines. Its module path is recorded in states: do not move it."""

    serialize_as_secret_always = False

    def check(self, _olds: dict[str, Any], news: dict[str, Any]) -> dynamic.CheckResult:
        """Refuse malformed values before anything is made."""
        return checked(news, machine_spec)

    def diff(self, _id: str, olds: dict[str, Any], news: dict[str, Any]) -> dynamic.DiffResult:
        """Other boot data is another machine; a machine that does not run is a change, and starting it the update."""
        replaces = changed(olds, news, REPLACES)
        updates = changed(olds, news, UPDATES)
        dead = not olds.get("running") or not _runs(olds)
        return dynamic.DiffResult(
            changes=bool(replaces or updates or dead), replaces=replaces, delete_before_replace=True
        )

    def create(self, props: dict[str, Any]) -> dynamic.CreateResult:
        """Make and start the machine; returns when its PID 1 runs, since few threads serve all creations."""
        spec = machine_spec(props)
        machines.ensure(spec)
        return dynamic.CreateResult(names.whole(spec.region, spec.machine), _outputs(props))

    def read(self, id_: str, props: dict[str, Any]) -> dynamic.ReadResult:
        """Report a machine whose root is missing as gone, one that is dead as not running."""
        if machines.recorded_hash(props["region"], props["machine"]) != props["boot_hash"]:
            return dynamic.ReadResult(None, {})
        return dynamic.ReadResult(id_, {**props, "running": _runs(props)})

    def update(self, _id: str, _olds: dict[str, Any], news: dict[str, Any]) -> dynamic.UpdateResult:
        """Start the machine from the root it has if it is dead; set its memory limit."""
        machines.ensure(machine_spec(news))
        return dynamic.UpdateResult(_outputs(news))

    def delete(self, _id: str, props: dict[str, Any]) -> None:
        """End the machine and remove its root; disks and secrets bound into it stay."""
        machines.remove(props["region"], props["machine"])


class Machine(dynamic.Resource, module="local", name="Machine"):
    """A Debian machine that boots from cloud-init user data, with a fixed address on its region's network.

    `image` and `layers` are what `image.describe` returns. `address` is address/prefix: all of that prefix is on the
    machine's link, as are the CIDRs in `on_link`. `memory_bytes` limits it and may change in place; anything else makes
    another machine. Give the region's Network, and the Disks and MachineSecrets it binds, in `depends_on`.
    """

    machine: pulumi.Output[str]
    boot_hash: pulumi.Output[str]
    """Digest of all that the machine boots from; what a gate holds to know which machine it waits for."""
    running: pulumi.Output[bool]
    console: pulumi.Output[str]
    """The file on the host that the machine's console is written to."""

    def __init__(
        self,
        name: str,
        *,
        region: str,
        machine: str,
        image: str,
        layers: Sequence[str],
        address: str,
        gateway: str,
        user_data: pulumi.Input[str],
        on_link: Sequence[str] = (),
        binds: Sequence[Bind] = (),
        memory_bytes: int | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        props: dict[str, Any] = {
            "region": region,
            "machine": machine,
            "image": image,
            "layers": list(layers),
            "address": address,
            "gateway": gateway,
            "user_data": user_data,
            "on_link": list(on_link),
            "binds": [{"source": each.source, "target": each.target, "read_only": each.read_only} for each in binds],
            "memory_bytes": memory_bytes,
            "boot_hash": None,
            "running": None,
            "console": None,
        }
        super().__init__(MachineProvider(), name, props, opts)


def machine_spec(props: dict[str, Any]) -> MachineSpec:
    """Return the checked machine that a resource's inputs stand for; raises RefusedError."""
    address = parsed("address", IPv4Interface, props["address"])
    gateway = parsed("gateway", IPv4Address, props["gateway"])
    on_link = [parsed("on_link", IPv4Network, each) for each in props.get("on_link") or []]
    if not any(gateway in each for each in (address.network, *on_link)) or gateway == address.ip:
        raise refused(
            "gateway",
            given=str(gateway),
            allowed=f"another address in {address.network}",
            why="a machine reaches its gateway on its own link",
            fix="give the bridge's address, without a prefix",
        )
    memory = props.get("memory_bytes")
    return MachineSpec(
        region=names.region_name(props["region"]),
        machine=names.machine_name(props["machine"]),
        image=props["image"],
        layers=tuple(props["layers"]),
        address=str(address),
        gateway=str(gateway),
        on_link=tuple(map(str, on_link)),
        user_data=props["user_data"],
        binds=tuple(_bind(each) for each in props.get("binds") or []),
        memory_bytes=None if memory is None else int(memory),
    )


def _bind(props: dict[str, Any]) -> Bind:
    for side in ("source", "target"):
        if not props[side].startswith("/"):
            raise refused(
                f"binds.{side}",
                given=props[side],
                allowed="an absolute path",
                why="a bind has no folder to start from",
                fix="write the whole path",
            )
    return Bind(props["source"], props["target"], read_only=bool(props.get("read_only")))


def _runs(props: dict[str, Any]) -> bool:
    return machines.running(props["region"], props["machine"])


def _outputs(props: dict[str, Any]) -> dict[str, Any]:
    spec = machine_spec(props)
    console = str(machines.console(spec.region, spec.machine))
    return {**props, "boot_hash": spec.boot_hash(), "running": True, "console": console}
