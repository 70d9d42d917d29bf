"""Custom data and user data that Azure, or whoever guards keys, would not take."""

import base64
import gzip
import os

import pytest

from tests.standin.azure import bootdata
from tests.standin.azure.kinds import KINDS
from tests.standin.azure.values import UNKNOWN
from tests.standin.inputs import good

PLACES = [
    ("compute:VirtualMachine", "osProfile.customData"),
    ("compute:VirtualMachine", "userData"),
    ("compute:VirtualMachineScaleSet", "virtualMachineProfile.osProfile.customData"),
    ("compute:VirtualMachineScaleSet", "virtualMachineProfile.userData"),
]
PEM = b"-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\n-----END EC PRIVATE KEY-----\n"
CERTIFICATE = b"-----BEGIN CERTIFICATE-----\nMHcCAQEE\n-----END CERTIFICATE-----\n"


def found(token: str, path: str, value: str) -> list[str]:
    return [
        each.allowed for each in bootdata.judge(KINDS[token], token, good(token, **{path: value})) if each.path == path
    ]


def encoded(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def written(raw: bytes) -> bytes:
    return b"#cloud-config\nwrite_files:\n- content: " + base64.b64encode(raw) + b"\n  encoding: b64\n"


@pytest.mark.parametrize(("token", "path"), PLACES)
def test_boot_data_is_base64_of_at_most_65535_bytes(token: str, path: str) -> None:
    assert found(token, path, encoded(os.urandom(65_535))) == []
    assert found(token, path, encoded(os.urandom(65_536))) == ["at most 65,535 bytes decoded; these are 65,536"]
    assert found(token, path, "#cloud-config\n") == ["base64"]
    assert found(token, path, UNKNOWN) == []


@pytest.mark.parametrize(("token", "path"), PLACES)
@pytest.mark.parametrize(
    "data",
    [PEM, gzip.compress(PEM), written(PEM), gzip.compress(written(PEM)), written(gzip.compress(PEM))],
    ids=["plain", "gzip", "in a file", "in a file, gzip", "in a file of gzip"],
)
def test_boot_data_with_a_private_key_is_refused_however_it_is_packed(token: str, path: str, data: bytes) -> None:
    (allowed,) = found(token, path, encoded(data))
    assert "no private key" in allowed


def test_boot_data_with_certificates_is_fine_and_its_content_is_never_shown() -> None:
    assert found(*PLACES[0], encoded(written(CERTIFICATE))) == []
    (refusal,) = bootdata.judge(KINDS[PLACES[0][0]], "vm", good(PLACES[0][0], **{PLACES[0][1]: encoded(PEM)}))
    assert encoded(PEM)[:40] not in str(refusal)
