"""What containerd is told, in the words of the line that reads it."""

import tomllib
from dataclasses import replace
from typing import Any, get_args

import pytest

from kilonode.nodes.containerd import (
    MOUNT,
    SOCKET,
    ContainerdSettings,
    Line,
    config_toml,
    containerd_settings,
    hosts_file,
)
from kilonode.nodes.images import PAUSE
from kilonode.nodes.kubelet import kubelet_config
from kilonode.nodes.platform import CONTAINER, MACHINE, NodePlatform
from tests.nodes.pools import machine_pool
from tests.nodes.test_kubelet import DNS

LINES = get_args(Line)
CRI_1, RUNTIME, IMAGES = "io.containerd.grpc.v1.cri", "io.containerd.cri.v1.runtime", "io.containerd.cri.v1.images"
TRANSFER = "io.containerd.transfer.v1.local"


def settings(platform: NodePlatform = MACHINE, **changes: Any) -> ContainerdSettings:
    return containerd_settings(machine_pool(**changes), platform)


def config(line: Line, made: ContainerdSettings | None = None) -> dict[str, Any]:
    return tomllib.loads(config_toml(made or settings(), line))


def runc(line: Line, made: ContainerdSettings | None = None) -> Any:
    plugins = config(line, made)["plugins"]
    return plugins[CRI_1 if line == "1.7" else RUNTIME]["containerd"]["runtimes"]["runc"]


def keys(value: Any) -> set[str]:
    """Every key of a document, at any depth."""
    if isinstance(value, list):
        return {key for item in value for key in keys(item)}
    return {key for name, inner in value.items() for key in {name, *keys(inner)}} if isinstance(value, dict) else set()


class TestSections:
    """Case K08: a key in another section, or under another line's name, is passed over without an error."""

    def test_each_line_has_its_own_version_and_plugins(self) -> None:
        assert (config("1.7")["version"], set(config("1.7")["plugins"])) == (2, {CRI_1})
        assert (config("2")["version"], set(config("2")["plugins"])) == (3, {RUNTIME, IMAGES, TRANSFER})

    def test_no_line_has_a_key_of_the_other(self) -> None:
        assert keys(config("1.7")) - keys(config("2")) == {CRI_1, "sandbox_image", "bin_dir"}
        assert keys(config("2")) - keys(config("1.7")) == {
            RUNTIME, IMAGES, TRANSFER, "pinned_images", "sandbox", "bin_dirs", "unpack_config", "platform", "differ",
        }  # fmt: skip
        assert CRI_1 not in config_toml(settings(), "2")
        assert "cri.v1." not in config_toml(settings(), "1.7")

    @pytest.mark.parametrize("line", LINES)
    def test_who_makes_cgroups_is_said_to_runc_and_nowhere_else(self, line: Line) -> None:
        for platform, systemd in ((MACHINE, True), (CONTAINER, False)):
            made = settings(platform)
            assert runc(line, made)["options"]["SystemdCgroup"] is systemd
            assert "systemd_cgroup" not in keys(config(line, made))
            driver = kubelet_config(machine_pool(), platform, dns=DNS, domain="cluster.local")["cgroupDriver"]
            assert (driver == "systemd") is systemd

    @pytest.mark.parametrize("line", LINES)
    def test_containerd_does_not_start_without_what_kubelet_asks(self, line: Line) -> None:
        plugins = {"1.7": {CRI_1}, "2": {RUNTIME, IMAGES}}[line]
        assert set(config(line)["required_plugins"]) == plugins <= set(config(line)["plugins"])

    def test_the_limit_of_downloads_does_not_turn_the_transfer_service_off(self) -> None:
        """Any value but 3 among the CRI plugin's own keys does; see containerd's CheckLocalImagePullConfigs."""
        plugins = config("2", settings(pulls={"concurrentDownloads": 7}))["plugins"]
        assert plugins[TRANSFER]["max_concurrent_downloads"] == 7
        assert "max_concurrent_downloads" not in keys(plugins[IMAGES])
        assert (
            config("1.7", settings(pulls={"concurrentDownloads": 7}))["plugins"][CRI_1]["max_concurrent_downloads"] == 7
        )

    @pytest.mark.parametrize("snapshotter", ["overlayfs", "native"])
    def test_the_transfer_service_unpacks_for_the_snapshotter_in_use(self, snapshotter: Any) -> None:
        plugins = config("2", replace(settings(), snapshotter=snapshotter))["plugins"]
        assert [row["snapshotter"] for row in plugins[TRANSFER]["unpack_config"]] == [snapshotter]
        assert plugins[IMAGES]["snapshotter"] == snapshotter
        older = config("1.7", replace(settings(), snapshotter=snapshotter))["plugins"][CRI_1]
        assert older["containerd"]["snapshotter"] == snapshotter


