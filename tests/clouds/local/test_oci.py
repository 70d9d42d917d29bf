import hashlib
import io
import json
import os
import re
import subprocess
import tarfile
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

import toolchain
from kilonode.clouds.local.host import layout, oci
from kilonode.refusal import RefusedError
from tests.clouds.local.conftest import wait_until
from tests.clouds.local.containerd import NATIVE, containerd, says, serving

REFERENCE = "kilonode.test/tools/pause:1"
LISTENS = re.compile(r"serving on port (\d+)\n")
PROGRAM = b"#!/bin/sh\nexit 0\n"


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    program, notes = tmp_path / "program", tmp_path / "notes"
    program.write_bytes(PROGRAM)
    program.chmod(0o700)
    notes.write_text("plain\n")
    notes.chmod(0o600)
    return {"/usr/bin/pause": program, "/etc/notes": notes}


def written(target: Path, files: dict[str, Path]) -> str:
    return oci.write_archive(target, REFERENCE, files, entrypoint=["/usr/bin/pause"], user="65535:65535")


def unpacked(archive: Path) -> dict[str, bytes]:
    with tarfile.open(archive) as opened:
        return {member.name: opened.extractfile(member).read() for member in opened if member.isfile()}  # type: ignore[union-attr]


def packed(archive: Path, parts: dict[str, bytes], mode: str = "w") -> Path:
    with tarfile.open(archive, mode) as opened:  # type: ignore[call-overload]
        for name, content in parts.items():
            header = tarfile.TarInfo(name)
            header.size = len(content)
            opened.addfile(header, io.BytesIO(content))
    return archive


def blob(parts: dict[str, bytes], descriptor: dict[str, str]) -> bytes:
    return parts["blobs/" + descriptor["digest"].replace(":", "/")]


def test_the_same_files_give_the_same_bytes_whoever_writes_them_and_when(
    tmp_path: Path, files: dict[str, Path]
) -> None:
    first = written(tmp_path / "one.tar", files)
    for number, source in enumerate(files.values()):
        os.utime(source, (number, number))
    before = os.umask(0o077)
    try:
        second = written(tmp_path / "two.tar", dict(reversed(files.items())))
    finally:
        os.umask(before)
    assert first == second
    assert (tmp_path / "one.tar").read_bytes() == (tmp_path / "two.tar").read_bytes()
    assert (tmp_path / "two.tar").stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize(
    "change",
    [
        lambda source: source.write_bytes(PROGRAM + b"#"),
        lambda source: source.chmod(0o600),
    ],
    ids=["content", "mode"],
)
def test_a_changed_file_gives_another_digest(tmp_path: Path, files: dict[str, Path], change: object) -> None:
    before = written(tmp_path / "image.tar", files)
    change(files["/usr/bin/pause"])  # type: ignore[operator]
    assert written(tmp_path / "image.tar", files) != before


def test_every_digest_and_size_in_an_archive_is_that_of_its_blob(tmp_path: Path, files: dict[str, Path]) -> None:
    digest = written(tmp_path / "image.tar", files)
    parts = unpacked(tmp_path / "image.tar")
    assert json.loads(parts["oci-layout"]) == {"imageLayoutVersion": "1.0.0"}
    (named,) = json.loads(parts["index.json"])["manifests"]
    manifest = json.loads(blob(parts, named))
    (layer,) = manifest["layers"]
    for descriptor in (named, manifest["config"], layer):
        content = blob(parts, descriptor)
        assert descriptor["digest"] == f"sha256:{hashlib.sha256(content).hexdigest()}"
        assert descriptor["size"] == len(content)
    assert named["digest"] == digest == oci.digest_of(tmp_path / "image.tar")
    configuration = json.loads(blob(parts, manifest["config"]))
    assert configuration["rootfs"]["diff_ids"] == [layer["digest"]]
    assert configuration["config"] == {"Entrypoint": ["/usr/bin/pause"], "User": "65535:65535"}
    assert (configuration["os"], configuration["architecture"] in layout.ARCHITECTURES.values()) == ("linux", True)
    assert set(named["annotations"].values()) == {REFERENCE}


