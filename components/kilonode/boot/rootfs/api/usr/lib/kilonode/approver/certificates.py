"""The certificate a node gets, and who signs it; no file and no network is touched here."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from approver.judge import Approve

LIFE = timedelta(days=30)  # kubelet renews at 70 to 90 % of it; a certificate cannot be taken back before it ends
SHORTEST = timedelta(minutes=10)  # what Kubernetes allows expirationSeconds to be at least
CLOCK_SKEW = timedelta(minutes=5)

_PURPOSES = {"client auth": ExtendedKeyUsageOID.CLIENT_AUTH, "server auth": ExtendedKeyUsageOID.SERVER_AUTH}


@dataclass(frozen=True)
class Authority:
    """Who signs."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    @classmethod
    def load(cls, certificate: bytes, key: bytes) -> "Authority":
        """Read both from PEM."""
        loaded = load_pem_private_key(key, None)
        if not isinstance(loaded, ec.EllipticCurvePrivateKey):
            raise TypeError("an authority's key is an elliptic-curve key")
        return cls(x509.load_pem_x509_certificate(certificate), loaded)

    @property
    def end(self) -> datetime:
        """When its certificate ends."""
        # Debian 12's cryptography (38) knows times without a zone only; in newer ones they are deprecated.
        aware: datetime | None = getattr(self.certificate, "not_valid_after_utc", None)
        return aware or self.certificate.not_valid_after.replace(tzinfo=UTC)


def issue(wanted: Approve, authority: Authority, now: datetime) -> x509.Certificate:
    """Sign ``wanted``: for 30 days, or less if it asks for less or the authority ends sooner.

    Raises:
        ValueError: when the authority ends before any certificate may.
    """
    life = min(LIFE, max(SHORTEST, timedelta(seconds=wanted.seconds))) if wanted.seconds is not None else LIFE
    if authority.end < now + SHORTEST:
        raise ValueError(f"the authority that signs for nodes ends at {authority.end:%Y-%m-%d %H:%M} UTC")
    subject = [
        *(x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization) for organization in wanted.organizations),
        x509.NameAttribute(NameOID.COMMON_NAME, wanted.common_name),
    ]
    purposes = [oid for usage, oid in _PURPOSES.items() if usage in wanted.usages]
    issuer = authority.certificate.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name(subject))
        .issuer_name(authority.certificate.subject)
        .public_key(wanted.key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - CLOCK_SKEW)
        .not_valid_after(min(now + life, authority.end))
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_key_usage(enciphers="key encipherment" in wanted.usages), critical=True)
        .add_extension(x509.ExtendedKeyUsage(purposes), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(wanted.key), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(issuer), critical=False)
    )
    alternatives = [*map(x509.DNSName, wanted.names), *map(x509.IPAddress, wanted.addresses)]
    if alternatives:
        builder = builder.add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
    return builder.sign(authority.key, SHA256())


def _key_usage(*, enciphers: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        key_encipherment=enciphers,
        content_commitment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=False,
        crl_sign=False,
        encipher_only=False,
        decipher_only=False,
    )
