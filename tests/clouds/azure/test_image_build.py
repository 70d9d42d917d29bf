"""What the build of the machine image is told, without running it (tests/oracles/azure/test_image_build.py does)."""

import io
import subprocess
import sys
import tarfile
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from kilonode.boot.image import machine_image
from kilonode.clouds.azure import image_content as content
from kilonode.clouds.azure import machine_files, preloads
from kilonode.clouds.azure.image_build import DEPROVISION, SCRIPT, Build, build, payload_files
from kilonode.clouds.azure.plan import AzurePlan
from kilonode.clouds.local.cloud import image_spec
from kilonode.cloudspec.azure_image import TemplateImageSpec
from kilonode.limits import AZURE_RESOURCE_BODY, Limit
from kilonode.nodes.images import COREDNS, PAUSE
from kilonode.refusal import RefusedError
from tests.clouds.azure import regions

DIGEST = f"sha256:{'a' * 64}"
SCRIPTS = files("kilonode.clouds.azure") / "imagebuild"


def asking(name: str = "train", archive: str = "/srv/train.tar", digest: str = DIGEST) -> dict[str, str]:
    return {"reference": f"registry.example.com/{name}:v1@{digest}", "archive": archive}


def plan(*pools: dict[str, Any], **image: Any) -> AzurePlan:
    return regions.plan(cloud={"image": regions.TEMPLATE | image}, nodePools=list(pools) or [regions.POOL])


def of(found: AzurePlan) -> Build:
    assert isinstance(found.cloud.image, TemplateImageSpec)
    return build(found, found.cloud.image)


def payload(found: AzurePlan) -> dict[str, tuple[bytes, int]]:
    assert isinstance(found.cloud.image, TemplateImageSpec)
    return payload_files(found, found.cloud.image)


def test_the_same_plan_gives_the_same_bytes_and_another_source_or_checksum_others() -> None:
    assert of(plan()) == of(plan())
    contents = {of(plan(**change)).content for change in ({}, {"checksums": "1" * 64}, {"source": "https://a.b/c"})}
    assert len(contents) == 3


def test_a_version_does_not_say_what_the_image_is() -> None:
    assert of(plan(version="1.0.1")) == of(plan())


def test_the_build_fits_into_a_template_several_times() -> None:
    assert sum(map(len, of(plan()).inline)) < AZURE_RESOURCE_BODY.value // 8


def test_a_build_that_does_not_fit_is_an_error_with_both_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kilonode.clouds.azure.image_build.AZURE_RESOURCE_BODY", Limit(2_000, "bytes", "a page"))
    with pytest.raises(ValueError, match=r"are \d+ bytes in its template, the limit is half of 2000 bytes \(a page\)$"):
        of(plan())


def test_programs_land_where_the_local_cloud_puts_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kilonode.clouds.local.cloud.program", Path)
    monkeypatch.setattr("kilonode.clouds.local.cloud.kwok_stages", str)
    local = {path for path, _ in image_spec().binaries} - {"/usr/local/bin/kwok"}
    here = {each.path for each in content.programs()}
    assert here - local == {"/usr/lib/cni/azure-vnet", "/usr/lib/cni/azure-vnet-ipam"}
    assert local <= here
    assert {each.mode for each in content.programs()} == {0o755}


def test_archives_land_where_nodes_look_for_them_each_once_and_by_digest() -> None:
    pools = [regions.pool(name=name, range=f"10.{65 + n}.0.0/16", images=[asking()]) for n, name in enumerate("ab")]
    found = plan(*pools)
    landed = {each.path: each.digest for each in content.archives(found)}
    wanted = {each.archive: each.digest for pool in found.pools for each in preloads.preloaded(pool.spec)}
    assert landed == wanted
    assert sorted(landed.values()) == ["", "", DIGEST]


@pytest.mark.parametrize("archive", ["/srv/pause.tar", "/srv/etcd", "/srv/azure-vnet"])
def test_an_archive_with_the_name_of_another_file_is_refused(archive: str) -> None:
    with pytest.raises(RefusedError, match=r"images\[0\]\.archive"):
        of(plan(regions.pool(images=[asking(archive=archive)])))


def test_two_archives_of_one_name_are_refused() -> None:
    other = f"sha256:{'b' * 64}"
    images = [asking(), asking("other", "/mnt/train.tar", other)]
    with pytest.raises(RefusedError, match=r"images\[1\]\.archive"):
        of(plan(regions.pool(images=images)))


def test_the_system_s_images_are_in_it() -> None:
    assert {reference for reference, _ in preloads.SYSTEM} == {PAUSE, COREDNS}
    assert {each.name for each in content.downloads(plan())} >= {file for _, file in preloads.SYSTEM}


def test_every_package_of_any_machine_and_of_azure_s_is_asked_for() -> None:
    rows = payload(plan())["packages"][0].decode().split()
    assert {*machine_image().packages, *machine_files.PACKAGES, "systemd-sysv", "cloud-init"} <= set(rows)


def test_all_files_of_the_image_are_in_it_with_their_modes_and_azure_s_win() -> None:
    with tarfile.open(fileobj=io.BytesIO(payload(plan())["files.tar"][0])) as tar:
        found = {f"/{each.name}": (tar.extractfile(each).read().decode(), each.mode) for each in tar}  # type: ignore[union-attr]
    for own in (*machine_image().files, *machine_files.image_files()):
        assert own.path in found
    for own in machine_files.image_files():
        assert found[own.path] == (own.content, own.mode)


@pytest.mark.parametrize(("name", "shell"), [(SCRIPT, "bash"), (DEPROVISION, "sh")])
def test_shellcheck_finds_nothing_wrong(name: str, shell: str, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_bytes((SCRIPTS / name).read_bytes())
    check = [Path(sys.executable).with_name("shellcheck"), f"--shell={shell}", script]
    done = subprocess.run(check, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
    script.write_text(f"{script.read_text()}rm $1\n")
    assert subprocess.run(check, capture_output=True, check=False).returncode == 1


def test_each_line_of_the_template_is_shell() -> None:
    for line in of(plan()).inline:
        assert subprocess.run(["sh", "-n"], input=line, text=True, check=False).returncode == 0, line[:80]


def test_packages_are_taken_only_when_debian_signed_them() -> None:
    script = (SCRIPTS / SCRIPT).read_text()
    for option in ("AllowInsecureRepositories", "AllowDowngradeToInsecureRepositories", "AllowUnauthenticated"):
        assert f"{option}=false" in script
    assert "allow-unauthenticated" not in script
    assert "trusted=yes" not in script


def test_the_agent_generalises_the_machine_and_its_resolver_is_written_after_that() -> None:
    script = (SCRIPTS / DEPROVISION).read_text()
    order = ["waagent -force -deprovision+user", "cloud-init clean", "168.63.129.16", ">/etc/machine-id"]
    places = [script.rindex(each) for each in order]
    assert places == sorted(places)