def test_a_layer_belongs_to_root_has_folders_before_files_and_keeps_who_may_execute(
    tmp_path: Path, files: dict[str, Path]
) -> None:
    written(tmp_path / "image.tar", files)
    parts = unpacked(tmp_path / "image.tar")
    manifest = json.loads(blob(parts, json.loads(parts["index.json"])["manifests"][0]))
    with tarfile.open(fileobj=io.BytesIO(blob(parts, manifest["layers"][0]))) as layer:
        members = layer.getmembers()
    assert [(member.name + "/" * member.isdir(), member.mode) for member in members] == [
        ("etc/", 0o755),
        ("etc/notes", 0o644),
        ("usr/", 0o755),
        ("usr/bin/", 0o755),
        ("usr/bin/pause", 0o755),
    ]
    assert {(member.uid, member.gid, member.uname, member.mtime) for member in members} == {(0, 0, "", 0)}


def test_a_large_file_is_never_held_in_memory(tmp_path: Path) -> None:
    large = tmp_path / "large"
    with large.open("wb") as sparse:
        sparse.truncate(64 << 20)
    tracemalloc.start()
    try:
        digest = written(tmp_path / "image.tar", {"/large": large})
        assert oci.digest_of(tmp_path / "image.tar") == digest
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()
    assert (tmp_path / "image.tar").stat().st_size > 64 << 20


@pytest.mark.parametrize(
    ("turn", "content"), [(0, "others"), (2, "others"), (2, "OTHER")], ids=["first", "then", "same size"]
)
def test_a_file_that_changes_meanwhile_leaves_the_old_archive(
    tmp_path: Path, files: dict[str, Path], monkeypatch: pytest.MonkeyPatch, turn: int, content: str
) -> None:
    written(tmp_path / "image.tar", files)
    before = (tmp_path / "image.tar").read_bytes()

    files["/etc/notes"].write_text("other")
    read = oci._chunks
    turns = iter(range(4))

    def chunks(source: Path, size: int) -> Iterator[bytes]:
        if next(turns) == turn:  # each file once for the digest, then again for the archive
            source.write_text(content)
        return read(source, size)

    monkeypatch.setattr(oci, "_chunks", chunks)
    with pytest.raises(OSError, match="changed while its image was being written"):
        written(tmp_path / "image.tar", files)
    assert (tmp_path / "image.tar").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["image.tar", "notes", "program"]


@pytest.mark.parametrize("path", ["pause", "/", "/usr/../pause"])
def test_a_path_outside_the_images_root_is_refused(tmp_path: Path, files: dict[str, Path], path: str) -> None:
    with pytest.raises(RefusedError, match="an absolute path"):
        written(tmp_path / "image.tar", {path: files["/etc/notes"]})


def test_a_file_in_anothers_way_and_one_that_is_not_there_are_refused(tmp_path: Path, files: dict[str, Path]) -> None:
    with pytest.raises(RefusedError, match="another file's path goes through it"):
        written(tmp_path / "image.tar", files | {"/usr/bin": files["/etc/notes"]})
    with pytest.raises(RefusedError, match="it is not there"):
        written(tmp_path / "image.tar", {"/one": tmp_path / "nothing"})


def test_what_is_no_tar_is_refused(tmp_path: Path, files: dict[str, Path]) -> None:
    written(tmp_path / "image.tar", files)
    whole = (tmp_path / "image.tar").read_bytes()
    (tmp_path / "cut.tar").write_bytes(whole[: len(whole) - 3000])
    (tmp_path / "empty.tar").touch()
    packed(tmp_path / "image.tar.gz", unpacked(tmp_path / "image.tar"), "w:gz")
    for name in ("cut.tar", "empty.tar", "image.tar.gz", "nothing.tar"):
        with pytest.raises(RefusedError, match="an uncompressed OCI image archive"):
            oci.digest_of(tmp_path / name)


