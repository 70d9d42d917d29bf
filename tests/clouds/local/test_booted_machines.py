"""Real machines. Each test has a region of its own and leaves nothing of it."""

import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from kilonode.clouds.local.host import cgroup, inside, machines, netns, nspawn, paths, sweep
from kilonode.clouds.local.host.command import CommandError
from tests.clouds.local.conftest import PATIENCE, Region, sysctls, unique, wait_until

pytestmark = pytest.mark.region

LIMIT_FILES = ("memory.limit_in_bytes", "memory.max")


def reachable(address: str) -> bool:
    """A closed port refuses at once; only an address that is there can."""
    with socket.socket() as probe:
        probe.settimeout(PATIENCE)
        return probe.connect_ex((address, 9)) == 111


def test_cloud_init_writes_files_and_runs_commands_of_the_user_data(region: Region) -> None:
    region.boot()
    assert region.says("m1", "cat /etc/kilonode-test/written") == "by cloud-init"
    assert region.says("m1", "cat /etc/kilonode-test/ran") == "ran"
    wait_until(lambda: region.says("m1", "cloud-init status") == "status: done")
    wait_until(lambda: region.says("m1", "systemctl is-system-running") == "running")
    assert region.says("m1", "hostname") == "m1"


def test_a_unit_inside_a_machine_can_load_credentials(region: Region) -> None:
    region.boot()
    assert region.says("m1", "cat /run/credential-read") == "by cloud-init"
    assert region.says("m1", "ls /run/credentials | grep probe") == ""


def test_a_machine_has_its_planned_address_and_reaches_host_and_machines(region: Region) -> None:
    first, second = region.boot("m1", 10), region.boot("m2", 11)
    assert region.says("m1", "ip -4 -brief address show dev host0").split()[-1] == first.address
    assert reachable(first.address.split("/")[0])
    connect = "import socket,sys; s=socket.socket(); s.settimeout(60); sys.exit(s.connect_ex((sys.argv[1], 9)))"
    for target in (second.address.split("/")[0], str(region.network.gateway.ip), str(region.network.host_address.ip)):
        assert inside.run_in(region.name, "m1", ["python3", "-c", connect, target]).returncode == 111


def test_a_dead_machine_is_seen_and_started_again_with_its_root_and_its_disk(region: Region) -> None:
    disk = paths.make_private(paths.disk(region.name, "data"))
    spec = region.boot(binds=(nspawn.Bind(str(disk), "/var/lib/etcd"),))
    assert region.says("m1", "mountpoint /var/lib/etcd").endswith("is a mountpoint")
    region.says("m1", "echo data >/var/lib/etcd/file; echo root >/root/file; mkdir /var/lib/etcd/lost; sync")
    leader = cgroup.leader(region.name, "m1")
    cgroup.end(region.name, "m1")
    assert not machines.running(region.name, "m1")
    machines.ensure(spec)
    assert machines.running(region.name, "m1")
    assert cgroup.leader(region.name, "m1") != leader
    region.wait_booted()
    assert region.says("m1", "cat /var/lib/etcd/file /root/file").split() == ["data", "root"]
    assert region.says("m1", "cat /etc/kilonode-test/ran") == "ran", "a reboot is not a new instance"


def test_a_machine_whose_network_was_lost_counts_as_dead_and_comes_back_on_the_new_one(region: Region) -> None:
    spec = region.boot()
    netns.remove(region.name)
    assert cgroup.leader(region.name, "m1") is not None
    assert not machines.running(region.name, "m1")
    with pytest.raises(CommandError, match="make the region's Network first"):
        machines.ensure(spec)
    netns.ensure(region.network)
    machines.ensure(spec)
    region.wait_booted()
    assert reachable(spec.address.split("/")[0])


def test_a_machine_that_turns_itself_off_is_dead(region: Region) -> None:
    region.boot()
    inside.run_in(region.name, "m1", ["systemctl", "poweroff", "--force"])
    wait_until(lambda: not machines.running(region.name, "m1"))


def test_a_machine_made_by_a_run_that_died_before_recording_it_is_adopted(region: Region) -> None:
    spec = region.boot()
    leader = cgroup.leader(region.name, "m1")
    machines.ensure(spec)
    assert cgroup.leader(region.name, "m1") == leader


