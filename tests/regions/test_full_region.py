"""One full region, from nothing to power loss and back; the tests share it, in this order."""

import json
import os
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kilonode.boot.cloudinit import compressed
from kilonode.clouds.local.host import cgroup, netns, paths, sweep
from kilonode.limits import BOOT_DATA
from ops import drill, verify
from ops.engine import Engine
from ops.etcdctl import count, member_ids
from ops.ready import Region
from ops.stack import CLONE, Stack
from tests.clouds.local.conftest import PATIENCE
from tests.regions.conftest import FULL, ONE_OF_EACH, POOL, WORKERS, Home, HostSettings
from tests.regions.node import nodes_of, until

pytestmark = [pytest.mark.region, pytest.mark.engine]

NODES = POOL["nodes"] + WORKERS["nodes"]


@pytest.fixture(scope="module")
def host() -> HostSettings:
    return HostSettings()


@pytest.fixture(scope="module")
def full(home: Home, host: HostSettings) -> Iterator[tuple[Stack, str]]:
    with home.running(FULL) as made:
        yield made


@pytest.fixture
def region(full: tuple[Stack, str]) -> Region:
    return Region(full[0])


def names(stack: Stack) -> list[str]:
    """Every machine, those of node pools too."""
    return [
        *(machine.name for machine in stack.plan.machines),
        *(node.name for pool in stack.plan.machine_pools for node in pool.nodes),
    ]


def leaders(stack: Stack) -> dict[str, int | None]:
    return {name: cgroup.leader(stack.spec.name, name) for name in names(stack)}


def operations(text: str) -> dict[str, list[str]]:
    """Operation to the names of local machines and pools it touches, from the engine's preview in JSON."""
    found: dict[str, list[str]] = {}
    for step in json.loads(text)["steps"]:
        if step["op"] != "same" and step["urn"].split("::")[2].endswith(("local:Machine", "local:NodePool")):
            found.setdefault(step["op"], []).append(step["urn"].rpartition("::")[2])
    return found


def test_up_ends_with_a_table_in_which_nothing_is_missing(
    full: tuple[Stack, str], capsys: pytest.CaptureFixture[str]
) -> None:
    table = full[1].split("\n\n")[-1]
    with capsys.disabled():
        print(f"\n{table}")
    for row in ("members      10/10", "API servers  5/5", f"nodes Ready  {NODES}/{NODES}"):
        assert row in table
    assert full[0].plan.endpoint in table
    assert str(full[0].operator / "kubeconfig") in table


def test_every_claim_of_verify_holds(full: tuple[Stack, str]) -> None:
    verify.verify(full[0])


def test_a_second_up_changes_nothing_and_leaves_the_clone_clean(home: Home, full: tuple[Stack, str]) -> None:
    status = ["git", "-C", str(CLONE), "status", "--porcelain"]
    clean = subprocess.run(status, capture_output=True, text=True, check=True).stdout
    machines = leaders(full[0])
    printed = home.ops("up", full[0]).stdout
    assert "unchanged" in printed
    assert not any(word in printed for word in (" created", " updated", " replaced", " deleted"))
    assert leaders(full[0]) == machines
    assert subprocess.run(status, capture_output=True, text=True, check=True).stdout == clean


def test_refresh_and_preview_see_no_change(full: tuple[Stack, str]) -> None:
    engine = Engine(full[0])
    engine.act("refresh", "--yes", "--expect-no-changes", capture=True)
    engine.act("preview", "--expect-no-changes", capture=True)


def test_boot_data_of_every_role_is_small(full: tuple[Stack, str], capsys: pytest.CaptureFixture[str]) -> None:
    folder = paths.region(full[0].spec.name) / "machines"
    sizes: dict[str, int] = {}
    roles = {machine.name: machine.role for machine in full[0].plan.machines}
    for name in names(full[0]):
        text = (folder / name / "upper/var/lib/cloud/seed/nocloud/user-data").read_text()
        role = roles.get(name, "node")
        sizes[role] = max(sizes.get(role, 0), len(compressed(text)))
    with capsys.disabled():
        print("\nboot data, bytes gzipped:", sizes)
    assert len(sizes) == 5
    assert max(sizes.values()) <= BOOT_DATA.value


def test_a_dead_machine_is_seen_by_refresh_and_only_it_is_started_again(home: Home, full: tuple[Stack, str]) -> None:
    stack, victim = full[0], full[0].plan.etcd[1].members[-1].name
    ran = leaders(stack)
    cgroup.end(stack.spec.name, victim)
    engine = Engine(stack)
    engine.act("refresh", "--yes", capture=True)
    assert operations(engine.act("preview", "--json", capture=True)) == {"update": [victim]}
    home.ops("up", stack)
    now = leaders(stack)
    assert {name for name in ran if ran[name] != now[name]} == {victim}
    assert now[victim] is not None