def test_an_archive_made_by_tar_in_a_folder_is_read_too(tmp_path: Path, files: dict[str, Path]) -> None:
    digest = written(tmp_path / "image.tar", files)
    (tmp_path / "layout").mkdir()
    subprocess.run(["tar", "-C", tmp_path / "layout", "-xf", tmp_path / "image.tar"], check=True)
    subprocess.run(["tar", "-C", tmp_path / "layout", "-cf", tmp_path / "dotted.tar", "."], check=True)
    assert oci.digest_of(tmp_path / "dotted.tar") == digest


@pytest.mark.parametrize("odd", ["a FIFO", "a folder", "a device", "a loop"])
def test_what_would_be_waited_for_and_what_is_no_file_is_refused_at_once(tmp_path: Path, odd: str) -> None:
    archive = tmp_path / "image.tar"
    match odd:
        case "a FIFO":
            os.mkfifo(archive)
        case "a folder":
            archive.mkdir()
        case "a device":
            archive.symlink_to("/dev/zero")
        case _:
            archive.symlink_to(archive)
    with pytest.raises(RefusedError, match=r"why: .*(it is no regular file|symbolic links)"):
        oci.digest_of(archive)


def test_a_link_to_an_archive_is_followed(tmp_path: Path, files: dict[str, Path]) -> None:
    digest = written(tmp_path / "image.tar", files)
    (tmp_path / "link.tar").symlink_to("image.tar")
    assert oci.digest_of(tmp_path / "link.tar") == digest


@pytest.mark.tools
@pytest.mark.skipif(os.geteuid() != 0, reason="containerd gives the files of a layer to root")
def test_containerd_imports_an_archive_under_its_name_and_digest_and_unpacks_it(
    tmp_path: Path, files: dict[str, Path]
) -> None:
    digest = written(tmp_path / "image.tar", files)
    with containerd(tmp_path) as ctr:
        says(*ctr, "import", "--local", *NATIVE, tmp_path / "image.tar")
        (line,) = says(*ctr, "check", *NATIVE).splitlines()[1:]
    name, media, found, *rest = line.split()
    assert (name, found, rest[0], rest[-1]) == (REFERENCE, digest, "complete", "true")
    assert media == "application/vnd.oci.image.manifest.v1+json"
    (snapshot,) = (tmp_path / "root" / "io.containerd.snapshotter.v1.native" / "snapshots").iterdir()
    program = snapshot / "usr/bin/pause"
    assert program.read_bytes() == PROGRAM
    assert (program.stat().st_mode & 0o777, program.stat().st_uid) == (0o755, 0)


@pytest.mark.tools
def test_a_registrys_client_pushes_and_reads_an_archive_under_the_same_digest(
    tmp_path: Path, files: dict[str, Path]
) -> None:
    digest = written(tmp_path / "image.tar", files)
    with tarfile.open(tmp_path / "image.tar") as opened:
        opened.extractall(tmp_path / "layout", filter="data")
    crane = toolchain.locate("crane") / "crane"
    with serving(crane, "registry", "serve", "--address=127.0.0.1:0", "--disk", tmp_path, folder=tmp_path):
        wait_until(lambda: LISTENS.search((tmp_path / "log").read_text()) is not None)
        port = LISTENS.findall((tmp_path / "log").read_text())[0]
        pushed = f"127.0.0.1:{port}/tools/pause:1"
        says(crane, "push", tmp_path / "layout", pushed)
        assert says(crane, "digest", pushed).strip() == digest
        # `crane validate` wants gzip; an export reads the same blobs and checks their digests.
        says(crane, "export", pushed, tmp_path / "root.tar")
    assert unpacked(tmp_path / "root.tar") == {"usr/bin/pause": PROGRAM, "etc/notes": b"plain\n"}
