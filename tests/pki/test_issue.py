"""Certificates as OpenSSL judges them: who trusts whom, for what, under which name, until when."""

import ssl
from datetime import UTC, datetime, timedelta
from functools import cache
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from kilonode.pki.credentials import Certificate, authorities, member_credentials
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
from tests.plans import biggest, credentials, plan

OIDS = {"server": ExtendedKeyUsageOID.SERVER_AUTH, "client": ExtendedKeyUsageOID.CLIENT_AUTH}


@cache
def authority(name: str) -> Pair:
    """One authority per name: making a key takes longer than looking at it."""
    return new_authority(f"west-{name}")


def certificates() -> dict[str, Certificate]:
    """Every certificate of an ordinary region, one machine per role, by machine and file."""
    planned = plan(
        etcd=[{"name": name, "members": 1} for name in ("main", "events", "leases")], apiServers={"count": 1}
    )
    rows = credentials(planned)
    return {
        f"{name} {row.service} {row.file}": row for name in rows for row in rows[name] if isinstance(row, Certificate)
    }


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
    assert len(every) == 6
    assert [name for name in every if trusts(name, made)] == [row.signer]


@pytest.mark.parametrize("row", certificates().values(), ids=certificates())
def test_a_certificate_says_exactly_what_its_row_says(row: Certificate) -> None:
    made = parsed(issue(row, authority(row.signer)))
    usages = made.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert list(usages) == [OIDS[usage] for usage in row.usages]
    assert [name.value for name in made.subject.get_attributes_for_oid(NameOID.COMMON_NAME)] == [row.common_name]
    organizations = [name.value for name in made.subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)]
    assert organizations == ([row.organization] if row.organization else [])
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


class Side:
    """One end of a TLS connection in memory, with what a member is given."""

    def __init__(self, folder: Path, pair: Pair, trusted: Pair) -> None:
        self.chain, self.authority = folder / "chain.pem", trusted.certificate
        folder.mkdir()
        self.chain.write_text(pair.certificate + pair.key)

    def context(self, protocol: int) -> ssl.SSLContext:
        context = ssl.SSLContext(protocol)
        context.load_cert_chain(self.chain)
        context.load_verify_locations(cadata=self.authority)
        context.verify_mode = ssl.CERT_REQUIRED
        return context


def handshake(server: Side, client: Side, name: str) -> None:
    """Shake hands to the end; raises as OpenSSL refuses."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [
        client.context(ssl.PROTOCOL_TLS_CLIENT).wrap_bio(to_client, to_server, server_hostname=name),
        server.context(ssl.PROTOCOL_TLS_SERVER).wrap_bio(to_server, to_client, server_side=True),
    ]
    unfinished = set(ends)
    for _ in range(4):
        for end in ends:
            try:
                end.do_handshake()
            except ssl.SSLWantReadError:
                continue
            unfinished.discard(end)
    assert not unfinished


def peer(cluster: str, folder: Path, trusted: str = "") -> Side:
    planned = next(one for one in plan().etcd if one.spec.name == cluster)
    rows = member_credentials(planned, planned.members[0])
    row = next(row for row in rows if isinstance(row, Certificate) and row.file == "peer")
    return Side(folder, issue(row, authority(row.signer)), authority(trusted or row.signer))


def test_peers_of_one_etcd_cluster_shake_hands(tmp_path: Path) -> None:
    handshake(peer("main", tmp_path / "server"), peer("main", tmp_path / "client"), "west-etcd-main-1")


def test_a_peer_of_one_etcd_cluster_is_nobody_to_a_member_of_another(tmp_path: Path) -> None:
    stranger = peer("events", tmp_path / "client", trusted="etcd-main-peers")
    with pytest.raises(ssl.SSLError, match="certificate verify failed"):
        handshake(peer("main", tmp_path / "server"), stranger, "west-etcd-main-1")


def test_a_member_does_not_take_another_cluster_s_server_for_a_peer(tmp_path: Path) -> None:
    with pytest.raises(ssl.SSLError, match="certificate verify failed"):
        handshake(peer("events", tmp_path / "server"), peer("main", tmp_path / "client"), "west-etcd-events-1")


def test_a_client_certificate_may_not_serve(tmp_path: Path) -> None:
    rows = certificates()
    client = rows["west-etcd-main-1 etcd client"]
    pretender = Side(tmp_path / "server", issue(client, authority("etcd")), authority("etcd"))
    with pytest.raises(ssl.SSLError, match="unsuitable certificate purpose"):
        handshake(
            pretender, Side(tmp_path / "client", issue(client, authority("etcd")), authority("etcd")), "localhost"
        )


def test_a_server_certificate_may_not_act_as_a_client(tmp_path: Path) -> None:
    server = certificates()["west-etcd-main-1 etcd server"]
    sides = [
        Side(tmp_path / name, issue(server, authority("etcd")), authority("etcd")) for name in ("server", "client")
    ]
    with pytest.raises(ssl.SSLError, match="unsuitable certificate purpose"):
        handshake(sides[0], sides[1], "localhost")


@pytest.mark.parametrize(
    "name",
    [
        str(plan().api_servers[0].address), str(plan().load_balancer.address), "172.20.0.1", "127.0.0.1", "localhost",
        "api.west.internal", "kubernetes.default.svc.cluster.local",
    ],
)  # fmt: skip
def test_an_api_server_is_known_by_every_name_clients_use(name: str, tmp_path: Path) -> None:
    rows = certificates()
    server, client = rows["west-api-1 kube-apiserver server"], rows["operator operator client"]
    kubernetes = authority("kubernetes")
    sides = [Side(tmp_path / row.file, issue(row, kubernetes), kubernetes) for row in (server, client)]
    handshake(sides[0], sides[1], name)


def test_an_api_server_is_not_taken_for_its_neighbour(tmp_path: Path) -> None:
    rows = certificates()
    kubernetes = authority("kubernetes")
    sides = [
        Side(tmp_path / row.file, issue(row, kubernetes), kubernetes)
        for row in (rows["west-api-1 kube-apiserver server"], rows["operator operator client"])
    ]
    with pytest.raises(ssl.SSLCertVerificationError, match="IP address mismatch"):
        handshake(sides[0], sides[1], str(plan().api_servers[1].address))


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
