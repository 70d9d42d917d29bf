import subprocess
from pathlib import Path

import pytest

from kilonode.clouds.local.host import names, nspawn, overlay


def test_a_bind_escapes_what_nspawn_would_split_at() -> None:
    assert nspawn.Bind("/a:b", "/c\\d", read_only=True).argument() == "--bind-ro=/a\\:b:/c\\\\d"


def test_a_machine_runs_on_its_regions_bridge_under_a_name_of_its_region() -> None:
    argv = nspawn.machine_argv("west", "etcd-1", Path("/root-of-it"), [])
    assert argv[:2] == ["nsenter", "--net=/run/netns/kilonode-west"]
    assert {"--network-bridge=br0", f"--machine={names.nspawn('west', 'etcd-1')}", "--hostname=etcd-1"} <= set(argv)


@pytest.mark.parametrize("runs_containers", [False, True])
def test_of_the_kernels_settings_a_machine_can_write_those_of_its_network_alone(runs_containers: bool) -> None:
    argv = nspawn.machine_argv("west", "m", Path("/r"), [], runs_containers=runs_containers)
    assert [word for word in argv if "VFS_WRITABLE" in word] == ["SYSTEMD_NSPAWN_API_VFS_WRITABLE=network"]


def test_only_a_machine_that_runs_containers_has_every_capability() -> None:
    plain = nspawn.machine_argv("west", "m", Path("/r"), [])
    node = nspawn.machine_argv("west", "m", Path("/r"), [], runs_containers=True)
    assert set(node) - set(plain) == set(nspawn.CONTAINERS)
    assert not [word for word in plain if word.startswith(("--capability", "--system-call-filter"))]


def test_the_launcher_has_joined_every_cgroup_when_it_returns(tmp_path: Path) -> None:
    joined = [tmp_path / "one", tmp_path / "two"]
    argv = nspawn.launch_argv(cgroups=joined, console=tmp_path / "console", overlay="", root=tmp_path, machine=["true"])
    inert = [word if word != "unshare" else "true" for word in argv]
    subprocess.run(inert, check=True)
    assert joined[0].read_text() == joined[1].read_text() != ""


def test_the_launcher_starts_nothing_when_its_cgroup_is_gone(tmp_path: Path) -> None:
    argv = nspawn.launch_argv(
        cgroups=[tmp_path / "swept" / "cgroup.procs"],
        console=tmp_path / "console",
        overlay="",
        root=tmp_path,
        machine=[],
    )
    assert subprocess.run(argv, check=False, stderr=subprocess.DEVNULL).returncode != 0
    assert not (tmp_path / "console").exists()


def test_overlay_options_escape_what_the_kernel_would_split_at() -> None:
    text = overlay.options([Path("/top:1"), Path("/base,2")], Path("/up"), Path("/work"))
    assert text == "lowerdir=/top\\:1:/base\\,2,upperdir=/up,workdir=/work"
