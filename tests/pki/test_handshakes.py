"""Certificates as OpenSSL judges them in a real handshake: who talks to whom, as what, under which name."""

import ssl
from pathlib import Path

import pytest

from kilonode.pki.credentials import member_credentials
from kilonode.pki.issue import Pair, issue
from kilonode.pki.kinds import Certificate
from tests.pki.issued import authority, certificates
from tests.plans import plan


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
