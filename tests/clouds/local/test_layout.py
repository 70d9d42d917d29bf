"""Which archives a plan takes: those of which a node here gets an image that it can run."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from kilonode.clouds.local.host import oci
from kilonode.clouds.local.host.layout import ARCHITECTURE, DOCUMENT_LENGTH
from kilonode.refusal import RefusedError
from tests.clouds.local.containerd import NATIVE, ask, containerd, says
from tests.clouds.local.layouts import OCI, OTHER, Descriptor, Written, document, member, on, tar

Make = Callable[[Written], Descriptor]
WHOLE: dict[str, Make] = {
    "an image": lambda layout: layout.image(),
    "an index": lambda layout: layout.index(on(layout.image())),
    "an index in an index": lambda layout: layout.index(layout.index(on(layout.image()))),
    "two platforms": lambda layout: layout.index(on(layout.image(OTHER), OTHER), on(layout.image())),
    "another platform's parts left out": lambda layout: layout.index(
        on(layout.image(OTHER, lost="manifest"), OTHER), on(layout.image())
    ),
    "newer machines' parts left out": lambda layout: layout.index(
        on(layout.image(lost="manifest"), variant="v3"), on(layout.image())
    ),
    "an attestation left out": lambda layout: layout.index(
        on(layout.image()), on(layout.image(lost="manifest"), "unknown", os="unknown")
    ),
    "platforms in configurations only": lambda layout: layout.index(layout.image(), layout.image(OTHER)),
    "a row with its platform after one without": lambda layout: layout.index(layout.image(OTHER), on(layout.image())),
}
NOT_LOADED: dict[str, tuple[Make, str]] = {
    "no manifest": (lambda layout: layout.image(lost="manifest"), "its manifest sha256:"),
    "no configuration": (lambda layout: layout.image(lost="config"), "its configuration sha256:"),
    "no layer": (lambda layout: layout.image(lost="layer"), "its layer sha256:"),
    "no layer in an index": (lambda layout: layout.index(on(layout.image(lost="layer"))), "its layer sha256:"),
    "a row without platform left out": (
        lambda layout: layout.index(layout.image(), layout.image(OTHER, lost="manifest")),
        "its manifest sha256:",
    ),
    "the first of two left out": (
        lambda layout: layout.index(on(layout.image(lost="manifest")), on(layout.image())),
        "its manifest sha256:",
    ),
    "said to be for others": (lambda layout: on(layout.image(), OTHER), f"no image for linux/{ARCHITECTURE}"),
}
NOT_RUN: dict[str, tuple[Make, str]] = {
    "another architecture": (lambda layout: layout.image(OTHER), f"no image for linux/{ARCHITECTURE}"),
    "another system": (lambda layout: layout.image(system="windows"), f"no image for linux/{ARCHITECTURE}"),
    "an index of others": (
        lambda layout: layout.index(on(layout.image(OTHER), OTHER)),
        f"no image for linux/{ARCHITECTURE}",
    ),
    "another's first, platforms in configurations only": (
        lambda layout: layout.index(layout.image(OTHER), layout.image()),
        f"no image for linux/{ARCHITECTURE}",
    ),
    "an index of none": (lambda layout: layout.index(), f"no image for linux/{ARCHITECTURE}"),
    "said to be for this": (
        lambda layout: layout.index(on(layout.image(OTHER))),
        f"no image for linux/{ARCHITECTURE}",
    ),
}


def refused(archive: Path) -> str:
    with pytest.raises(RefusedError) as refusal:
        oci.digest_of(archive)
    (found,) = refusal.value.refusals
    assert (found.field, found.given) == ("archive", str(archive))
    assert found.allowed == f"an uncompressed OCI image archive with one image, whole for linux/{ARCHITECTURE}"
    return found.why


@pytest.mark.parametrize("make", WHOLE.values(), ids=WHOLE)
def test_a_whole_image_for_this_machine_is_taken_whatever_else_is_missing(tmp_path: Path, make: Make) -> None:
    layout = Written()
    row = make(layout)
    assert oci.digest_of(layout.pack(tmp_path / "image.tar", row)) == row["digest"]


@pytest.mark.parametrize(("make", "told"), [*NOT_LOADED.values(), *NOT_RUN.values()], ids=[*NOT_LOADED, *NOT_RUN])
def test_what_a_node_could_not_load_or_not_run_is_refused(tmp_path: Path, make: Make, told: str) -> None:
    layout = Written()
    assert told in refused(layout.pack(tmp_path / "image.tar", make(layout)))


@pytest.mark.parametrize("name", ["manifest", "config", "layer"])
def test_a_part_of_another_size_is_refused_and_no_layer_is_read(tmp_path: Path, name: str) -> None:
    layout = Written()
    image = layout.image()
    marks = {"manifest": b'"config": {"mediaType"', "config": b'"rootfs"', "layer": b"program"}
    (found,) = [part for part, content in layout.parts.items() if marks[name] in content]
    layout.parts[found] += b"\0"
    size = len(layout.parts[found])
    assert f"has {size} bytes, and should have {size - 1}" in refused(layout.pack(tmp_path / "image.tar", image))


def test_another_content_of_the_same_size_is_seen_in_documents_and_left_to_containerd_in_layers(tmp_path: Path) -> None:
    layout = Written("one")
    image = layout.image()
    altered = {name: content.replace(b"one", b"two") for name, content in layout.parts.items()}
    layout.parts = altered
    assert oci.digest_of(layout.pack(tmp_path / "layer.tar", image)) == image["digest"]
    layout.parts[member(image)] = layout.parts[member(image)].replace(b"schemaVersion", b"shcemaVersion")
    assert refused(layout.pack(tmp_path / "manifest.tar", image)) == f"its manifest {image['digest']} is changed"


LAYOUT = Written().parts
ROW = {"mediaType": f"{OCI}.manifest.v1+json", "digest": "sha256:" + "0" * 64, "size": 2}
DEEP = b"[" * 100_000


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ({"manifest.json": b"[]"}, "it has no oci-layout and index.json"),
        ({"index.json": document({"manifests": [ROW]})}, "it has no oci-layout and index.json"),
        (LAYOUT, "it has no oci-layout and index.json"),
        ({"oci-layout": b"{}", "index.json": document({"manifests": [ROW]})}, "KeyError('imageLayoutVersion')"),
        (LAYOUT | {"oci-layout": b'{"imageLayoutVersion":"2"}', "index.json": b""}, "it is an image layout '2'"),
        (LAYOUT | {"index.json": b"{"}, "its index.json cannot be read"),
        (LAYOUT | {"index.json": b"\xff"}, "its index.json cannot be read"),
        (LAYOUT | {"index.json": b"[]"}, "its index.json cannot be read"),
        (LAYOUT | {"index.json": DEEP}, "its index.json cannot be read"),
        (LAYOUT | {"index.json": b'{"manifests":' + DEEP}, "its index.json cannot be read"),
        (LAYOUT | {"index.json": document({"manifests": 1})}, "one of its documents cannot be read"),
        (LAYOUT | {"index.json": document({"manifests": [1]})}, "one of its documents cannot be read"),
        (LAYOUT | {"index.json": document({"manifests": [{}]})}, "KeyError('mediaType')"),
        (LAYOUT | {"index.json": document({"manifests": []})}, "it holds 0 images"),
        (LAYOUT | {"index.json": document({"manifests": [ROW, ROW]})}, "it holds 2 images"),
        (LAYOUT | {"index.json": document({"manifests": [ROW | {"digest": "sha512:0"}]})}, "'sha512:0' is no SHA-256"),
        (LAYOUT | {"index.json": document({"manifests": [ROW | {"digest": 5}]})}, "cannot be read"),
        (LAYOUT | {"index.json": document({"manifests": [ROW | {"mediaType": "text/plain"}]})}, "no image's"),
        (LAYOUT | {"index.json": document({"manifests": [ROW]})}, f"its manifest {ROW['digest']} is not in it"),
        (LAYOUT | {"index.json": document({"manifests": [ROW]}), member(ROW): b"{}"}, "is changed"),
        (LAYOUT | {"index.json": bytes(DOCUMENT_LENGTH + 1)}, f"has {DOCUMENT_LENGTH + 1} bytes"),
    ],
    ids=["docker's", "half", "other half", "versionless", "later", "broken", "no text", "a list", "deep", "deep below", "a number",
         "odd row", "empty row", "none", "several", "other sum", "number as sum", "other type", "gone", "changed", "endless"],
)  # fmt: skip
def test_documents_that_lead_to_no_single_image_are_refused(tmp_path: Path, parts: dict[str, bytes], told: str) -> None:
    archive = tmp_path / "image.tar"
    archive.write_bytes(tar(parts))
    assert told in refused(archive)


@pytest.mark.tools
@pytest.mark.skipif(os.geteuid() != 0, reason="containerd gives the files of a layer to root")
def test_containerd_loads_and_unpacks_what_is_taken_and_refuses_what_is_not(tmp_path: Path) -> None:
    with containerd(tmp_path) as ctr:
        for name, make in WHOLE.items():
            layout = Written(name)
            row = make(layout)
            says(*ctr, "import", "--digests", "--base-name=arrived", layout.pack(tmp_path / "image.tar", row))
            (line,) = says(*ctr, "check", *NATIVE, f'name=="arrived@{row["digest"]}"').splitlines()[1:]
            assert (" complete " in line, line.split()[-1]) == (True, "true"), name
        for name, (make, _) in NOT_LOADED.items():
            layout = Written(name)
            assert ask(*ctr, "import", layout.pack(tmp_path / "image.tar", make(layout))).returncode, name
