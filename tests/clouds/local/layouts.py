"""Image layouts as other programs write them, whole or with a part left out."""

import hashlib
import io
import json
import tarfile
from pathlib import Path
from typing import Any

from kilonode.clouds.local.host.layout import ARCHITECTURE, ARCHITECTURES, VERSION

OCI = "application/vnd.oci.image"
(OTHER,) = set(ARCHITECTURES.values()) - {ARCHITECTURE}
Descriptor = dict[str, Any]


class Written:
    """The members of an archive to be; each part is added with what its parent says of it."""

    def __init__(self, seed: str = "") -> None:
        self.seed = seed
        self.parts: dict[str, bytes] = {"oci-layout": document({"imageLayoutVersion": VERSION})}

    def add(self, kind: str, content: bytes) -> Descriptor:
        digest = hashlib.sha256(content).hexdigest()
        self.parts[f"blobs/sha256/{digest}"] = content
        return {"mediaType": f"{OCI}.{kind}", "digest": f"sha256:{digest}", "size": len(content)}

    def image(self, architecture: str = ARCHITECTURE, system: str = "linux", lost: str = "") -> Descriptor:
        """An image of one layer; ``lost`` is ``manifest``, ``config`` or ``layer``, or what ends with it."""
        layer = self.add("layer.v1.tar", tar({"program": f"{architecture}{system}{self.seed}{lost}".encode()}))
        rootfs = {"type": "layers", "diff_ids": [layer["digest"]]}
        words = {"architecture": architecture, "os": system, "config": {}, "rootfs": rootfs}
        config = self.add("config.v1+json", document(words))
        manifest = {"schemaVersion": 2, "mediaType": f"{OCI}.manifest.v1+json", "config": config, "layers": [layer]}
        made = self.add("manifest.v1+json", document(manifest))
        for name, part in (("manifest", made), ("config", config), ("layer", layer)):
            if name == lost:
                del self.parts[member(part)]
        return made

    def index(self, *rows: Descriptor) -> Descriptor:
        whole = {"schemaVersion": 2, "mediaType": f"{OCI}.index.v1+json", "manifests": rows}
        return self.add("index.v1+json", document(whole))

    def pack(self, archive: Path, *rows: Descriptor) -> Path:
        top = {"schemaVersion": 2, "mediaType": f"{OCI}.index.v1+json", "manifests": rows}
        archive.write_bytes(tar({"index.json": document(top)} | self.parts))
        return archive


def on(row: Descriptor, architecture: str = ARCHITECTURE, **more: str) -> Descriptor:
    """The row with the platform an index says it is for."""
    return row | {"platform": {"os": "linux", "architecture": architecture} | more}


def member(row: Descriptor) -> str:
    return "blobs/" + str(row["digest"]).replace(":", "/")


def document(value: object) -> bytes:
    return json.dumps(value).encode()


def tar(parts: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as opened:
        for name, content in parts.items():
            header = tarfile.TarInfo(name)
            header.size = len(content)
            opened.addfile(header, io.BytesIO(content))
    return made.getvalue()
