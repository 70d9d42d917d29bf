from typing import Any

import pytest
from pulumi.runtime.rpc import UNKNOWN

from kilonode.clouds.local.host import machines
from kilonode.clouds.local.machine import REPLACES, MachineProvider, machine_spec

PROPS: dict[str, Any] = {
    "region": "west",
    "machine": "etcd-1",
    "image": "base-top",
    "layers": ["/top", "/base"],
    "address": "10.64.1.5/14",
    "gateway": "10.64.0.1",
    "user_data": "#cloud-config\n{}\n",
    "on_link": [],
    "binds": [{"source": "/disk", "target": "/var/lib/etcd", "read_only": False}],
}
OLDS: dict[str, Any] = {**PROPS, "running": True}

OTHER: dict[str, Any] = {
    "region": "east",
    "machine": "etcd-2",
    "image": "base-newer",
    "address": "10.64.1.6/14",
    "gateway": "10.64.0.9",
    "user_data": "#cloud-config\n{bootcmd: []}\n",
    "on_link": ["10.80.0.0/16"],
    "binds": [],
}


@pytest.fixture
def alive(monkeypatch: pytest.MonkeyPatch) -> dict[str, bool]:
    state = {"alive": True}
    monkeypatch.setattr(machines, "running", lambda _region, _machine: state["alive"])
    return state


def test_a_running_machine_with_the_same_boot_data_is_no_change(alive: dict[str, bool]) -> None:
    assert MachineProvider().diff("id", OLDS, PROPS).changes is False
    assert alive


@pytest.mark.parametrize("field", REPLACES)
def test_other_boot_data_replaces_the_machine_and_removes_the_old_one_first(field: str, alive: dict[str, bool]) -> None:
    diff = MachineProvider().diff("id", OLDS, {**PROPS, field: OTHER[field]})
    assert (diff.changes, diff.replaces, diff.delete_before_replace) == (True, [field], True)
    assert alive


def test_a_memory_limit_changes_in_place(alive: dict[str, bool]) -> None:
    diff = MachineProvider().diff("id", OLDS, {**PROPS, "memory_bytes": 2.0**30})
    assert (diff.changes, diff.replaces) == (True, [])
    assert alive


@pytest.mark.parametrize("refreshed", [True, False])
def test_a_dead_machine_is_an_update_with_or_without_a_refresh(alive: dict[str, bool], *, refreshed: bool) -> None:
    alive["alive"] = False
    diff = MachineProvider().diff("id", {**OLDS, "running": not refreshed}, PROPS)
    assert (diff.changes, diff.replaces) == (True, [])


def test_the_boot_hash_follows_boot_data_and_nothing_else() -> None:
    hashes = {machine_spec({**PROPS, field: OTHER[field]}).boot_hash() for field in REPLACES}
    assert len(hashes | {machine_spec(PROPS).boot_hash()}) == len(REPLACES) + 1
    moved = machine_spec({**PROPS, "layers": ["/elsewhere"], "memory_bytes": 1.0})
    assert moved.boot_hash() == machine_spec(PROPS).boot_hash()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("region", "West"),
        ("machine", "etcd_1"),
        ("address", "10.64.1.5/40"),
        ("gateway", "10.64.0.1/14"),
        ("gateway", "192.168.0.1"),
        ("gateway", "10.64.1.5"),
        ("on_link", ["10.80.0.1/16"]),
    ],
)
def test_a_malformed_machine_fails_its_check(field: str, value: object) -> None:
    assert [each.property for each in MachineProvider().check({}, {**PROPS, field: value}).failures] == [field]


def test_a_relative_bind_fails_its_check() -> None:
    bind = {"source": "disk", "target": "/var/lib/etcd", "read_only": False}
    assert MachineProvider().check({}, {**PROPS, "binds": [bind]}).failures[0].property == "binds.source"


def test_what_a_preview_does_not_know_yet_is_not_judged() -> None:
    assert MachineProvider().check({}, {**PROPS, "user_data": UNKNOWN, "gateway": "nonsense"}).failures == []
