"""A containerd of a test's own that pulls nothing and runs nothing: it loads archives as a node's does."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import toolchain
from tests.clouds.local.conftest import PATIENCE, wait_until

NATIVE = ("--snapshotter", "native")
"""Plain copies, which work in any folder."""

CONFIGURATION = """version = 3
root = "{folder}/root"
state = "{folder}/state"
# Everything that would touch the host's network or its containers.
disabled_plugins = ["io.containerd.cri.v1.images", "io.containerd.cri.v1.runtime", "io.containerd.grpc.v1.cri", "io.containerd.nri.v1.nri"]
[grpc]
address = "{folder}/sock"
[plugins."io.containerd.transfer.v1.local"]
unpack_config = [{{ platform = "linux", snapshotter = "native", differ = "walking" }}]
"""


@contextmanager
def containerd(folder: Path) -> Iterator[tuple[str, ...]]:
    """Run it until the end of the block; yields the words that `ctr` is called with for images."""
    programs = toolchain.locate("containerd")
    (folder / "config.toml").write_text(CONFIGURATION.format(folder=folder))
    with serving(programs / "containerd", "--config", folder / "config.toml", folder=folder):
        wait_until((folder / "sock").exists)
        yield (str(programs / "ctr"), "-a", str(folder / "sock"), "-n", "k8s.io", "images")


@contextmanager
def serving(*words: object, folder: Path) -> Iterator[None]:
    """Run a server until the end of the block; what it says lands in the folder's log."""
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(list(map(str, words)), stdout=log, stderr=subprocess.STDOUT)
    try:
        yield
    finally:
        server.terminate()
        server.wait(timeout=PATIENCE)


def ask(*words: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=PATIENCE, check=False)


def says(*words: object) -> str:
    answer = ask(*words)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout
