from collections.abc import Callable
from pathlib import Path

import pytest

from kilonode.boot.machine import File
from kilonode.clouds.local.host import debian, images, layer
from kilonode.clouds.local.host.command import CommandError
from kilonode.clouds.local.host.images import ImageSpec
from kilonode.refusal import RefusedError

FILE = File("/etc/one", "1\n")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KILONODE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "etcd").write_bytes(b"program")
    return tmp_path / "etcd"


@pytest.fixture
def quick_debian(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """A base layer without Debian in it; returns the roots asked for."""
    asked: list[Path] = []

    def build(root: Path, *, report: Callable[[str], None], **_rest: object) -> None:
        asked.append(root)
        root.mkdir()
        report("made")

    monkeypatch.setattr(debian, "build", build)
    monkeypatch.setattr(debian, "require_tools", lambda: None)
    return asked


def spec(**more: object) -> ImageSpec:
    return ImageSpec(**{"packages": ("haproxy",), "files": (FILE,), **more})  # type: ignore[arg-type]


def test_an_images_id_is_the_same_wherever_its_binaries_lie(program: Path, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere"
    moved.write_bytes(program.read_bytes())
    ids = {images.describe(spec(binaries=(("/usr/bin/etcd", path),))).id for path in (program, moved)}
    assert len(ids) == 1


def test_the_order_of_packages_and_files_is_no_part_of_an_image() -> None:
    other = File("/etc/two", "2\n")
    one = images.describe(spec(packages=("a", "b"), files=(FILE, other)))
    assert one == images.describe(spec(packages=("b", "a"), files=(other, FILE)))


@pytest.mark.parametrize(
    "change",
    [
        {"files": (File("/etc/one", "2\n"),)},
        {"files": (File("/etc/one", "1\n", 0o755),)},
        {"files": (File("/etc/other", "1\n"),)},
        {"files": ()},
    ],
)
def test_another_file_is_another_image_on_the_same_debian(change: dict[str, object]) -> None:
    one, other = images.describe(spec()), images.describe(spec(**change))
    assert one.id != other.id
    assert one.layers[1] == other.layers[1]


def test_other_packages_are_another_debian_below_the_same_files() -> None:
    one, other = images.describe(spec()), images.describe(spec(packages=("haproxy", "runc")))
    assert one.layers[0] == other.layers[0]
    assert one.layers[1] != other.layers[1]


def test_a_changed_binary_is_another_image(program: Path) -> None:
    before = images.describe(spec(binaries=(("/usr/bin/etcd", program),)))
    program.write_bytes(b"another program")
    assert images.describe(spec(binaries=(("/usr/bin/etcd", program),))).id != before.id


@pytest.mark.parametrize("path", ["/lib/x", "/bin/sh", "relative", "/etc/../lib/x", "/"])
def test_a_file_that_would_hide_the_root_below_is_refused(path: str) -> None:
    with pytest.raises(RefusedError, match="/usr"):
        images.describe(spec(files=(File(path, ""),)))


def test_a_binary_that_is_not_built_is_refused() -> None:
    with pytest.raises(RefusedError, match="make tools"):
        images.describe(spec(binaries=(("/usr/bin/etcd", Path("/nowhere/etcd")),)))


def test_an_image_is_built_once(quick_debian: list[Path], program: Path) -> None:
    wanted = spec(binaries=(("/usr/local/bin/etcd", program),))
    built = images.build(wanted, lambda _line: None)
    assert images.build(wanted, lambda _line: None) == built == images.describe(wanted)
    assert len(quick_debian) == 1
    assert (built.layers[0] / "etc/one").read_text() == "1\n"
    assert (built.layers[0] / "usr/local/bin/etcd").stat().st_mode & 0o777 == 0o755


def test_a_local_machine_reads_its_boot_data_from_its_own_root_only(quick_debian: list[Path]) -> None:
    built = images.build(spec(), lambda _line: None)
    assert "datasource_list: [NoCloud]" in (built.layers[0] / "etc/cloud/cloud.cfg.d/90-local.cfg").read_text()
    assert quick_debian


def test_a_build_that_fails_leaves_nothing_half_made(
    quick_debian: list[Path], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(root: Path, **_rest: object) -> None:
        root.mkdir()
        (root / "half").write_text("")
        raise KeyboardInterrupt

    working = debian.build
    monkeypatch.setattr(debian, "build", fail)
    with pytest.raises(KeyboardInterrupt):
        images.build(spec(), lambda _line: None)
    assert list((cache / "images").iterdir()) == []
    monkeypatch.setattr(debian, "build", working)
    assert images.present(images.build(spec(), lambda _line: None))
    assert quick_debian


def test_the_draft_of_a_killed_build_is_no_part_of_the_next(quick_debian: list[Path]) -> None:
    wanted = spec()
    base = images.describe(wanted).layers[1]
    draft = base.with_name(f".{base.name}.draft")
    draft.mkdir(parents=True)
    (draft / "half").write_text("")
    built = images.build(wanted, lambda _line: None)
    assert not (built.layers[1] / "half").exists()
    assert quick_debian


def test_container_images_are_a_layer_of_their_own_on_the_same_image(program: Path, quick_debian: list[Path]) -> None:
    plain = images.build(spec(), lambda _line: None)
    node = images.build(spec(archives=(("/usr/share/kilonode/images/a.tar", program),)), lambda _line: None)
    assert node.layers[1:] == plain.layers
    assert len(quick_debian) == 1
    landed = node.layers[0] / "usr/share/kilonode/images/a.tar"
    assert landed.read_bytes() == program.read_bytes()
    assert landed.stat().st_mode & 0o777 == 0o644
    assert node.id.startswith(plain.id)
    program.write_bytes(b"another image")
    assert images.describe(spec(archives=(("/usr/share/kilonode/images/a.tar", program),))).id != node.id


def test_a_file_that_changes_while_it_is_copied_leaves_no_layer(
    program: Path, quick_debian: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = spec(archives=(("/usr/share/kilonode/images/a.tar", program),))
    planned = images.describe(wanted)
    real = layer.shutil.copyfile

    def copy(source: Path, landed: Path) -> None:
        program.write_bytes(b"other content")
        real(source, landed)

    monkeypatch.setattr(layer.shutil, "copyfile", copy)
    with pytest.raises(CommandError, match="changed while it was copied"):
        images.build(wanted, lambda _line: None)
    assert not planned.layers[0].exists()
    assert quick_debian
