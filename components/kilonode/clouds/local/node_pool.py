"""A pool of node machines as one Pulumi resource: nodes come and go, the resource stays."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from ipaddress import IPv4Address, IPv4Interface
from typing import Any

import pulumi
from pulumi import dynamic

from kilonode.clouds.local.checks import changed, checked
from kilonode.clouds.local.host import machines, names, paths
from kilonode.clouds.local.host.addresses import parsed
from kilonode.clouds.local.host.machines import MachineSpec
from kilonode.clouds.local.host.nspawn import Bind
from kilonode.clouds.local.secrets import read_secrets, write_secrets
from kilonode.nodes.plan import NUMBER

FIELDS = ("nodes", "image", "layers", "gateway", "user_data", "files", "secrets_path", "disk_path")
AT_ONCE = 4
"""Machines started side by side: a start waits for the kernel, not for a processor."""


class NodePoolProvider(dynamic.ResourceProvider):
    """Makes, reads and removes the nodes of a pool. Its module path is recorded in states: do not move it."""

    serialize_as_secret_always = False

    def check(self, _olds: dict[str, Any], news: dict[str, Any]) -> dynamic.CheckResult:
        """Refuse malformed values before anything is made."""
        return checked(news, lambda props: [node_spec(props, node) for node in props["nodes"]])

    def diff(self, _id: str, olds: dict[str, Any], news: dict[str, Any]) -> dynamic.DiffResult:
        """Another pool is another resource; nodes that are more, fewer, other or dead are an update."""
        moved = changed(olds, news, ("region", "pool"))
        dead = not all(_runs(olds, node) for node in olds["nodes"])
        changes = bool(moved or changed(olds, news, FIELDS) or dead)
        return dynamic.DiffResult(changes=changes, replaces=moved, delete_before_replace=True)

    def create(self, props: dict[str, Any]) -> dynamic.CreateResult:
        """Make and start every node; returns when each one's PID 1 runs."""
        _ensure(props)
        return dynamic.CreateResult(f"{props['region']}/{props['pool']}", _outputs(props))

    def read(self, id_: str, props: dict[str, Any]) -> dynamic.ReadResult:
        """Report which nodes are there as recorded, which of them run, and the secrets as they are now."""
        if props["nodes"] and not _present(props):
            return dynamic.ReadResult(None, {})
        there = [node for node in props["nodes"] if _made(props, node)]
        files = {path: text for node in there for path, text in _secrets_of(props, node).items()}
        running = [node["name"] for node in there if _runs(props, node)]
        return dynamic.ReadResult(id_, {**props, "nodes": there, "files": files, "running": running})

    def update(self, _id: str, _olds: dict[str, Any], news: dict[str, Any]) -> dynamic.UpdateResult:
        """Remove nodes the pool no longer has, make new ones, make those anew whose boot data changed, start the dead."""
        _ensure(news)
        return dynamic.UpdateResult(_outputs(news))

    def delete(self, _id: str, props: dict[str, Any]) -> None:
        """End and remove every node with its disk and secrets."""
        for name in _present(props):
            _remove(props, name)


