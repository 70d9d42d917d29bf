"""The public key a person gives: taken whole, and never anything private."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from kilonode.cloudspec.ssh_key import LINE_MAX, SshKey
from tests.clouds.azure.regions import KEY, one, spec


def line(*parts: bytes) -> str:
    """A public key of those parts, its kind the first."""
    blob = b"".join(len(part).to_bytes(4) + part for part in parts)
    return f"{parts[0].decode()} {base64.b64encode(blob).decode()}"


def ssh_rsa(bits: int, exponent: int = 65537) -> str:
    """The form of an RSA key of so many bits."""
    return line(b"ssh-rsa", exponent.to_bytes(3), b"\x00" + (2**bits - 1).to_bytes(bits // 8 + 1))


def refused(value: str) -> bool:
    adapter: TypeAdapter[str] = TypeAdapter(SshKey)
    try:
        return adapter.validate_python(value) != value
    except ValidationError:
        return True


@pytest.mark.parametrize("key", [KEY, KEY.rpartition(" ")[0], ssh_rsa(2048), ssh_rsa(4096) + " me"])
def test_a_public_key_is_taken(key: str) -> None:
    assert spec(cloud={"adminSshKey": key})


@pytest.mark.parametrize(
    "key",
    ["", "x", "ssh-ed25519", "ssh-ed25519 ", "ssh-ed25519 AAAA", KEY[:60], "ssh-dss AAAAB3NzaC1kc3M=", KEY.replace("ed25519", "rsa", 1),
     KEY + "\n" + KEY, ssh_rsa(1024), "ecdsa-sha2-nistp256 AAAA", "ssh-ed25519 !!!!"],
)  # fmt: skip
def test_what_is_no_key_is_refused(key: str) -> None:
    assert one(cloud={"adminSshKey": key}).field == "region.cloud.adminSshKey"


@given(st.text(max_size=80), st.sampled_from(["ssh-ed25519 ", "ssh-rsa ", ""]))
def test_no_text_breaks_the_reader(text: str, kind: str) -> None:
    assert refused(kind + text) or kind


def test_a_private_key_is_refused_and_not_repeated() -> None:
    key = "-----BEGIN OPENSSH PRIVATE KEY-----\nc2VjcmV0\n-----END OPENSSH PRIVATE KEY-----\n"
    found = one(cloud={"adminSshKey": key})
    assert found.given == "a private key"
    assert "c2VjcmV0" not in str(found)


@pytest.mark.parametrize(
    "key",
    [line(b"ssh-ed25519", b"a" * 31), line(b"ssh-ed25519", b"a" * 33), line(b"ssh-ed25519"), line(b"ssh-ed25519", b"a" * 32, b"b"),
     line(b"ssh-rsa", b"\xff" * 300), ssh_rsa(2047), ssh_rsa(2041), ssh_rsa(2048, exponent=1), ssh_rsa(2048, exponent=2),
     KEY + "\r", KEY + "\x00", KEY + " " + "x" * LINE_MAX],
)  # fmt: skip
def test_what_sshd_or_azure_would_not_take_is_refused(key: str) -> None:
    assert one(cloud={"adminSshKey": key}).field == "region.cloud.adminSshKey"


@pytest.mark.parametrize(
    "text",
    ["ssh-ed25519 b3BlbnNzaC1rZXktdjEAAAAABG5vbmUhunter2", "LS0tLS1CRUdJTiBPUEVOU1NIIFBSSVZBVEUgS0VZLS0tLS0Khunter2",
     "MIIEpAIBAAKCAQEAhunter2", "ssh-rsa MIIEvQIBADANhunter2", "PuTTY-User-Key-File-3: ssh-ed25519 hunter2"],
)  # fmt: skip
def test_a_private_key_without_its_header_is_not_repeated_either(text: str) -> None:
    found = one(cloud={"adminSshKey": text})
    assert found.given == "a private key"
    assert "hunter2" not in str(found)
