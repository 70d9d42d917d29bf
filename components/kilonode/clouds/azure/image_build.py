"""The build as the image template carries it: one archive of small files, unpacked and run by a few lines of shell."""

import base64
import gzip
import hashlib
import io
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files as resources

from kilonode.boot.machine import File
from kilonode.clouds.azure import image_content as content
from kilonode.clouds.azure.plan import AzurePlan
from kilonode.cloudspec.azure_image import TemplateImageSpec
from kilonode.limits import AZURE_RESOURCE_BODY

WORK = "/var/tmp/kilonode-image"  # noqa: S108 - on the build machine, which has one user
SCRIPT, DEPROVISION = "build-image", "deprovision"
LINE = 120
"""Characters of base64 a line."""


@dataclass(frozen=True)
class Build:
    """What the build machine is told: ``content`` says of what the image is, whatever version it gets."""

    content: str
    inline: tuple[str, ...]


def build(plan: AzurePlan, spec: TemplateImageSpec) -> Build:
    """The build of ``spec``; the same plan gives the same bytes.

    Raises:
        ValueError: when Azure would not take it for its size.
    """
    payload = archive(payload_files(plan, spec))
    packed = gzip.compress(payload, mtime=0)
    text = base64.b64encode(packed).decode()
    lines = "\n".join(text[start : start + LINE] for start in range(0, len(text), LINE))
    inline = (
        f"set -e; umask 077; rm -rf {WORK}; mkdir {WORK}",
        f"base64 --decode >{WORK}.tar.gz <<'END'\n{lines}\nEND",
        f"echo '{hashlib.sha256(packed).hexdigest()}  {WORK}.tar.gz' | sha256sum --check --quiet",
        f"tar --extract --gzip --file {WORK}.tar.gz --directory {WORK}; rm {WORK}.tar.gz",
        f"sudo bash {WORK}/{SCRIPT}",
    )
    size = sum(map(len, inline))
    if size > AZURE_RESOURCE_BODY.value // 2:
        most = AZURE_RESOURCE_BODY
        raise ValueError(
            f"the image's own files are {size} bytes in its template, the limit is half of {most.value} {most.unit} ({most.source})"
        )
    return Build(hashlib.sha256(payload).hexdigest(), inline)


def payload_files(plan: AzurePlan, spec: TemplateImageSpec) -> dict[str, tuple[bytes, int]]:
    """What lies beside the script, with the script: content and mode by name."""
    rows = "".join(f"{each.name} {each.mode:o} {each.path} {each.digest or '-'}\n" for each in content.downloads(plan))
    plain = {
        "packages": "".join(f"{name}\n" for name in content.packages()),
        "source": f"{spec.source}\n",
        "checksums": f"{spec.checksums}\n",
        "downloads": rows,
    }
    own = {name: (_own(name), 0o755) for name in (SCRIPT, DEPROVISION)}
    tree = archive({file.path.removeprefix("/"): _entry(file) for file in content.files()})
    return own | {name: (text.encode(), 0o644) for name, text in plain.items()} | {"files.tar": (tree, 0o644)}


def archive(files: Mapping[str, tuple[bytes, int]]) -> bytes:
    """A tar of root's files, without folders and times; the same files give the same bytes."""
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path, (data, mode) in sorted(files.items()):
            entry = tarfile.TarInfo(path)
            entry.size, entry.mode = len(data), mode
            tar.addfile(entry, io.BytesIO(data))
    return written.getvalue()


def _entry(file: File) -> tuple[bytes, int]:
    """A file of the image.

    Raises:
        ValueError: when it is not root's, as all of an image is.
    """
    if file.owner != "root:root":
        raise ValueError(f"{file.path} belongs to {file.owner}")
    return file.content.encode(), file.mode


def _own(name: str) -> bytes:
    return (resources("kilonode.clouds.azure") / "imagebuild" / name).read_bytes()