class NodePool(dynamic.Resource, module="local", name="NodePool"):
    """Machines that differ only by name, address and zone, each with a disk of its own that ends with it.

    `nodes` are rows of name, address (with prefix) and zone; `files` holds the secrets of all, by
    `<node>/<path>`. `secrets_path` and `disk_path` are where a machine sees its secrets and its disk.
    """

    running: pulumi.Output[list[str]]
    """The nodes whose machines run."""

    def __init__(
        self,
        name: str,
        *,
        region: str,
        pool: str,
        nodes: Sequence[Mapping[str, str]],
        image: str,
        layers: Sequence[str],
        gateway: str,
        user_data: str,
        files: pulumi.Input[Mapping[str, str]],
        secrets_path: str,
        disk_path: str,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        props: dict[str, Any] = {
            "region": region,
            "pool": pool,
            "nodes": [dict(node) for node in nodes],
            "image": image,
            "layers": list(layers),
            "gateway": gateway,
            "user_data": user_data,
            "files": pulumi.Output.secret(files),
            "secrets_path": secrets_path,
            "disk_path": disk_path,
            "running": None,
        }
        secret = pulumi.ResourceOptions(additional_secret_outputs=["files"])
        super().__init__(NodePoolProvider(), name, props, pulumi.ResourceOptions.merge(opts, secret))


def node_spec(props: dict[str, Any], node: dict[str, str]) -> MachineSpec:
    """Return the checked machine that one node of the inputs stands for; raises RefusedError."""
    region, name = names.region_name(props["region"]), names.machine_name(node["name"])
    return MachineSpec(
        region=region,
        machine=name,
        image=props["image"],
        layers=tuple(props["layers"]),
        address=str(parsed("address", IPv4Interface, node["address"])),
        gateway=str(parsed("gateway", IPv4Address, props["gateway"])),
        user_data=props["user_data"],
        binds=(
            Bind(str(paths.secrets(region, name)), props["secrets_path"], read_only=True),
            Bind(str(paths.disk(region, name)), props["disk_path"]),
        ),
        zone=node["zone"],
        runs_containers=True,
    )


def _ensure(props: dict[str, Any]) -> None:
    """Have exactly these nodes, made and running. One that is made anew gets an empty disk, as a cloud's local SSD is."""
    # By what is there, not by what was recorded: a run that was killed has recorded nothing of what it made.
    for name in _present(props) - {node["name"] for node in props["nodes"]}:
        _remove(props, name)
    with ThreadPoolExecutor(AT_ONCE) as threads:
        list(threads.map(lambda node: _ensure_one(props, node), props["nodes"]))


def _ensure_one(props: dict[str, Any], node: dict[str, str]) -> None:
    spec = node_spec(props, node)
    secrets, disk = paths.secrets(spec.region, spec.machine), paths.disk(spec.region, spec.machine)
    write_secrets(paths.make_private(secrets), _own(props["files"], node))
    if machines.recorded_hash(spec.region, spec.machine) != spec.boot_hash():
        machines.remove(spec.region, spec.machine)
        paths.remove(disk)
    paths.make_private(disk)
    machines.ensure(spec)


def _own(files: Mapping[str, str], node: dict[str, str]) -> dict[str, str]:
    prefix = f"{node['name']}/"
    return {path.removeprefix(prefix): text for path, text in files.items() if path.startswith(prefix)}


def _secrets_of(props: dict[str, Any], node: dict[str, str]) -> dict[str, str]:
    folder = paths.secrets(props["region"], node["name"])
    return {f"{node['name']}/{path}": text for path, text in read_secrets(folder).items()}


def _made(props: dict[str, Any], node: dict[str, str]) -> bool:
    return machines.recorded_hash(props["region"], node["name"]) == node_spec(props, node).boot_hash()


def _present(props: dict[str, Any]) -> set[str]:
    """The pool's machines that have a folder on this host, whoever made them."""
    ours = re.compile(rf"{re.escape(props['region'])}-{re.escape(props['pool'])}-{NUMBER}")
    folder = paths.region(props["region"]) / "machines"
    return {each.name for each in folder.iterdir() if ours.fullmatch(each.name)} if folder.is_dir() else set()


def _runs(props: dict[str, Any], node: dict[str, str]) -> bool:
    return machines.running(props["region"], node["name"])


def _remove(props: dict[str, Any], name: str) -> None:
    machines.remove(props["region"], name)
    paths.remove(paths.disk(props["region"], name))
    paths.remove(paths.secrets(props["region"], name))


def _outputs(props: dict[str, Any]) -> dict[str, Any]:
    return {**props, "running": [node["name"] for node in props["nodes"]]}