def test_an_edit_replaces_only_the_machines_it_names(home: Home, full: tuple[Stack, str]) -> None:
    stack = full[0]
    simulated, workers = (pool.model_dump(by_alias=True, mode="json") for pool in stack.spec.node_pools)
    more = {"nodes": simulated["nodes"] + 1}
    cases = {
        "one more simulated node": ({"nodePools": [simulated | more, workers]}, {stack.plan.simulators[0].name}),
        "another quota of events": (
            {"etcd": [{"name": "main"}, {"name": "events", "quota": "4GiB"}]},
            {member.name for member in stack.plan.etcd[1].members},
        ),
    }
    try:
        for what, (changes, expected) in cases.items():
            edited = home.edited(stack, **changes)
            engine = Engine(edited)
            engine.select()
            found = operations(engine.act("preview", "--json", capture=True))
            assert set(found.get("replace", [])) == expected, what
            assert set().union(*found.values()) == expected, what
    finally:
        home.edited(stack)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"etcd": [{"name": "main"}, {"name": "events"}, {"name": "leases"}]}, "a new row 'leases'"),
        ({"etcd": [{"name": "main", "members": 7}, {"name": "events"}]}, "set bornWith: 5"),
        ({"ceiling": 2000}, "keep the ceiling"),
        ({"name": "another"}, "make a second region under the new name"),
    ],
)
def test_an_edit_a_living_region_cannot_take_is_refused_with_the_reason(
    home: Home, full: tuple[Stack, str], changes: dict[str, object], text: str
) -> None:
    stack, ran = full[0], leaders(full[0])
    try:
        done = home.ops("up", home.edited(stack, **changes), check=False)
        assert done.returncode != 0
        assert text in done.stdout + done.stderr
        assert leaders(stack) == ran
    finally:
        home.edited(stack)


def test_a_killed_api_server_costs_clients_less_than_five_seconds(
    region: Region, capsys: pytest.CaptureFixture[str]
) -> None:
    server = region.plan.api_servers[-1].name
    text = drill.kill_under_load(region, server, "kube-apiserver", lambda: region.api_servers().complete)
    with capsys.disabled():
        print(f"\n{text}")


def test_a_killed_etcd_leader_costs_writers_less_than_five_seconds(
    region: Region, capsys: pytest.CaptureFixture[str]
) -> None:
    member = drill.leader(region)
    text = drill.kill_under_load(region, member, "etcd", lambda: region.members().complete)
    with capsys.disabled():
        print(f"\n{text}")


def test_after_power_loss_up_brings_back_the_same_members_and_every_key(
    home: Home, region: Region, capsys: pytest.CaptureFixture[str]
) -> None:
    base = f"{region.plan.endpoint}/api/v1/namespaces/default/configmaps"
    written = {f"before-{number}": str(number) for number in range(50)}
    for name, value in written.items():
        body = {"metadata": {"name": name}, "data": {"value": value}}
        assert region.api.call(base, "POST", body, PATIENCE).status == 201
    ids = [member_ids(region, cluster) for cluster in region.plan.etcd]
    prefix = "/registry/configmaps/default/before-"
    # Everything of the region stops at once: every process is gone, and the network namespace with it.
    cgroup.end(region.plan.spec.name)
    netns.remove(region.plan.spec.name)
    lost = datetime.now(UTC)
    home.ops("up", region.stack)
    for node in nodes_of(region):
        until(lambda node=node: node.renewed() > lost and node.is_ready())  # type: ignore[misc]
    assert [member_ids(region, cluster) for cluster in region.plan.etcd] == ids
    kept = count(region, region.plan.etcd[0], prefix)
    with capsys.disabled():
        print(f"\npower loss: {kept} of {len(written)} keys, {sum(map(len, ids))} member ids the same")
    assert kept == len(written)
    for name, value in written.items():
        assert region.api.call(f"{base}/{name}", timeout=PATIENCE).json()["data"]["value"] == value


def test_a_second_region_lives_and_dies_beside_the_first_without_touching_it(
    home: Home, full: tuple[Stack, str]
) -> None:
    ran = leaders(full[0])
    second = home.stack(ONE_OF_EACH, name=f"{full[0].name}-b")
    try:
        home.ops("up", second)
        verify.verify(second)
    finally:
        home.ops("down", second)
    assert sweep.leftovers(second.spec.name) == []
    assert leaders(full[0]) == ran
    assert None not in ran.values()


def test_down_leaves_nothing_and_the_hosts_sysctls_as_they_were(
    home: Home, full: tuple[Stack, str], host: HostSettings
) -> None:
    stack = full[0]
    home.ops("down", stack)
    assert sweep.leftovers(stack.spec.name) == []
    assert not [line for line in Path("/proc/self/mountinfo").read_text().splitlines() if stack.spec.name in line]
    assert (
        str(stack.spec.network.range).rpartition(".")[0]
        not in subprocess.run(["ip", "address"], capture_output=True, text=True, check=True).stdout
    )
    assert host.changes() == {}
    home.ops("down", stack)
    assert os.environ["KILONODE_HOME"] == home.environment["KILONODE_HOME"]
