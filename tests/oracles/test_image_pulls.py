"""containerd with a pool's files, asked for an image as kubelet asks: the mirror serves it, and faults do not hide."""

import tarfile
from collections.abc import Iterator
from dataclasses import replace

import grpc
import pytest

import toolchain
from kilonode.boot.machine import File
from kilonode.clouds.local.host import oci
from kilonode.clouds.local.host.images import BuiltImage
from kilonode.nodes.containerd import MOUNT, PATH, SOCKET, config_toml, containerd_settings, hosts_file
from kilonode.nodes.platform import CONTAINER, Snapshotter
from tests.nodes.pools import machine_pool
from tests.oracles.machine import PATIENCE, Machine, Running, wait_for

pytestmark = [pytest.mark.tools, pytest.mark.region]

MIRROR = "127.0.0.1:5000"
REGISTRY = "registry.example.com:5443"
POOL = machine_pool(mirrors=[{"registry": REGISTRY, "endpoints": [f"http://{MIRROR}"]}])
TEXT = config_toml(containerd_settings(POOL, CONTAINER))
HOSTS = hosts_file(POOL.mirrors[0])
CRANE = "/opt/crane/crane"
CTR = ("/usr/local/bin/ctr", "--namespace=k8s.io")


@pytest.fixture(scope="module")
def node(image: BuiltImage) -> Iterator[Machine]:
    """A machine with a disk for containerd, and a registry of its own that stands for a mirror."""
    with Machine(image, "pulls", disk=MOUNT, binds={"/opt/crane": toolchain.locate("crane")}) as machine:
        registry = machine.start([CRANE, "registry", "serve", f"--address={MIRROR}"])
        registry.until(lambda: machine.run([CRANE, "catalog", "--insecure", MIRROR]).returncode == 0, "the mirror")
        yield machine


@pytest.fixture(scope="module")
def digest(node: Machine, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digest of ``team/train:v1`` in the mirror."""
    folder = tmp_path_factory.mktemp("image")
    (folder / "program").write_bytes(b"a program" * 1000)
    made = oci.write_archive(folder / "x.tar", "x", {"/program": folder / "program"}, entrypoint=["/program"])
    layout = node.path("/root/layout")
    layout.mkdir(parents=True)
    with tarfile.open(folder / "x.tar") as archive:
        archive.extractall(layout, filter="data")
    node.run([CRANE, "push", "--insecure", "/root/layout", f"{MIRROR}/team/train:v1"], check=True)
    return made


def started(node: Machine, text: str = TEXT, *files: File) -> Running:
    node.run(["rm", "-rf", HOSTS.path, SOCKET])
    node.write([File(PATH, text), *files])
    return node.start(["/usr/local/bin/containerd", f"--config={PATH}"])


def pull(node: Machine, name: str) -> None:
    """PullImage of the CRI, whose request is one message with one text in it."""
    image = b"\x0a" + bytes([len(name)]) + name.encode()
    request = b"\x0a" + bytes([len(image)]) + image
    with grpc.insecure_channel(f"unix://{node.path(SOCKET)}") as channel:
        channel.unary_unary("/runtime.v1.ImageService/PullImage")(request, timeout=PATIENCE, wait_for_ready=True)


@pytest.mark.parametrize("snapshotter", ["overlayfs", "native"])
def test_an_image_comes_from_the_mirror_under_its_own_name_and_is_unpacked(
    node: Machine, digest: str, snapshotter: Snapshotter
) -> None:
    settings = replace(containerd_settings(POOL, CONTAINER), snapshotter=snapshotter)
    running = started(node, config_toml(settings), HOSTS)
    try:
        pull(node, f"{REGISTRY}/team/train:v1")
        listed = node.run([*CTR, "images", "list"], check=True).stdout
        (line,) = [line for line in listed.splitlines() if line.startswith(f"{REGISTRY}/team/train:v1 ")]
        assert digest in line
        snapshots = node.run([*CTR, "snapshots", f"--snapshotter={snapshotter}", "list"], check=True).stdout
        assert len(snapshots.splitlines()) == 2
        assert "Falling back to local image pull mode" not in running.text()
        assert "Unpack configuration not supported" not in running.text()
    finally:
        running.kill()


def test_without_its_file_the_mirror_is_not_asked(node: Machine, digest: str) -> None:
    running = started(node)
    try:
        with pytest.raises(grpc.RpcError, match=r"registry\.example\.com"):
            pull(node, f"{REGISTRY}/team/train:v1")
    finally:
        running.kill()


def test_a_limit_of_downloads_among_the_cri_plugin_s_keys_turns_the_transfer_service_off(node: Machine) -> None:
    """Why it stands where it stands."""
    old = '[plugins."io.containerd.cri.v1.images"]\n'
    assert TEXT.count(old) == 1
    running = started(node, TEXT.replace(old, f"{old}max_concurrent_downloads = 10\n"))
    try:
        wait_for(lambda: "Falling back to local image pull mode" in running.text(), "the fallback", running.tail)
    finally:
        running.kill()


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('\nsnapshotter = "overlayfs"', '\nsnapshotter = "overlayfz"', "failed to find snapshotter"),
        ('default_runtime_name = "runc"', 'default_runtime_name = "runs"', "no corresponding runtime configured"),
        ('image_pull_progress_timeout = "30m"', 'image_pull_progress_timeout = "30"', "missing unit in duration"),
    ],
)
def test_a_containerd_that_kubelet_could_not_use_does_not_start(node: Machine, old: str, new: str, says: str) -> None:
    assert TEXT.count(old) == 1
    running = started(node, TEXT.replace(old, new))
    running.fails(PATIENCE)
    assert says in running.text()
    assert "load required plugin" in running.text()