@pytest.mark.parametrize("line", LINES)
class TestValues:
    def test_data_lies_strictly_below_the_mount(self, line: Line) -> None:
        assert config(line)["root"].startswith(f"{MOUNT}/")

    def test_kubelet_is_told_where_containerd_listens(self, line: Line) -> None:
        endpoint = kubelet_config(machine_pool(), MACHINE, dns=DNS, domain="x")["containerRuntimeEndpoint"]
        assert endpoint == f"unix://{config(line)['grpc']['address']}" == f"unix://{SOCKET}"

    def test_a_pull_without_progress_ends_after_what_the_pool_says(self, line: Line) -> None:
        plugins = config(line, settings(pulls={"progressTimeout": "45m"}))["plugins"]
        assert plugins[CRI_1 if line == "1.7" else IMAGES]["image_pull_progress_timeout"] == "45m"

    def test_metrics_are_served_on_the_machine_itself_or_not_at_all(self, line: Line) -> None:
        assert config(line)["metrics"]["address"].startswith("127.0.0.1:")
        assert "metrics" not in config(line, replace(settings(), metrics=""))

    def test_a_container_lowers_no_oom_score(self, line: Line) -> None:
        for platform, restricted in ((MACHINE, False), (CONTAINER, True)):
            plugins = config(line, settings(platform))["plugins"]
            assert plugins[CRI_1 if line == "1.7" else RUNTIME]["restrict_oom_score_adj"] is restricted

    def test_every_setting_is_in_the_file(self, line: Line) -> None:
        """Changed, each changes it: none is written nowhere."""
        plain = config_toml(settings(), line)
        other: dict[str, Any] = {
            "snapshotter": "native", "systemd_cgroup": False, "restrict_oom_score_adj": True, "concurrent_downloads": 99,
            "progress_timeout": "99m", "disabled_plugins": ("io.containerd.internal.v1.opt",),
        }  # fmt: skip
        for name in ContainerdSettings.__dataclass_fields__:
            changed = replace(settings(), **{name: other.get(name, "/elsewhere")})
            assert config_toml(changed, line) != plain, name


def test_the_settings_are_the_pool_s_and_the_platform_s() -> None:
    made = settings(CONTAINER, pulls={"concurrentDownloads": 4, "progressTimeout": "1h"})
    assert (made.concurrent_downloads, made.progress_timeout, made.sandbox_image) == (4, "1h", PAUSE)
    assert (made.snapshotter, made.systemd_cgroup, made.restrict_oom_score_adj) == ("overlayfs", False, True)


class TestHosts:
    def test_mirrors_are_asked_in_order_and_the_registry_itself_last(self) -> None:
        urls = ["https://b.example.com", "http://a.example.com:5000/proxy"]
        (mirror,) = machine_pool(mirrors=[{"registry": "registry.example.com:5000", "endpoints": urls}]).mirrors
        file = hosts_file(mirror)
        assert file.path == "/etc/containerd/certs.d/registry.example.com:5000/hosts.toml"
        document = tomllib.loads(file.content)
        assert list(document["host"]) == urls
        assert all(host == {"capabilities": ["pull", "resolve"]} for host in document["host"].values())
        assert "server" not in document

    @pytest.mark.parametrize("line", LINES)
    def test_the_file_is_where_containerd_looks(self, line: Line) -> None:
        plugins = config(line)["plugins"]
        folder = plugins[CRI_1 if line == "1.7" else IMAGES]["registry"]["config_path"]
        (mirror,) = machine_pool(mirrors=[{"registry": "docker.io", "endpoints": ["https://a"]}]).mirrors
        assert hosts_file(mirror).path == f"{folder}/docker.io/hosts.toml"
