"""The image of an Azure machine, as far as a container can be one, and a small region of such machines."""

import os
from collections.abc import Iterator
from dataclasses import replace

import pytest

import toolchain
from kilonode.boot.image import PROGRAMS
from kilonode.clouds.azure.machine_files import PACKAGES, image_files
from kilonode.clouds.local.cloud import image_spec
from kilonode.clouds.local.host import images
from kilonode.clouds.local.host.images import BuiltImage, ImageSpec
from tests.oracles.azure.living import Living

SERVICES = {
    "main": ("kilonode-metadata", "kilonode-secrets", "kilonode-marks", "etcd"),
    "events": ("kilonode-metadata", "kilonode-secrets", "kilonode-marks", "etcd"),
    "api": (
        "kilonode-metadata", "kilonode-secrets", "kube-apiserver", "kube-controller-manager", "kube-scheduler",
        "kilonode-bootstrap", "kilonode-node-approver",
    ),
    "node": (
        "kilonode-metadata", "kilonode-secrets", "kilonode-pod-egress", "containerd", "kilonode-images", "kilonode-node",
        "kubelet", "kube-proxy", "kilonode-health",
    ),
}  # fmt: skip
"""What comes up on each machine of :func:`living`."""


@pytest.fixture(scope="session")
def azure_spec() -> ImageSpec:
    """Azure's packages and tree on what every machine has; the local tree is laid last, as containers need it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", ":".join([*(str(toolchain.locate(tool)) for tool in PROGRAMS), os.environ["PATH"]]))
        spec = image_spec()
    return replace(spec, packages=(*spec.packages, *PACKAGES), files=(*spec.files, *image_files()))


@pytest.fixture(scope="session")
def azure_image(azure_spec: ImageSpec) -> BuiltImage:
    return images.build(azure_spec, print)


@pytest.fixture(scope="package")
def living(azure_spec: ImageSpec, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Living]:
    """Members and the API server, started together as a deployment would, and a node; all their services are up."""
    folder = tmp_path_factory.mktemp("azure")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KILONODE_HOME", str(folder / "home"))
        made = Living(folder, azure_spec)
        try:
            made.fabric.begin()
            made.add_members()
            made.add_api_server()
            made.start("main", "events", "api")
            made.have_front_end()
            made.add_node()
            made.start("node")
            for key, units in SERVICES.items():
                made.until_active(key, *(f"{unit}.service" for unit in units))
            yield made
        finally:
            made.fabric.end()
