"""What a certificate says, who trusts it, and until when."""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address

import pytest
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from kilonode.pki.credentials import authorities
from kilonode.pki.issue import (
    AUTHORITY_LIFE,
    CLOCK_SKEW,
    LEAF_LIFE,
    RENEW_BEFORE,
    Pair,
    due,
    issue,
    new_authority,
    new_key,
)
from kilonode.pki.kinds import Certificate
from tests.pki.issued import authority, certificates
from tests.plans import biggest, credentials, plan

OIDS = {"server": ExtendedKeyUsageOID.SERVER_AUTH, "client": ExtendedKeyUsageOID.CLIENT_AUTH}


def parsed(pair: Pair) -> x509.Certificate:
    return x509.load_pem_x509_certificate(pair.certificate.encode())


def trusts(signer: str, certificate: x509.Certificate) -> bool:
    try:
        certificate.verify_directly_issued_by(parsed(authority(signer)))
    except (ValueError, InvalidSignature):
        return False
    return True


@pytest.mark.parametrize("row", certificates().values(), ids=certificates())
def test_a_certificate_is_trusted_by_its_own_authority_and_by_no_other(row: Certificate) -> None:
    made = parsed(issue(row, authority(row.signer)))
    every = authorities(plan(etcd=[{"name": name} for name in ("main", "events", "leases")]))
    assert len(every) == 7
    assert [name for name in every if trusts(name, made)] == [row.signer]


@pytest.mark.parametrize("row", certificates().values(), ids=certificates())
def test_a_certificate_says_exactly_what_its_row_says(row: Certificate) -> None:
    made = parsed(issue(row, authority(row.signer)))
    usages = made.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert list(usages) == [OIDS[usage] for usage in row.usages]
    assert [name.value for name in made.subject.get_attributes_for_oid(NameOID.COMMON_NAME)] == [row.common_name]
    organizations = [name.value for name in made.subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)]
    assert organizations == list(row.organizations)
    try:
        names = made.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        assert (row.names, row.addresses) == ((), ())
    else:
        assert names.get_values_for_type(x509.DNSName) == list(row.names)
        assert names.get_values_for_type(x509.IPAddress) == [ip_address(address) for address in row.addresses]
    assert made.extensions.get_extension_for_class(x509.BasicConstraints).value.ca is False
    assert made.extensions.get_extension_for_class(x509.KeyUsage).value.key_cert_sign is False


def public(key: object) -> bytes:
    assert isinstance(key, ec.EllipticCurvePublicKey)
    return key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


@pytest.mark.parametrize("row", certificates().values(), ids=certificates())
def test_key_and_certificate_belong_together_and_are_new_each_time(row: Certificate) -> None:
    one, two = issue(row, authority(row.signer)), issue(row, authority(row.signer))
    assert public(load_pem_private_key(one.key.encode(), None).public_key()) == public(parsed(one).public_key())
    assert public(parsed(one).public_key()) != public(parsed(two).public_key())
    assert parsed(one).serial_number != parsed(two).serial_number


def test_an_authority_signs_leaves_and_no_other_authority() -> None:
    made = parsed(authority("etcd"))
    constraints = made.extensions.get_extension_for_class(x509.BasicConstraints)
    assert constraints.critical
    assert (constraints.value.ca, constraints.value.path_length) == (True, 0)
    assert made.subject == made.issuer
    assert trusts("etcd", made)


def test_two_authorities_of_one_name_do_not_trust_each_other_s_leaves() -> None:
    """As two regions of one name on two machines."""
    row = Certificate("etcd", "peer", "etcd", "x", ("server", "client"), names=("x",))
    made = parsed(issue(row, new_authority("west-etcd")))
    with pytest.raises(InvalidSignature):
        made.verify_directly_issued_by(parsed(authority("etcd")))


def test_a_certificate_is_valid_a_little_earlier_and_for_a_year() -> None:
    row = Certificate("s", "f", "etcd", "x", ("client",))
    before = datetime.now(UTC)
    made = parsed(issue(row, authority("etcd")))
    assert before - CLOCK_SKEW - timedelta(seconds=1) <= made.not_valid_before_utc <= datetime.now(UTC) - CLOCK_SKEW
    assert abs(made.not_valid_after_utc - before - LEAF_LIFE) < timedelta(minutes=1)
    assert made.not_valid_after_utc < parsed(authority("etcd")).not_valid_after_utc
    assert AUTHORITY_LIFE > 5 * LEAF_LIFE


def test_a_certificate_is_due_as_soon_as_less_than_the_margin_is_left_and_not_before() -> None:
    pair = issue(Certificate("s", "f", "etcd", "x", ("client",)), authority("etcd"))
    turning = parsed(pair).not_valid_after_utc - RENEW_BEFORE
    assert not due(pair.certificate, turning - timedelta(seconds=1))
    assert not due(pair.certificate, turning)
    assert due(pair.certificate, turning + timedelta(seconds=1))
    assert due(pair.certificate, turning + LEAF_LIFE)
    assert not due(pair.certificate)


def test_a_region_updated_every_half_year_never_runs_out() -> None:
    """After the first half year a certificate is kept, so at the second it still has to be renewed in time."""
    half = timedelta(days=183)
    assert half < LEAF_LIFE - RENEW_BEFORE
    assert half < LEAF_LIFE


def test_the_service_account_key_is_in_the_form_kube_apiserver_reads_a_public_key_from() -> None:
    assert new_key().startswith("-----BEGIN EC PRIVATE KEY-----\n")
    key = load_pem_private_key(new_key().encode(), None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    assert key.curve.name == "secp256r1"


def test_the_longest_common_names_fit_x509() -> None:
    rows = [row for rows in credentials(biggest()).values() for row in rows if isinstance(row, Certificate)]
    longest = max(rows, key=lambda row: len(row.common_name))
    assert len(longest.common_name) <= 64
    assert issue(longest, authority("etcd"))
    assert all(len(f"{biggest().spec.name}-{name}") <= 64 for name in authorities(biggest()))
