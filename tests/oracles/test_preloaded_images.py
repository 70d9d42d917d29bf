"""Archives of the machine image, loaded by the image's own program into a real containerd."""

import json
import secrets
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from kilonode.boot.machine import File
from kilonode.clouds.local.host import oci
from kilonode.clouds.local.host.images import BuiltImage
from kilonode.nodes.images import FOLDER, PreloadedImage, PreloadedImageSpec, images_document
from tests.oracles.machine import Machine

pytestmark = [pytest.mark.tools, pytest.mark.region]

INDEX = "/etc/kilonode/images.json"
LOAD = ["/usr/lib/kilonode/preload-images", INDEX]
REFERENCE = "registry.example.com/team/train:v3"
OTHER = "sha256:" + "0" * 64


@pytest.fixture(scope="module")
def node(image: BuiltImage) -> Iterator[Machine]:
    with Machine(image, "preload", disk="/var/lib/containerd") as machine:
        containerd = machine.start(["/usr/local/bin/containerd", "--root=/var/lib/containerd/data"])
        containerd.until(lambda: machine.run(["/usr/local/bin/ctr", "version"]).returncode == 0, "containerd")
        yield machine


@pytest.fixture
def archive(node: Machine, tmp_path: Path) -> PreloadedImage:
    """An image whose archive calls it otherwise, and whose content containerd has not seen."""
    (tmp_path / "program").write_text(f"a program {secrets.token_hex()}")
    landed = node.path(f"{FOLDER}/train.tar")
    landed.parent.mkdir(parents=True, exist_ok=True)
    digest = oci.write_archive(
        landed, "somewhere.example/else:v1", {"/program": tmp_path / "program"}, entrypoint=["/program"]
    )
    for name in listed(node):
        node.run(["/usr/local/bin/ctr", "--namespace=k8s.io", "images", "remove", name])
    return PreloadedImage(REFERENCE, digest, f"{FOLDER}/train.tar")


def listed(node: Machine) -> dict[str, str]:
    """Every image's name and the rest of its line."""
    lines = node.run(["/usr/local/bin/ctr", "--namespace=k8s.io", "images", "list"], check=True).stdout.splitlines()[1:]
    return {line.split()[0]: line for line in lines if not line.startswith("sha256:")}


def wanted(node: Machine, *images: PreloadedImage) -> None:
    node.write([File(INDEX, images_document(images))])


def test_an_image_is_loaded_under_the_name_pods_use_pinned_and_without_a_registry(
    node: Machine, archive: PreloadedImage
) -> None:
    wanted(node, archive)
    loaded = node.run(LOAD)
    assert loaded.returncode == 0, loaded.stderr
    found = listed(node)
    assert set(found) == {REFERENCE}
    assert archive.digest in found[REFERENCE]
    assert "io.cri-containerd.pinned=pinned" in found[REFERENCE]


def test_loading_again_loads_nothing(node: Machine, archive: PreloadedImage) -> None:
    wanted(node, archive)
    assert f"{archive.digest} loaded" in node.run(LOAD).stdout
    again = node.run(LOAD)
    assert (again.returncode, again.stdout) == (0, f"{REFERENCE}: {archive.digest} is there\n")


def test_an_archive_with_another_digest_is_an_error_that_names_both_and_loads_nothing(
    node: Machine, archive: PreloadedImage
) -> None:
    wanted(node, PreloadedImage(REFERENCE, OTHER, archive.archive))
    refused = node.run(LOAD)
    assert refused.returncode == 1
    assert refused.stderr.strip() == (
        f"{REFERENCE}: {archive.archive} holds {archive.digest}, the pool asks for {OTHER}; nothing of it was loaded"
    )
    assert listed(node) == {}


def test_an_archive_whose_bytes_were_altered_is_an_error(node: Machine, archive: PreloadedImage) -> None:
    wanted(node, archive)
    file = node.path(archive.archive)
    file.write_bytes(file.read_bytes().replace(b"a program ", b"a pr0gram "))
    broken = node.run(LOAD)
    assert broken.returncode == 1
    assert "digest" in broken.stderr
    assert listed(node) == {}


def test_an_archive_made_by_tar_in_a_folder_is_loaded_as_any_other(
    node: Machine, archive: PreloadedImage, tmp_path: Path
) -> None:
    """Its members are called ./x."""
    file, layout = node.path(archive.archive), tmp_path / "layout"
    layout.mkdir()
    subprocess.run(["tar", "-C", layout, "-xf", file], check=True)
    subprocess.run(["tar", "-C", layout, "-cf", file, "."], check=True)
    assert oci.digest_of(file) == archive.digest
    wanted(node, archive)
    node.run(LOAD, check=True)
    assert archive.digest in listed(node)[REFERENCE]


@pytest.mark.parametrize(
    "name", ["a.b/" + "x" * 251 + ":v1", "a.b:65535/x:v1", "docker.io/library/nginx:1", "localhost/x_y/z--1.2:A_"]
)
def test_a_name_that_a_pool_may_ask_for_is_one_that_a_node_can_give(
    node: Machine, archive: PreloadedImage, name: str
) -> None:
    row = PreloadedImageSpec.read({"reference": f"{name}@{archive.digest}", "archive": "/x.tar"}, "image")
    wanted(node, PreloadedImage(row.name, archive.digest, archive.archive))
    node.run(LOAD, check=True)
    assert set(listed(node)) == {name}


def test_a_name_that_looks_like_an_option_is_refused_as_a_name_in_one_line(
    node: Machine, archive: PreloadedImage
) -> None:
    wanted(node, PreloadedImage("-a.b/x:v1", archive.digest, archive.archive))
    refused = node.run(LOAD)
    assert refused.returncode == 1
    (line,) = refused.stderr.splitlines()
    assert line.endswith('"-a.b/x:v1" is not a valid repository/tag invalid reference format')


def test_a_missing_archive_is_an_error_that_says_where_it_should_be(node: Machine, archive: PreloadedImage) -> None:
    wanted(node, PreloadedImage(REFERENCE, archive.digest, f"{FOLDER}/gone.tar"))
    assert f"{FOLDER}/gone.tar is not in the machine image" in node.run(LOAD).stderr


def test_an_image_that_moved_to_another_digest_is_loaded_anew(
    node: Machine, archive: PreloadedImage, tmp_path: Path
) -> None:
    wanted(node, archive)
    node.run(LOAD, check=True)
    (tmp_path / "program").write_text(f"a newer program {secrets.token_hex()}")
    newer = oci.write_archive(
        node.path(archive.archive), REFERENCE, {"/program": tmp_path / "program"}, entrypoint=["/program"]
    )
    wanted(node, PreloadedImage(REFERENCE, newer, archive.archive))
    node.run(LOAD, check=True)
    assert newer in listed(node)[REFERENCE]
    assert json.loads(images_document([archive]))[0]["digest"] != newer
