"""Members of etcd on Azure and what outlives their machines: marks, snapshots, and a lost disk that makes no new cluster.

In the order of a member's life; what destroys comes last.
"""

import json
import subprocess
from pathlib import Path

import pytest

import toolchain
from kilonode.etcd.config import DATA, MOUNT
from tests.clouds.local.conftest import wait_until
from tests.oracles.azure import region
from tests.oracles.azure.living import PATIENCE, Living

pytestmark = [pytest.mark.tools, pytest.mark.region]


def marks(living: Living, cluster: str) -> list[str]:
    return [blob.name for blob in living.fabric.blobs(region.marks_of(cluster))]


def is_empty(living: Living) -> bool:
    """Whether the disk of ``main`` has no data."""
    disk = living.disk(living.specs["main"].machine)
    return not any(disk.glob(f"{DATA.removeprefix(MOUNT + '/')}/member/*"))


def test_members_are_healthy_and_each_has_left_its_mark_where_only_its_cluster_s_may(living: Living) -> None:
    for cluster in living.plan.etcd:
        kind, name = cluster.spec.name, cluster.members[0].name
        living.until_healthy(kind)
        assert marks(living, kind) == [name]
        assert f"{name} has no mark" in living.journal(kind, "kilonode-marks")
        assert living.says(kind, "ls /etc/kilonode/cluster") == name


@pytest.mark.parametrize("index", [0, 1], ids=["main", "events"])
def test_a_snapshot_of_the_cluster_is_off_the_machine_and_whole(living: Living, index: int, tmp_path: Path) -> None:
    cluster = living.plan.etcd[index]
    kind = cluster.spec.name
    code, said = living.code(kind, "systemctl", "start", "kilonode-snapshot.service")
    assert code == 0, said + living.journal(kind, "kilonode-snapshot")
    # Every half hour the timers of both clusters take one too; the names of a cluster's are in the order of time.
    own = f"{cluster.name}%"
    *_, blob = (each for each in living.fabric.blobs("snapshots") if each.name.startswith(own))
    etcdutl = toolchain.locate("etcd") / "etcdutl"
    asked = [etcdutl, "snapshot", "status", blob, "--write-out=json"]
    status = json.loads(subprocess.run(asked, capture_output=True, check=True).stdout)
    revision = living.etcdctl(kind, "endpoint", "status")[0]["Status"]["header"]["revision"]
    assert 0 <= status["revision"] <= revision
    assert blob.name.endswith(f"-{status['revision']}.db")
    # Restoring checks the sum that etcd put at the snapshot's end.
    restored = [etcdutl, "snapshot", "restore", blob, f"--data-dir={tmp_path / 'restored'}"]
    subprocess.run(restored, capture_output=True, check=True)
    # Its timer may have begun another one meanwhile.
    wait_until(lambda: living.says(kind, f"find {MOUNT}/snapshots -type f") == "", PATIENCE)
    assert f"{status['totalKey']} keys" in living.journal(kind, "kilonode-snapshot")


def test_a_member_with_its_data_comes_back_from_a_reboot_while_vault_and_storage_are_away(living: Living) -> None:
    assert living.etcdctl("main", "put", "kept", "yes")
    living.fabric.state.write("trouble", {"vault": 503, "storage": 503})
    try:
        living.reboot("main")
        living.until_healthy("main")
        assert "those that are there stay in force" in living.journal("main", "kilonode-secrets")
        assert "data on the disk: no mark is needed to start" in living.journal("main", "kilonode-marks")
        assert living.etcdctl("main", "get", "kept")["count"] == 1
        assert living.state_of("main", "etcd") == "activating", "its mark is not known to be where it belongs"
    finally:
        living.fabric.state.write("trouble", {})
    living.until_active("main", "etcd.service")


def test_a_new_machine_on_an_empty_disk_that_cannot_read_its_marks_does_not_start_etcd(living: Living) -> None:
    living.fabric.state.write("trouble", {"storage": 503})
    try:
        living.renew("main")
        wait_until(lambda: "waiting: https" in living.journal("main", "kilonode-marks"), PATIENCE)
        living.until_active("main", "kilonode-secrets.service")
        assert living.state_of("main", "kilonode-marks") == "activating"
        assert living.state_of("main", "etcd") == "inactive"
        assert living.journal("main", "etcd") == ""
        assert is_empty(living)
    finally:
        living.fabric.state.write("trouble", {})


def test_once_it_reads_that_it_was_part_of_its_cluster_it_refuses_to_be_new(living: Living) -> None:
    wait_until(lambda: "refused: no quorum" in living.journal("main", "etcd"), PATIENCE)
    assert "has been part of its cluster" in living.journal("main", "kilonode-marks")
    assert "first bootstrap" not in living.journal("main", "etcd")
    assert living.code("main", "test", "-e", "/run/etcd/config.yaml")[0] == 1
    assert is_empty(living)
    assert marks(living, "main") == [living.specs["main"].machine]
    assert living.fabric.state.wrongs() == []
