"""The folder an image is built from."""

from hashlib import sha256
from pathlib import Path

import pytest

from kilonode.clouds.azure import cni
from kilonode.clouds.azure import image_content as content
from kilonode.clouds.azure.plan import AzurePlan
from kilonode.refusal import RefusedError
from ops import image
from tests import plans
from tests.clouds.azure import regions


@pytest.fixture
def plan(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AzurePlan:
    def made(name: str) -> Path:
        file = tmp_path / f"of-{name}"
        file.write_text(name)
        return file

    monkeypatch.setattr(image, "program", made)
    monkeypatch.setattr(image.archives, "system_archive", lambda system: made(system.program))
    return regions.plan(cloud={"image": regions.TEMPLATE})


def test_the_folder_holds_what_the_build_asks_for_and_a_checksum_of_each(plan: AzurePlan, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in cni.PROGRAMS:
        (folder / name).write_text("from a release")
    checksums = image.publishable(plan, folder)
    rows = dict(reversed(line.split("  ")) for line in (folder / image.SUMS).read_text().splitlines())
    assert set(rows) == {each.name for each in content.downloads(plan)}
    assert all(sha256((folder / name).read_bytes()).hexdigest() == found for name, found in rows.items())
    assert checksums == sha256((folder / image.SUMS).read_bytes()).hexdigest()


def test_what_is_in_the_folder_as_it_is_here_is_not_copied_again(
    plan: AzurePlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in cni.PROGRAMS:
        (folder / name).write_text("from a release")
    checksums = image.publishable(plan, folder)
    (folder / "kubelet").write_text("cut")
    copied: list[str] = []
    real = image.shutil.copyfile
    monkeypatch.setattr(image.shutil, "copyfile", lambda source, to: (copied.append(to.name), real(source, to)))
    assert image.publishable(plan, folder) == checksums
    assert copied == ["kubelet"]


def test_a_folder_without_azure_s_plugins_is_refused_by_their_names(plan: AzurePlan, tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match=r"azure-vnet, azure-vnet-ipam[\s\S]*azure-container-networking"):
        image.publishable(plan, tmp_path / "folder")
    assert not (tmp_path / "folder" / image.SUMS).exists()


def test_a_stack_of_another_cloud_is_refused_with_what_makes_its_image() -> None:
    with pytest.raises(RefusedError, match=r"cloud\.kind\n    given:   local\n    allowed: 'azure'\n.*`make up`"):
        image.planned(plans.spec())
    assert image.planned(regions.spec()).name == "west"
