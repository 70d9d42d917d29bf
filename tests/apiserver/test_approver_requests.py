"""Which requests are right, whoever makes them: their signer, usages, key and extensions, and every byte."""

import base64
from functools import cache
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from hypothesis import given
from hypothesis import strategies as st

from tests.apiserver.approver import (
    CLIENT,
    CN,
    KEY,
    LIMITS,
    NODE,
    NOW,
    OTHER_NODE,
    SERVING,
    O,
    csr,
    joined,
    joining,
    judge,
    reason,
    requests,
    serving,
    spec,
    verdict,
)


@cache
def key(kind: str) -> Any:
    match kind:
        case "ed25519":
            return ed25519.Ed25519PrivateKey.generate()
        case "rsa-1024" | "rsa-2048":
            return rsa.generate_private_key(65537, int(kind.removeprefix("rsa-")))
        case "secp256r1":
            return KEY
        case "brainpool":
            return ec.generate_private_key(ec.BrainpoolP256R1())
        case curve:
            return ec.generate_private_key(getattr(ec, curve.upper())())


@pytest.mark.parametrize(
    ("signer", "who", "purpose", "right"),
    [(CLIENT, joining(), "client auth", csr()), (SERVING, joined(at=NOW), "server auth", serving())],
)
class TestUsagesAndKeys:
    def test_key_encipherment_may_be_asked_for(
        self, signer: str, who: dict[str, Any], purpose: str, right: bytes
    ) -> None:
        usages = ["key encipherment", "digital signature", purpose]
        assert isinstance(verdict(signer, who, right, usages=usages), judge.Approve)

    def test_another_usage_is_refused(self, signer: str, who: dict[str, Any], purpose: str, right: bytes) -> None:
        for more in {"client auth", "server auth", "cert sign", "any", "code signing"} - {purpose}:
            assert "usages" in reason(verdict(signer, who, right, usages=["digital signature", purpose, more]))
            assert "usages" in reason(verdict(signer, who, right, usages=["digital signature", more]))

    @pytest.mark.parametrize("lacking", [0, 1])
    def test_neither_usage_may_lack(
        self, signer: str, who: dict[str, Any], purpose: str, right: bytes, lacking: int
    ) -> None:
        usages = ["digital signature", purpose]
        del usages[lacking]
        assert "usages" in reason(verdict(signer, who, right, usages=usages))


@pytest.mark.parametrize("kind", ["secp256r1", "secp384r1", "secp521r1", "rsa-2048"])
def test_a_key_that_kubernetes_programs_use_is_taken(kind: str) -> None:
    assert isinstance(verdict(CLIENT, joining(), csr(key=key(kind))), judge.Approve)


@pytest.mark.parametrize("kind", ["rsa-1024", "secp256k1", "secp224r1", "brainpool"])
def test_a_weak_or_unusual_key_is_refused(kind: str) -> None:
    assert "its key is none of" in reason(verdict(CLIENT, joining(), csr(key=key(kind))))


def test_an_extension_that_no_certificate_of_a_node_has_is_refused() -> None:
    name = x509.Name([x509.NameAttribute(O, "system:nodes"), x509.NameAttribute(CN, f"system:node:{NODE}")])
    builder = x509.CertificateSigningRequestBuilder().subject_name(name)
    asked = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    pem = asked.sign(KEY, SHA256()).public_bytes(Encoding.PEM)
    assert "the extension 2.5.29.19" in reason(verdict(CLIENT, joining(), pem))


def test_another_signer_s_requests_are_none_of_the_approver_s() -> None:
    asked = requests.read(spec(CLIENT, joining(), signerName="kubernetes.io/kube-apiserver-client"), csr())
    assert "is not for nodes" in reason(judge.judge(asked, judge.Region(NOW, None), LIMITS))


PEM = csr()


DER = base64.b64decode(b"".join(PEM.splitlines()[1:-1]))


def wrapped(der: bytes) -> bytes:
    lines = base64.encodebytes(der)
    return b"-----BEGIN CERTIFICATE REQUEST-----\n" + lines + b"-----END CERTIFICATE REQUEST-----\n"


@pytest.mark.parametrize(
    "pem",
    [
        b"", b"x", DER, PEM + PEM, b"first\n" + PEM, PEM.replace(b" REQUEST", b""),
        PEM.replace(b"BEGIN CERTIFICATE", b"BEGIN NEW CERTIFICATE").replace(b"END CERTIFICATE", b"END NEW CERTIFICATE"),
        wrapped(DER[:-1]), wrapped(DER + b"\0"), wrapped(b""),
    ],
)  # fmt: skip
def test_what_is_not_one_whole_request_is_unreadable(pem: bytes) -> None:
    with pytest.raises(requests.UnreadableError):
        requests.read(spec(CLIENT, joining()), pem)


def test_an_rsa_or_elliptic_key_must_have_signed_its_own_request() -> None:
    """A request of another's key, with one's own name in it."""
    other = csr([(O, "system:nodes"), (CN, f"system:node:{OTHER_NODE}")])
    der = base64.b64decode(b"".join(other.splitlines()[1:-1]))
    changed = der.replace(OTHER_NODE.encode(), NODE.encode())
    assert changed != der
    with pytest.raises(requests.UnreadableError, match="signature"):
        requests.read(spec(CLIENT, joining()), wrapped(changed))


def test_an_ed25519_key_is_refused() -> None:
    name = x509.Name([x509.NameAttribute(O, "system:nodes"), x509.NameAttribute(CN, f"system:node:{NODE}")])
    asked = x509.CertificateSigningRequestBuilder().subject_name(name).sign(key("ed25519"), None)
    assert "its key is none of" in reason(verdict(CLIENT, joining(), asked.public_bytes(Encoding.PEM)))


@given(st.integers(0, len(DER) - 1), st.integers(0, 255))
def test_a_request_with_any_byte_changed_is_unreadable_or_unchanged(place: int, value: int) -> None:
    damaged = DER[:place] + bytes([value]) + DER[place + 1 :]
    if damaged == DER:
        assert requests.read(spec(CLIENT, joining()), wrapped(damaged))
        return
    with pytest.raises(requests.UnreadableError) as error:
        requests.read(spec(CLIENT, joining()), wrapped(damaged))
    assert str(error.value).isprintable()


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_unreadable_and_nothing_else(data: bytes) -> None:
    for pem in (data, wrapped(data)):
        with pytest.raises(requests.UnreadableError):
            requests.read(spec(CLIENT, joining()), pem)
