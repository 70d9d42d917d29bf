"""A pool of node machines: what changes when nodes come, go, die or get other boot data."""

from typing import Any

import pytest

from kilonode.clouds.local.host import cgroup, machines, paths
from kilonode.clouds.local.node_pool import NodePoolProvider, node_spec
from kilonode.refusal import RefusedError
from tests.clouds.local.conftest import USER_DATA, Region, wait_until

NAMES = ("west-workers-00000", "west-workers-00001", "west-workers-00002")


def pool(count: int = 2, **more: Any) -> dict[str, Any]:
    nodes = [
        {"name": name, "address": f"10.66.0.{4 + 31 * index}/14", "zone": str(index + 1)}
        for index, name in enumerate(NAMES[:count])
    ]
    return {
        "region": "west",
        "pool": "workers",
        "nodes": nodes,
        "image": "base-top-archives",
        "layers": ["/archives", "/top", "/base"],
        "gateway": "10.64.0.1",
        "user_data": USER_DATA,
        "files": {f"{name}/kubelet/bootstrap.key": f"key of {name}" for name in NAMES[:count]},
        "secrets_path": "/etc/kilonode/secrets",
        "disk_path": "/var/lib/containerd",
    } | more


@pytest.fixture
def dead(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Names of machines that do not run."""
    found: set[str] = set()
    monkeypatch.setattr(machines, "running", lambda _region, machine: machine not in found)
    return found


def changes(olds: dict[str, Any], news: dict[str, Any]) -> tuple[bool | None, list[str] | None]:
    diff = NodePoolProvider().diff("id", olds, news)
    return diff.changes, diff.replaces


def test_a_pool_whose_nodes_all_run_is_no_change(dead: set[str]) -> None:
    assert changes(pool(), pool()) == (False, [])
    assert not dead


@pytest.mark.parametrize(
    "news",
    [
        pool(3),
        pool(1),
        pool(image="newer"),
        pool(user_data="#cloud-config\n{}\n"),
        pool(files={}),
        pool(gateway="10.64.0.9"),
    ],
)
def test_more_fewer_or_other_nodes_update_the_pool_and_replace_nothing(dead: set[str], news: dict[str, Any]) -> None:
    assert changes(pool(), news) == (True, [])
    assert not dead


def test_a_dead_node_is_an_update(dead: set[str]) -> None:
    dead.add(NAMES[1])
    assert changes(pool(), pool()) == (True, [])


def test_a_pool_of_another_region_is_another_pool(dead: set[str]) -> None:
    assert changes(pool(), pool(region="east")) == (True, ["region"])
    assert not dead


def test_a_node_boots_with_its_own_name_address_zone_secrets_and_disk() -> None:
    props = pool()
    one, other = (node_spec(props, node) for node in props["nodes"])
    assert (one.machine, one.address, one.zone) == (NAMES[0], "10.66.0.4/14", "1")
    assert one.user_data == other.user_data
    assert one.runs_containers
    binds = {bind.target: (bind.source, bind.read_only) for bind in other.binds}
    assert binds == {
        "/etc/kilonode/secrets": (str(paths.secrets("west", NAMES[1])), True),
        "/var/lib/containerd": (str(paths.disk("west", NAMES[1])), False),
    }


def test_malformed_nodes_are_refused() -> None:
    with pytest.raises(RefusedError, match="address"):
        node_spec(pool(), {"name": NAMES[0], "address": "10.66.0", "zone": "1"})
    failures = NodePoolProvider().check({}, pool(nodes=[{"name": "a_b", "address": "10.66.0.4/14", "zone": "1"}]))
    assert "a_b" in failures.failures[0].reason


@pytest.mark.region
def test_nodes_come_and_go_and_nobody_else_moves(region: Region) -> None:
    def props(count: int, **more: Any) -> dict[str, Any]:
        names = [f"{region.name}-workers-{index:05d}" for index in range(count)]
        rows = [
            {"name": name, "address": f"{region.network.ranges[0][10 + index]}/24", "zone": "1"}
            for index, name in enumerate(names)
        ]
        return pool(
            region=region.name,
            nodes=rows,
            image=region.image.id,
            layers=[str(layer) for layer in region.image.layers],
            gateway=str(region.network.gateway.ip),
            files={f"{name}/kubelet/bootstrap.key": f"key of {name}" for name in names},
            **more,
        )

    n0, n1, n2 = (f"{region.name}-workers-{index:05d}" for index in range(3))
    provider = NodePoolProvider()
    made = provider.create(props(2)).outs
    leaders = [cgroup.leader(region.name, name) for name in (n0, n1)]
    assert None not in leaders
    wait_until(lambda: region.says(n1, "cat /etc/kilonode/secrets/kubelet/bootstrap.key") == f"key of {n1}")
    assert region.says(n1, "ls /etc/kilonode/secrets") == "kubelet"
    wait_until(lambda: region.says(n0, "echo here >/var/lib/containerd/kept && echo done") == "done")

    grown = provider.update("id", made, props(3)).outs
    assert [cgroup.leader(region.name, name) for name in (n0, n1)] == leaders
    assert machines.running(region.name, n2)

    shrunk = provider.update("id", grown, props(1)).outs
    assert cgroup.leader(region.name, n0) == leaders[0]
    for gone in (n1, n2):
        assert not machines.running(region.name, gone)
        assert not paths.disk(region.name, gone).exists()
        assert not paths.secrets(region.name, gone).exists()

    machine_id = machines.machine_id(region.name, n0)
    machines.stop(region.name, n0)
    assert provider.diff("id", shrunk, props(1)).changes
    assert provider.read("id", shrunk).outs["running"] == []
    provider.update("id", shrunk, props(1))
    assert (paths.disk(region.name, n0) / "kept").read_text() == "here\n", "a reboot keeps the disk"
    assert machines.machine_id(region.name, n0) == machine_id

    # Runs that were killed after they had made something, and before the engine recorded it.
    provider.update("id", shrunk, props(3))
    provider.update("id", shrunk, props(1))
    assert [machines.running(region.name, name) for name in (n0, n1, n2)] == [True, False, False]
    assert not paths.secrets(region.name, n2).exists()
    provider.update("id", shrunk, props(1, user_data="#cloud-config\n{other: boot}\n"))
    assert provider.diff("id", provider.read("id", shrunk).outs, props(1)).changes

    anew = provider.update("id", shrunk, props(1, user_data="#cloud-config\n{}\n")).outs
    assert list(paths.disk(region.name, n0).iterdir()) == [], "a machine made anew finds an empty disk"
    assert machines.machine_id(region.name, n0) not in ("", machine_id)
    provider.update("id", anew, props(2))
    provider.delete("id", anew)
    assert not paths.machine(region.name, n0).exists()
    assert not paths.machine(region.name, n1).exists(), "also what was made and not recorded"
