"""What states of existing regions hold must stay readable."""

import base64
from typing import cast

import pytest
from pulumi.dynamic import ResourceProvider
from pulumi.dynamic.dynamic import serialize_provider

from kilonode.clouds.local.disk import DiskProvider, SharedFolderProvider
from kilonode.clouds.local.image import ImageProvider
from kilonode.clouds.local.machine import MachineProvider
from kilonode.clouds.local.network import NetworkProvider
from kilonode.clouds.local.secrets import MachineSecretsProvider

MODULES = {
    DiskProvider: "kilonode.clouds.local.disk",
    SharedFolderProvider: "kilonode.clouds.local.disk",
    ImageProvider: "kilonode.clouds.local.image",
    MachineProvider: "kilonode.clouds.local.machine",
    NetworkProvider: "kilonode.clouds.local.network",
    MachineSecretsProvider: "kilonode.clouds.local.secrets",
}


@pytest.mark.parametrize("provider", MODULES)
def test_a_provider_is_recorded_by_reference_to_a_path_that_stays(provider: type[ResourceProvider]) -> None:
    recorded = base64.b64decode(cast("str", serialize_provider(provider())))
    assert MODULES[provider].encode() in recorded
    assert provider.__name__.encode() in recorded
    assert len(recorded) < 120


@pytest.mark.parametrize("provider", MODULES)
def test_a_provider_has_no_fields(provider: type[ResourceProvider]) -> None:
    assert vars(provider()) == {}


@pytest.mark.parametrize("provider", MODULES)
def test_a_provider_says_itself_what_each_operation_does(provider: type[ResourceProvider]) -> None:
    for operation in ("check", "diff", "create", "read", "update", "delete"):
        assert getattr(provider, operation) is not getattr(ResourceProvider, operation)
