"""A service that failed is started again, and again: what it needs may only be on its way."""

import re

import pytest

from kilonode.boot.image import machine_image
from kilonode.boot.machine import File
from kilonode.boot.templates import UNIT_FOLDER
from kilonode.clouds.azure.machine_files import image_files

SERVICES = {
    file.path.removeprefix(UNIT_FOLDER).removesuffix(".service"): file
    for file in (*machine_image().files, *image_files())
    if file.path.startswith(UNIT_FOLDER) and file.path.endswith(".service") and file.content
}
ONCE = {
    "kilonode-sysctl": "what the kernel refuses now it refuses again",
    "kilonode-secrets-renew": "its timer starts it",
    "kilonode-snapshot": "its timer starts it",
}


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_is_started_again_for_ever_after_a_failure(name: str) -> None:
    assert restarts(SERVICES[name]) == (name not in ONCE)


def test_those_that_are_not_are_services() -> None:
    assert ONCE.keys() < SERVICES.keys()


def restarts(service: File) -> bool:
    again = re.search(r"^Restart=(always|on-failure)$", service.content, re.MULTILINE)
    return bool(again) and "StartLimitIntervalSec=0\n" in service.content
