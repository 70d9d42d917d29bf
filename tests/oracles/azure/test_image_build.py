"""The build of the machine image run in a root of its own, its source a folder served on loopback; without apt."""

import hashlib
import io
import json
import os
import subprocess
import tarfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from kilonode.clouds.azure import image_content as content
from kilonode.clouds.azure.image_build import SCRIPT, WORK, build
from kilonode.cloudspec.azure_image import TemplateImageSpec
from tests.clouds.azure import regions

DIGEST = f"sha256:{'a' * 64}"
POOL = regions.pool(images=[{"reference": f"registry.example.com/train:v1@{DIGEST}", "archive": "/srv/train.tar"}])
SUMS = "SHA256SUMS"
UNPACKED = 4
"""Lines of the template before the one that runs the script."""


class Quiet(SimpleHTTPRequestHandler):
    """Serves without a word."""

    def log_message(self, *_words: object) -> None:
        pass


class Trial:
    """A source folder, a root, and the build as the template would run it."""

    def __init__(self, folder: Path) -> None:
        self.source, self.root, self.work = (folder / name for name in ("source", "root", "work"))
        for each in (self.source, self.root / "var/tmp", self.root / "tmp"):
            each.mkdir(parents=True)
        self.plan = regions.plan(nodePools=[POOL], cloud={"image": regions.TEMPLATE})
        for each in content.downloads(self.plan):
            (self.source / each.name).write_bytes(archive(each.digest) if each.digest else each.name.encode())

    def publish(self) -> str:
        """Write the folder's checksums; returns their own."""
        rows = [f"{sha(file)}  {file.name}\n" for file in sorted(self.source.iterdir()) if file.name != SUMS]
        (self.source / SUMS).write_text("".join(rows))
        return sha(self.source / SUMS)

    def unpack(self, checksums: str, url: str) -> None:
        assert isinstance(self.plan.cloud.image, TemplateImageSpec)
        spec = self.plan.cloud.image.model_copy(update={"source": url, "checksums": checksums})
        lines = build(self.plan, spec).inline
        script = "\n".join(lines[:UNPACKED]).replace(WORK, str(self.work))
        subprocess.run(["sh", "-e", "-c", script], check=True)
        assert lines[UNPACKED:] == (f"sudo bash {WORK}/{SCRIPT}",)

    def run(self, *steps: str) -> subprocess.CompletedProcess[str]:
        command = ["bash", str(self.work / SCRIPT), *steps]
        environment = os.environ | {"ROOT": str(self.root), "no_proxy": "*"}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    def landed(self, path: str) -> Path:
        return self.root / path.removeprefix("/")


def sha(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def archive(*digests: str) -> bytes:
    """As much of an OCI archive as says which image it holds."""
    written, index = io.BytesIO(), json.dumps({"manifests": [{"digest": each} for each in digests]}).encode()
    with tarfile.open(fileobj=written, mode="w") as tar:
        entry = tarfile.TarInfo("index.json")
        entry.size = len(index)
        tar.addfile(entry, io.BytesIO(index))
    return written.getvalue()


@pytest.fixture
def trial(tmp_path: Path) -> Trial:
    return Trial(tmp_path)


@pytest.fixture
def url(trial: Trial) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(trial.source))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_good_source_gives_every_file_in_its_place_with_its_mode(trial: Trial, url: str) -> None:
    trial.unpack(trial.publish(), url)
    wants = trial.landed("/etc/systemd/system/timers.target.wants/apt-daily.timer")
    wants.parent.mkdir(parents=True)
    wants.symlink_to("/lib/systemd/system/apt-daily.timer")
    done = trial.run("downloads", "files", "generalise")
    assert done.returncode == 0, done.stderr
    for each in content.downloads(trial.plan):
        landed = trial.landed(each.path)
        assert landed.read_bytes() == (trial.source / each.name).read_bytes()
        assert landed.stat().st_mode & 0o7777 == each.mode
    for file in content.files():
        assert trial.landed(file.path).read_text() == file.content
        assert trial.landed(file.path).stat().st_mode & 0o7777 == file.mode
    assert not wants.is_symlink(), "nothing starts because a package was installed"
    assert (trial.root / "tmp/DeprovisioningScript.sh").is_file()
    assert list((trial.root / "var/tmp").iterdir()) == []


@pytest.mark.parametrize("name", ["kubelet", "pause.tar", "azure-vnet", "train.tar"])
def test_a_file_tampered_with_is_refused_by_name_and_lands_nowhere(trial: Trial, url: str, name: str) -> None:
    trial.unpack(trial.publish(), url)
    (trial.source / name).write_bytes((trial.source / name).read_bytes() + b"more")
    done = trial.run("downloads")
    assert done.returncode != 0
    assert f"{name} has SHA-256 {sha(trial.source / name)}" in done.stderr
    (own,) = (each for each in content.downloads(trial.plan) if each.name == name)
    assert not trial.landed(own.path).exists()


def test_checksums_that_were_written_anew_are_refused(trial: Trial, url: str) -> None:
    trial.unpack(trial.publish(), url)
    (trial.source / "kubelet").write_bytes(b"another")
    trial.publish()
    done = trial.run("downloads")
    assert f"{SUMS} has SHA-256" in done.stderr
    assert not trial.landed("/usr/local/bin").exists()


def test_a_file_without_a_checksum_is_refused(trial: Trial, url: str) -> None:
    kept = (trial.source / "etcd").read_bytes()
    (trial.source / "etcd").unlink()
    checksums = trial.publish()
    (trial.source / "etcd").write_bytes(kept)
    trial.unpack(checksums, url)
    assert "etcd does not stand once" in trial.run("downloads").stderr


def test_a_file_that_is_missing_is_named(trial: Trial, url: str) -> None:
    trial.unpack(trial.publish(), url)
    (trial.source / "kube-proxy").unlink()
    assert f"kube-proxy cannot be had from {url}" in trial.run("downloads").stderr


@pytest.mark.parametrize("holds", [[f"sha256:{'b' * 64}"], [DIGEST, DIGEST]])
def test_an_archive_of_another_image_is_refused_whatever_its_checksum(trial: Trial, url: str, holds: list[str]) -> None:
    (trial.source / "train.tar").write_bytes(archive(*holds))
    trial.unpack(trial.publish(), url)
    assert "train.tar holds the image" in trial.run("downloads").stderr


def test_a_file_that_is_no_archive_is_refused(trial: Trial, url: str) -> None:
    (trial.source / "train.tar").write_bytes(b"no tar")
    trial.unpack(trial.publish(), url)
    assert "train.tar is no OCI archive" in trial.run("downloads").stderr


def test_a_payload_tampered_with_is_not_unpacked(trial: Trial) -> None:
    assert isinstance(trial.plan.cloud.image, TemplateImageSpec)
    made = build(trial.plan, trial.plan.cloud.image)
    broken = replace(
        made, inline=tuple(each.replace("A", "B", 1) if "base64" in each else each for each in made.inline)
    )
    script = "\n".join(broken.inline[:UNPACKED]).replace(WORK, str(trial.work))
    assert subprocess.run(["sh", "-e", "-c", script], capture_output=True, check=False).returncode != 0
    assert not (trial.work / SCRIPT).exists()
