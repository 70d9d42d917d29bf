"""The machine image, and a region of one of everything, as real programs on throw-away machines."""

import os
from collections.abc import Iterator

import pytest

import toolchain
from kilonode.boot.image import PROGRAMS
from kilonode.clouds.local.cloud import image_spec
from kilonode.clouds.local.host import images
from kilonode.clouds.local.host.images import BuiltImage
from tests.conftest import SMALL
from tests.oracles.control_plane import ControlPlane
from tests.oracles.region import Rendered


@pytest.fixture(scope="session")
def image() -> BuiltImage:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", ":".join([*(str(toolchain.locate(tool)) for tool in PROGRAMS), os.environ["PATH"]]))
        return images.build(image_spec(), print)


@pytest.fixture(scope="session")
def rendered() -> Rendered:
    return Rendered(SMALL)


@pytest.fixture(scope="session")
def plane(image: BuiltImage, rendered: Rendered) -> Iterator[ControlPlane]:
    with ControlPlane.running(image, rendered) as made:
        yield made