def test_a_half_made_machine_and_one_of_other_boot_data_are_made_anew(region: Region) -> None:
    spec = region.boot()
    region.says("m1", "touch /root/old")
    (paths.machine(region.name, "m1") / "boot.json").unlink()
    machines.ensure(spec)
    region.wait_booted()
    assert region.says("m1", "ls /root") == ""
    region.says("m1", "touch /root/old")
    machines.ensure(region.spec(user_data="#cloud-config\nruncmd: [[touch, /root/new]]\n"))
    wait_until(lambda: region.says("m1", "ls /root") == "new")


def test_a_machine_that_cannot_start_says_what_nspawn_said_and_can_be_removed(region: Region) -> None:
    spec = region.spec(binds=(nspawn.Bind("/nowhere/at-all", "/data"),))
    with pytest.raises(CommandError, match="/nowhere/at-all"):
        machines.ensure(spec)
    machines.remove(region.name, "m1")
    assert not paths.machine(region.name, "m1").exists()
    assert cgroup.pids(region.name) == []


def test_a_memory_limit_holds_from_the_start_and_changes_in_place(region: Region) -> None:
    machines.ensure(region.spec(memory_bytes=2**28))
    leader = cgroup.leader(region.name, "m1")
    limits = [folder / name for folder in cgroup.folders(region.name, "m1") for name in LIMIT_FILES]
    file = next(each for each in limits if each.exists())
    assert int(file.read_text()) == 2**28
    machines.ensure(region.spec(memory_bytes=2**29))
    assert int(file.read_text()) == 2**29
    assert cgroup.leader(region.name, "m1") == leader


def test_a_machine_at_rest_is_small_and_boots_with_little_processor_time(region: Region) -> None:
    region.boot()
    assert 2**20 < cgroup.memory_bytes(region.name) < 40 * 2**20
    booted = cgroup.cpu_seconds(region.name)
    # By what this very processor takes to load cloud-init once; a boot has two stages of it, and systemd.
    once = float(region.says("m1", "python3 -c 'import cloudinit.cmd.main, time; print(time.process_time())'"))
    assert booted < 19 * once, (booted, once)


def test_a_machine_cannot_write_its_read_only_binds_nor_the_hosts_settings(region: Region) -> None:
    folder = paths.make_private(paths.secrets(region.name, "m1"))
    (folder / "key").write_text("k")
    region.boot(binds=(nspawn.Bind(str(folder), "/run/secrets", read_only=True),))
    assert region.says("m1", "cat /run/secrets/key") == "k"
    assert inside.run_in(region.name, "m1", ["touch", "/run/secrets/key2"]).returncode != 0
    assert inside.run_in(region.name, "m1", ["sh", "-c", "echo 1 >/proc/sys/vm/swappiness"]).returncode != 0


def test_no_mount_of_a_machine_is_seen_on_the_host(region: Region) -> None:
    before = Path("/proc/self/mountinfo").read_text()
    region.boot()
    assert Path("/proc/self/mountinfo").read_text() == before


def test_two_regions_of_like_names_live_side_by_side_and_go_apart(make_region: Callable[[str], Region]) -> None:
    name = unique()
    one, other = make_region(name), make_region(f"{name}-b")
    one.boot()
    other.boot()
    leader = cgroup.leader(other.name, "m1")
    kept = sweep.leftovers(other.name)
    assert sweep.sweep(one.name)
    assert sweep.leftovers(one.name) == []
    assert cgroup.leader(other.name, "m1") == leader
    assert sweep.leftovers(other.name) == kept
    wait_until(lambda: other.says("m1", "systemctl is-system-running") == "running")


def test_a_region_that_came_and_went_leaves_the_host_as_it_was(make_region: Callable[[str], Region]) -> None:
    before = (sysctls(), Path("/proc/self/mountinfo").read_text(), sorted(Path("/sys/class/net").iterdir()))
    region = make_region(unique())
    region.boot()
    sweep.sweep(region.name)
    assert sysctls() == before[0]
    assert Path("/proc/self/mountinfo").read_text() == before[1]
    assert sorted(Path("/sys/class/net").iterdir()) == before[2]
