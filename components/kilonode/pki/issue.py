"""Issuing certificates with the ``cryptography`` package; no other file touches key material's form."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from kilonode.pki.kinds import Certificate

AUTHORITY_LIFE = timedelta(days=3650)
LEAF_LIFE = timedelta(days=365)
RENEW_BEFORE = timedelta(days=120)
"""A leaf is renewed by the next update once less than this is left: a region updated twice a year never expires."""

CLOCK_SKEW = timedelta(minutes=5)
"""Certificates are valid from a little earlier, as machines' clocks differ at first boot."""

_USAGES = {"server": ExtendedKeyUsageOID.SERVER_AUTH, "client": ExtendedKeyUsageOID.CLIENT_AUTH}


@dataclass(frozen=True)
class Pair:
    """A certificate and its private key, both PEM."""

    certificate: str
    key: str


def new_key() -> str:
    """A P-256 private key, PEM in the SEC 1 form: kube-apiserver derives the public key from that form only."""
    key = ec.generate_private_key(ec.SECP256R1())
    return key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode()


def new_authority(name: str) -> Pair:
    """A self-signed certificate authority that may sign leaves only."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - CLOCK_SKEW)
        .not_valid_after(now + AUTHORITY_LIFE)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_key_usage(signs_certificates=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, SHA256())
    )
    return Pair(certificate.public_bytes(Encoding.PEM).decode(), _pem(key))


def issue(request: Certificate, authority: Pair) -> Pair:
    """A new key and a certificate for ``request`` signed by ``authority``."""
    signer = x509.load_pem_x509_certificate(authority.certificate.encode())
    signing_key = load_pem_private_key(authority.key.encode(), password=None)
    if not isinstance(signing_key, ec.EllipticCurvePrivateKey):
        raise TypeError("an authority's key is an elliptic-curve key")
    key = ec.generate_private_key(ec.SECP256R1())
    subject = [
        *(x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization) for organization in request.organizations),
        x509.NameAttribute(NameOID.COMMON_NAME, request.common_name),
    ]
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name(subject))
        .issuer_name(signer.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - CLOCK_SKEW)
        .not_valid_after(now + LEAF_LIFE)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_key_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([_USAGES[usage] for usage in request.usages]), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signing_key.public_key()), critical=False)
    )
    alternatives = _alternatives(request)
    if alternatives:
        builder = builder.add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
    certificate = builder.sign(signing_key, SHA256())
    return Pair(certificate.public_bytes(Encoding.PEM).decode(), _pem(key))


def due(certificate: str, now: datetime | None = None) -> bool:
    """Whether a leaf certificate (PEM) has less than :data:`RENEW_BEFORE` left."""
    end = x509.load_pem_x509_certificate(certificate.encode()).not_valid_after_utc
    return end - (now or datetime.now(UTC)) < RENEW_BEFORE


def _alternatives(request: Certificate) -> Sequence[x509.GeneralName]:
    return [
        *(x509.DNSName(name) for name in request.names),
        *(x509.IPAddress(ip_address(address)) for address in request.addresses),
    ]


def _key_usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _pem(key: ec.EllipticCurvePrivateKey) -> str:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
