"""Machines on this host: made, started again, removed. No Pulumi here."""

from __future__ import annotations

import json
import secrets
import shutil
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from kilonode.clouds.local.host import cgroup, digests, names, netns, nspawn, overlay, paths, seed
from kilonode.clouds.local.host.command import CommandError, run
from kilonode.clouds.local.host.files import write_whole
from kilonode.clouds.local.host.lock import locked, machine_lock
from kilonode.clouds.local.host.mounts import unmount_below

START_SECONDS = 60.0
"""Longest wait for a started machine's PID 1: 0.2 s on an idle host, seconds when twenty start at once on two cores."""

LAYERS = ("upper", "work", "merged")
_MACHINE_ID = "etc/machine-id"
PROPAGATED = Path("/run/systemd/nspawn/propagate")
"""nspawn keeps a folder per machine here and removes it only when it is let to end by itself."""


@dataclass(frozen=True)
class MachineSpec:
    """A machine. All but `layers` and `memory_bytes` is what it boots from: another value makes another machine."""

    region: str
    machine: str
    image: str
    layers: tuple[str, ...]
    address: str
    gateway: str
    user_data: str
    on_link: tuple[str, ...] = ()
    binds: tuple[nspawn.Bind, ...] = ()
    zone: str = ""
    runs_containers: bool = False
    memory_bytes: int | None = None

    def boot_hash(self) -> str:
        """Return the digest of what the machine boots from."""
        rows = {key: value for key, value in asdict(self).items() if key not in ("layers", "memory_bytes")}
        return digests.of_text(json.dumps(rows, sort_keys=True))


def recorded_hash(region: str, machine: str) -> str | None:
    """Return the boot hash of the machine whose root is whole on this host, None if there is none."""
    if not all((paths.machine(region, machine) / layer).is_dir() for layer in LAYERS):
        return None
    try:
        return str(json.loads(_record(region, machine).read_text(encoding="utf-8"))["boot_hash"])
    except (OSError, ValueError, KeyError):
        return None


def running(region: str, machine: str) -> bool:
    """Tell whether the machine's PID 1 is there and its port is on the region's present network."""
    leader = cgroup.leader(region, machine)
    outside = None if leader is None else cgroup.supervisor(leader)
    network = netns.identity(netns.path(region))
    return outside is not None and network is not None and netns.identity(Path(f"/proc/{outside}/ns/net")) == network


def ensure(spec: MachineSpec) -> None:
    """Have the machine made and started; returns when its PID 1 runs, not when it has booted.

    A machine made by a run that died before recording it is adopted if it boots from the same, else made anew.
    A dead one is started from the root it has: a reboot.
    """
    with locked(machine_lock(spec.region, spec.machine)):
        if recorded_hash(spec.region, spec.machine) != spec.boot_hash():
            _clear(spec.region, spec.machine)
            _prepare(spec)
        if running(spec.region, spec.machine):
            cgroup.limit_memory(spec.region, spec.machine, spec.memory_bytes)
        else:
            stop(spec.region, spec.machine)
            _start(spec)


def machine_id(region: str, machine: str) -> str:
    """Return the id that systemd and kubelet of the machine call it by, empty when there is none."""
    file = paths.machine(region, machine) / "upper" / _MACHINE_ID
    return file.read_text(encoding="utf-8").strip() if file.is_file() else ""


def stop(region: str, machine: str) -> None:
    """End the machine at once, as a power cut would; its root stays."""
    cgroup.end(region, machine)
    netns.remove_port(region, machine)
    unmount_below(paths.machine(region, machine))
    shutil.rmtree(propagated(region, machine), ignore_errors=True)


def propagated(region: str, machine: str) -> Path:
    """Return nspawn's own folder for the machine."""
    return PROPAGATED / names.nspawn(region, machine)


def remove(region: str, machine: str) -> None:
    """End the machine and remove its root and its console."""
    with locked(machine_lock(region, machine)):
        _clear(region, machine)


def console(region: str, machine: str) -> Path:
    """Return the file the machine's console is written to."""
    return paths.machine(region, machine) / "console.log"


def _clear(region: str, machine: str) -> None:
    stop(region, machine)
    paths.remove(paths.machine(region, machine))


def _prepare(spec: MachineSpec) -> None:
    folder = paths.make_private(paths.machine(spec.region, spec.machine))
    for name in LAYERS:
        (folder / name).mkdir()
        (folder / name).chmod(0o755)  # the upper layer's mode is the machine's /
    _fill(folder / "upper", _own_files(spec))
    record = {"boot_hash": spec.boot_hash(), "image": spec.image, "address": spec.address}
    write_whole(_record(spec.region, spec.machine), json.dumps(record, indent=1), 0o600)


def _own_files(spec: MachineSpec) -> dict[str, str]:
    boot_hash = spec.boot_hash()
    seeds = seed.files(
        hostname=spec.machine,
        boot_hash=boot_hash,
        user_data=spec.user_data,
        address=spec.address,
        gateway=spec.gateway,
        on_link=spec.on_link,
        zone=spec.zone,
    )
    # With a machine id there, systemd does not take the boot for a first one, which goes through every unit's preset.
    return {f"{seed.FOLDER}/{name}": text for name, text in seeds.items()} | {
        _MACHINE_ID: f"{secrets.token_hex(16)}\n",
        "etc/hostname": f"{spec.machine}\n",
        # Nobody answers there: the region's network has no way out, and a name outside of it fails at once.
        "etc/resolv.conf": f"nameserver {spec.gateway}\n",
    }


def _fill(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        landed = root / name
        for parent in reversed(landed.relative_to(root).parents[:-1]):
            (root / parent).mkdir(exist_ok=True)
            (root / parent).chmod(0o755)
        write_whole(landed, text, 0o600 if name.startswith(seed.FOLDER) else 0o644)


def _start(spec: MachineSpec) -> None:
    if not netns.exists(spec.region):
        raise CommandError(f"network namespace {names.netns(spec.region)} is missing: make the region's Network first")
    folder = paths.machine(spec.region, spec.machine)
    layers = [Path(layer) for layer in spec.layers]
    run(
        nspawn.launch_argv(
            cgroups=cgroup.make(spec.region, spec.machine, spec.memory_bytes),
            console=console(spec.region, spec.machine),
            overlay=overlay.options(layers, folder / "upper", folder / "work"),
            root=folder / "merged",
            machine=nspawn.machine_argv(
                spec.region, spec.machine, folder / "merged", spec.binds, runs_containers=spec.runs_containers
            ),
        )
    )
    give_up = time.monotonic() + START_SECONDS
    while not running(spec.region, spec.machine):
        # Asked twice: a process that moves into a cgroup made after the first look began is seen by the second.
        ended = not cgroup.pids(spec.region, spec.machine) and not cgroup.pids(spec.region, spec.machine)
        if ended or time.monotonic() > give_up:
            said = console(spec.region, spec.machine).read_text(errors="replace", encoding="utf-8")[-2000:]
            why = "ended at once" if ended else f"has no PID 1 after {START_SECONDS} s"
            raise CommandError(f"machine {spec.machine} {why}; its console: {said.strip() or '(empty)'}")
        time.sleep(0.02)


def _record(region: str, machine: str) -> Path:
    return paths.machine(region, machine) / "boot.json"
