"""The file of containerd, read by the line it is written for: each value is in force, and a broken copy is caught.

containerd passes over a key it does not know, so what is looked at is the configuration it ends up with.
"""

import tomllib
from pathlib import Path
from typing import get_args

import pytest

from kilonode.nodes.containerd import Line, config_toml, containerd_settings
from kilonode.nodes.platform import CONTAINER, MACHINE, NodePlatform
from tests.nodes.pools import UNLIKE_DEFAULTS
from tests.oracles.effective import Broken, RefusedFileError, as_dumped, containerd, leaves, missing, named

pytestmark = pytest.mark.tools

UNKNOWN = "Ignoring unknown key"


def containerd_text(line: Line, platform: NodePlatform = MACHINE) -> str:
    return config_toml(containerd_settings(UNLIKE_DEFAULTS, platform), line)


@pytest.mark.parametrize("platform", [MACHINE, CONTAINER], ids=["machine", "container"])
@pytest.mark.parametrize("line", get_args(Line))
def test_every_value_of_ours_is_in_force_in_the_containerd_it_is_written_for(
    line: Line, platform: NodePlatform, tmp_path: Path
) -> None:
    text = containerd_text(line, platform)
    read = containerd(line, text, tmp_path)
    assert missing(as_dumped(line, tomllib.loads(text)), read) == set()
    assert UNKNOWN not in read.said


@pytest.mark.parametrize("line", get_args(Line))
def test_runc_has_the_options_we_name(line: Line, tmp_path: Path) -> None:
    """containerd hands options on as they are, so its dump says nothing of their names; its defaults do."""
    plugin = {"1.7": "io.containerd.grpc.v1.cri", "2": "io.containerd.cri.v1.runtime"}[line]
    known = containerd(line, f"version = {2 if line == '1.7' else 3}\n", tmp_path).leaves
    ours = [path for path in leaves(tomllib.loads(containerd_text(line))) if ".runc.options." in path]
    assert len(ours) == 2
    assert all(path.startswith(f"plugins.{plugin}.") and path in known for path in ours)


V2 = "plugins.io.containerd.cri.v1"
TRANSFER = "plugins.io.containerd.transfer.v1.local"
V1 = "plugins.io.containerd.grpc.v1.cri"
CONTAINERD_ROWS: list[tuple[Line, Broken]] = [
    ("2", Broken("SystemdCgroup", "SystemdCGroup", loses=(f"{V2}.runtime.containerd.runtimes.runc.options.SystemdCgroup",))),
    ("2", Broken("SystemdCgroup = true", "SystemdCgroup = 'true'", loses=(f"{V2}.runtime.containerd.runtimes.runc.options.SystemdCgroup",))),
    ("2", Broken("bin_dirs = [\n    \"/usr/lib/cni\",\n]", "bin_dir = '/usr/lib/cni'", loses=(f"{V2}.runtime.cni.bin_dirs.0",))),
    ("2", Broken("image_pull_progress_timeout", "image_pull_progress_timeouts", loses=(f"{V2}.images.image_pull_progress_timeout",))),
    ("2", Broken("pinned_images]\nsandbox", "pinned_images]\nsandbox_image", loses=(f"{V2}.images.pinned_images.sandbox",))),
    ("2", Broken("cri.v1.images\".registry", "cri.v1.runtime\".registry", loses=(f"{V2}.images.registry.config_path",))),
    ("2", Broken("transfer.v1.local\"]\n", "cri.v1.imagez\"]\n", loses=(f"{TRANSFER}.max_concurrent_downloads", f"{TRANSFER}.unpack_config.0.platform", f"{TRANSFER}.unpack_config.0.snapshotter", f"{TRANSFER}.unpack_config.0.differ"))),
    ("2", Broken("max_concurrent_downloads = 9", "max_concurrent_downloads = '9'", says="cannot decode TOML string into struct field")),
    ("2", Broken("restrict_oom_score_adj = false", "restrict_oom_score_adj = 'no'", says="cannot decode TOML string into struct field")),
    ("2", Broken("version = 3", "version = 5", says="expected containerd config version equal to or less than `4`")),
    ("2", Broken("[metrics]", "[metrics", says="failed to unmarshal TOML")),
    ("2", Broken("root = ", "roots = ", loses=("root",))),
    ("1.7", Broken("SystemdCgroup", "SystemdCGroup", loses=(f"{V1}.containerd.runtimes.runc.options.SystemdCgroup",))),
    ("1.7", Broken("sandbox_image", "sandbox", loses=(f"{V1}.sandbox_image",))),
    ("1.7", Broken("bin_dir = ", "bin_dirs = ", loses=(f"{V1}.cni.bin_dir",))),
    ("1.7", Broken("max_concurrent_downloads = 9", "max_concurrent_downloads = '9'", says="Can't convert 9(string) to")),
    ("1.7", Broken("version = 2", "version = 3", says="unsupported config version `3`")),
    ("1.7", Broken("[metrics]", "[metrics", says="unexpected token table key")),
]  # fmt: skip


@pytest.mark.parametrize(("line", "row"), CONTAINERD_ROWS, ids=named)
def test_a_broken_copy_for_containerd_is_caught(line: Line, row: Broken, tmp_path: Path) -> None:
    text = containerd_text(line)
    if row.says:
        with pytest.raises(RefusedFileError) as refused:
            containerd(line, row.of(text), tmp_path)
        assert row.says in str(refused.value)
    else:
        read = containerd(line, row.of(text), tmp_path)
        assert missing(as_dumped(line, tomllib.loads(text)), read) == set(row.loses)


def test_the_file_of_another_line_is_not_read_by_the_older_one(tmp_path: Path) -> None:
    with pytest.raises(RefusedFileError, match="unsupported config version `3`"):
        containerd("1.7", containerd_text("2"), tmp_path)
