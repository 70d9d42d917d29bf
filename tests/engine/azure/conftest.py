"""Regions on the real engine, whose Azure is the stand-in."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import kilonode
from tests.standin.azure.desk import AzureCloud
from tests.standin.azure.stack import Stack

PROGRAM = """
import json, os, pulumi
from kilonode.region.region import Region
from kilonode.region.spec import RegionSpec

region = Region(pulumi.get_stack(), RegionSpec.read(json.loads(os.environ["GIVEN"])["region"], "region"))
for name in ("endpoint", "etcd", "operator", "nodes"):
    pulumi.export(name, getattr(region, name))
"""

COMPONENTS = Path(kilonode.__file__).parents[1]
Deploy = Callable[[dict[str, Any]], Stack]


def shared_image(cloud: AzureCloud, location: str, version: str = "1.0.0") -> str:
    """Let a gallery of somebody else's have an image; returns the id of its version."""
    cloud.place("resources:ResourceGroup", {"resourceGroupName": "images", "location": location})
    where = {"resourceGroupName": "images", "location": location, "galleryName": "kilonode"}
    cloud.place("compute:Gallery", where)
    image = {**where, "galleryImageName": "machine"}
    cloud.place("compute:GalleryImage", image)
    return cloud.place("compute:GalleryImageVersion", {**image, "galleryImageVersionName": version})


@pytest.fixture
def azure(tmp_path: Path) -> AzureCloud:
    return AzureCloud(tmp_path / "azure")


def prepared(folder: Path, cloud: AzureCloud, region: dict[str, Any]) -> Stack:
    """A stack of the region with these settings, whose image exists; nothing has been deployed."""
    region["cloud"]["image"] = {"kind": "given", "id": shared_image(cloud, region["cloud"]["location"])}
    stack = Stack(folder / "program", cloud, name=region["name"]).write(PROGRAM, region=region)
    stack.environment["PYTHONPATH"] = str(COMPONENTS)
    return stack.init()


@pytest.fixture
def deploy(tmp_path: Path, azure: AzureCloud) -> Deploy:
    """Prepares a stack of the region with the settings it is given."""
    return lambda region: prepared(tmp_path, azure, region)
