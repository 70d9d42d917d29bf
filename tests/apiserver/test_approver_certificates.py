"""What the approver signs: exactly what was decided, for a bounded time, by an authority that OpenSSL follows."""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID
from hypothesis import given
from hypothesis import strategies as st

from kilonode.pki.issue import AUTHORITY_LIFE, new_authority
from tests.apiserver.approver import (
    ADDRESS,
    CLIENT,
    CN,
    JOINED,
    KEY,
    NODE,
    SERVING,
    O,
    certificates,
    csr,
    joined,
    joining,
    judge,
    verdict,
)
from tests.apiserver.approver import NOW as MOMENT

PAIR = new_authority("west-nodes")
AUTHORITY = certificates.Authority.load(PAIR.certificate.encode(), PAIR.key.encode())
NOW = datetime.now(UTC).replace(microsecond=0)


def client(**changes: Any) -> Any:
    decided = verdict(CLIENT, joining(), csr())
    return judge.Approve(**(vars(decided) | changes))


def serving() -> Any:
    return verdict(SERVING, joined(), csr(None, (NODE,), (ADDRESS,)), node_made=JOINED)


def extension(made: x509.Certificate, kind: Any) -> Any:
    return made.extensions.get_extension_for_class(kind)


def test_a_client_certificate_says_who_where_and_of_which_pool_and_may_only_act_as_a_client() -> None:
    made = certificates.issue(client(), AUTHORITY, NOW)
    groups = [each.value for each in made.subject.get_attributes_for_oid(O)]
    own = ["kilonode:pool:workers", f"kilonode:address:{ADDRESS}", f"kilonode:joined:{MOMENT}"]
    assert groups == ["system:nodes", *own]
    assert [each.value for each in made.subject.get_attributes_for_oid(CN)] == [f"system:node:{NODE}"]
    assert list(extension(made, x509.ExtendedKeyUsage).value) == [ExtendedKeyUsageOID.CLIENT_AUTH]
    with pytest.raises(x509.ExtensionNotFound):
        extension(made, x509.SubjectAlternativeName)


def test_a_serving_certificate_has_the_node_s_name_and_address_and_may_only_serve() -> None:
    made = certificates.issue(serving(), AUTHORITY, NOW)
    names = extension(made, x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == [NODE]
    assert names.get_values_for_type(x509.IPAddress) == [ip_address(ADDRESS)]
    assert list(extension(made, x509.ExtendedKeyUsage).value) == [ExtendedKeyUsageOID.SERVER_AUTH]
    assert [each.value for each in made.subject.get_attributes_for_oid(O)] == ["system:nodes"]


@pytest.mark.parametrize("make", [client, serving])
def test_a_node_signs_nothing_itself(make: Any) -> None:
    made = certificates.issue(make(), AUTHORITY, NOW)
    constraints = extension(made, x509.BasicConstraints)
    assert (constraints.critical, constraints.value.ca) == (True, False)
    usage = extension(made, x509.KeyUsage)
    assert usage.critical
    assert (usage.value.key_cert_sign, usage.value.crl_sign, usage.value.digital_signature) == (False, False, True)
    assert len(list(made.extensions)) == (5 if make is client else 6)


def test_key_encipherment_is_there_when_it_was_asked_for() -> None:
    for asked in (set(), {"key encipherment"}):
        usages = frozenset({"digital signature", "client auth"} | asked)
        made = certificates.issue(client(usages=usages), AUTHORITY, NOW)
        assert extension(made, x509.KeyUsage).value.key_encipherment == bool(asked)


def test_it_is_for_the_key_of_the_request_and_by_the_authority() -> None:
    made = certificates.issue(client(), AUTHORITY, NOW)
    made.verify_directly_issued_by(AUTHORITY.certificate)
    assert made.public_key() == KEY.public_key()
    own = extension(AUTHORITY.certificate, x509.SubjectKeyIdentifier).value.digest
    assert extension(made, x509.AuthorityKeyIdentifier).value.key_identifier == own
    assert made.issuer.public_bytes() == AUTHORITY.certificate.subject.public_bytes()


def test_no_two_certificates_have_the_same_number() -> None:
    assert len({certificates.issue(client(), AUTHORITY, NOW).serial_number for _ in range(50)}) == 50


@given(st.one_of(st.none(), st.integers(0, 2**31)))
def test_it_lasts_as_long_as_asked_but_no_more_than_30_days_and_no_less_than_ten_minutes(seconds: int | None) -> None:
    made = certificates.issue(client(seconds=seconds), AUTHORITY, NOW)
    life = made.not_valid_after_utc - NOW
    assert timedelta(minutes=10) <= life <= timedelta(days=30)
    if seconds is None or seconds > 30 * 86400:
        assert life == timedelta(days=30)
    elif seconds >= 600:
        assert life == timedelta(seconds=seconds)
    assert made.not_valid_before_utc == NOW - timedelta(minutes=5)


@pytest.mark.parametrize("left", [timedelta(days=29), timedelta(minutes=11)])
def test_it_never_outlives_the_authority(left: timedelta) -> None:
    end = AUTHORITY.end
    made = certificates.issue(client(), AUTHORITY, end - left)
    assert made.not_valid_after_utc == end


@pytest.mark.parametrize("left", [timedelta(minutes=9), timedelta(0), -timedelta(days=1)])
def test_an_authority_that_ends_signs_nothing_more_and_says_when(left: timedelta) -> None:
    with pytest.raises(ValueError, match="ends at"):
        certificates.issue(client(), AUTHORITY, AUTHORITY.end - left)


def test_an_authority_lasts_longer_than_any_certificate_it_signs() -> None:
    assert certificates.LIFE * 10 < AUTHORITY_LIFE


def test_an_authority_with_a_key_of_another_kind_is_refused() -> None:
    key = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    with pytest.raises(TypeError, match="elliptic-curve"):
        certificates.Authority.load(PAIR.certificate.encode(), key)
