"""Rules about who may talk to etcd, and how both sides prove who they are."""

from collections.abc import Iterator

from kilonode.rules import subjects
from kilonode.rules.facts.controlplane import Member
from kilonode.rules.go import truth
from kilonode.rules.rule import Fault, rule
from kilonode.rules.urls import in_the_clear

CLIENTS = ("listen-client-urls", "listen-client-http-urls")
"""Not listen-metrics-urls: figures and health are not keys, and what scrapes them may have no certificate."""


def _tls(member: Member, prefix: str, *urls: str) -> Iterator[Fault]:
    for key in ("cert-file", "key-file", "trusted-ca-file"):
        if not member.options.get(prefix + key):
            yield Fault(prefix + key, None, "a file")
    given = member.options.get(f"{prefix}client-cert-auth")
    if truth(given) is not True:
        yield Fault(f"{prefix}client-cert-auth", given, "true")
    for key in urls:
        yield from (Fault(key, url, "https:// only") for url in in_the_clear(member.options.get(key, "")))


@rule(
    "etcd-client-tls", subjects.members, severity="critical", benchmark="CIS 2.1, CIS 2.2, CKV_K8S_116, CKV_K8S_117",
    why="whoever reaches the port reads and writes every secret of the cluster", source="etcd docs, transport security",
    fix="set cert-file, key-file, trusted-ca-file and client-cert-auth, and listen on https:// alone",
)  # fmt: skip
def client_tls(member: Member) -> Iterator[Fault]:
    """Clients and members prove to each other who they are."""
    yield from _tls(member, "", *CLIENTS)


@rule(
    "etcd-peer-tls", subjects.members, severity="critical", benchmark="CIS 2.4, CIS 2.5, CKV_K8S_119, CKV_K8S_121",
    why="whoever may be a peer is given every key of the cluster", source="etcd docs, transport security",
    fix="set peer-cert-file, peer-key-file, peer-trusted-ca-file and peer-client-cert-auth, and listen on https:// alone",
)  # fmt: skip
def peer_tls(member: Member) -> Iterator[Fault]:
    """Members prove to each other who they are."""
    yield from _tls(member, "peer-", "listen-peer-urls")


@rule(
    "etcd-no-auto-tls", subjects.members, severity="high", benchmark="CIS 2.3, CIS 2.6, CKV_K8S_118",
    why="a certificate that a member made for itself proves nothing", source="etcd docs, transport security",
    fix="remove auto-tls and peer-auto-tls",
)  # fmt: skip
def no_auto_tls(member: Member) -> Iterator[Fault]:
    """No member signs its own certificate."""
    for key in ("auto-tls", "peer-auto-tls"):
        given = member.options.get(key)
        if truth(given):
            yield Fault(key, given, "false")


@rule(
    "etcd-peer-authority", subjects.members, severity="medium",
    why="a client's certificate of the same authority would make its holder a peer",
    source="docs/adr/0003", fix="sign peers with an authority of their own",
)  # fmt: skip
def peer_authority(member: Member) -> Iterator[Fault]:
    """Peers have an authority of their own."""
    own, clients = (member.options.get(key) for key in ("peer-trusted-ca-file", "trusted-ca-file"))
    if own and own == clients:
        yield Fault("peer-trusted-ca-file", own, "another file than trusted-ca-file")


RULES = (
    client_tls, peer_tls, no_auto_tls, peer_authority,
)  # fmt: skip
