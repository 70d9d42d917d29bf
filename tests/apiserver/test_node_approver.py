"""Whom the approver gives which certificate: a node its own name and address, once, and nobody anything else."""

import base64
from functools import cache
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID
from hypothesis import given
from hypothesis import strategies as st

from tests.apiserver.approver import (
    ADDRESS,
    CLIENT,
    CN,
    GIVEN,
    JOINED,
    KEY,
    LIMITS,
    NODE,
    NOW,
    POOL,
    PREFIX,
    RANGE,
    SERVING,
    O,
    csr,
    joined,
    joined_pool,
    joining,
    joining_pool,
    judge,
    named,
    requests,
    spec,
    verdict,
)

OTHER_NODE, OTHER_POOL, OTHER_ADDRESS = "west-workers-00008", "wide", "10.66.0.252"
REGISTRATION, SILENCE = LIMITS.registration, LIMITS.silence
GROUPS = ("system:nodes", f"kilonode:pool:{POOL}", f"kilonode:address:{ADDRESS}")


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


def serving(
    names: tuple[str, ...] = (NODE,), addresses: tuple[str, ...] = (ADDRESS,), *more: x509.GeneralName
) -> bytes:
    return csr(None, names, addresses, *more)


def reason(decided: Any, *, passing: bool = False) -> str:
    assert isinstance(decided, judge.Refuse), decided
    assert decided.passing == passing
    return str(decided.reason)


class TestJoining:
    """A machine with its bootstrap credential asks to be a node."""

    def test_it_becomes_the_node_of_its_credential_with_its_pool_and_address_as_groups(self) -> None:
        decided = verdict(CLIENT, joining(), csr())
        assert isinstance(decided, judge.Approve)
        assert decided.common_name == f"system:node:{NODE}"
        assert decided.organizations == (*GROUPS, f"kilonode:joined:{NOW}")
        assert (decided.names, decided.addresses) == ((), ())
        assert decided.usages == {"digital signature", "client auth"}

    def test_it_may_not_be_another_node(self) -> None:
        other = csr([(O, "system:nodes"), (CN, f"system:node:{OTHER_NODE}")])
        assert f"'system:nodes, system:node:{OTHER_NODE}'" in reason(verdict(CLIENT, joining(), other))

    @pytest.mark.parametrize(
        "subject",
        [
            [(CN, f"system:node:{NODE}")],
            [(O, "system:masters"), (CN, f"system:node:{NODE}")],
            [(O, "system:nodes"), (O, "system:masters"), (CN, f"system:node:{NODE}")],
            [(O, "system:nodes"), (O, "kilonode:pool:wide"), (CN, f"system:node:{NODE}")],
            [(O, "system:nodes"), (O, "system:nodes"), (CN, f"system:node:{NODE}")],
            [(O, "system:nodes"), (CN, f"system:node:{NODE}"), (CN, f"system:node:{NODE}")],
            [(O, "system:nodes"), (CN, f"system:node:{NODE}"), (NameOID.ORGANIZATIONAL_UNIT_NAME, "x")],
            [(O, "system:nodes"), (CN, f"system:node:{NODE} ")],
            [(O, "system:nodes"), (CN, f"SYSTEM:NODE:{NODE}")],
            [(O, "system:nodes"), (CN, NODE)],
            [(O, f"system:node:{NODE}"), (CN, "system:nodes")],
            [],
        ],
        ids=str,
    )
    def test_its_name_is_exactly_that_of_a_node(self, subject: list[tuple[Any, str]]) -> None:
        assert "this credential is for" in reason(verdict(CLIENT, joining(), csr(subject)))

    @pytest.mark.parametrize(("names", "addresses"), [((NODE,), ()), ((), (ADDRESS,)), (("x",), ("::1",))])
    def test_a_client_has_no_alternative_names(self, names: tuple[str, ...], addresses: tuple[str, ...]) -> None:
        assert "no alternative names" in reason(verdict(CLIENT, joining(), csr(None, names, addresses)))

    def test_its_credential_is_used_up_while_the_node_exists_and_good_again_once_it_is_deleted(self) -> None:
        assert f"the Node {NODE} exists" in reason(
            verdict(CLIENT, joining(), csr(), node_made=JOINED + 5), passing=True
        )
        assert isinstance(verdict(CLIENT, joining(), csr()), judge.Approve)

    @pytest.mark.parametrize("silent", [0, SILENCE - 1])
    def test_it_waits_while_the_node_gives_signs_of_life(self, silent: int) -> None:
        decided = verdict(CLIENT, joining(), csr(), node_made=JOINED + 5, silent=silent)
        assert not isinstance(decided, judge.Replace)
        assert f"when nothing was heard of the old for {SILENCE} s" in reason(decided, passing=True)

    @pytest.mark.parametrize("silent", [SILENCE, 10 * SILENCE])
    def test_a_node_that_is_silent_goes_first_and_then_it_is_let_in(self, silent: int) -> None:
        decided = verdict(CLIENT, joining(), csr(), node_made=JOINED + 5, silent=silent)
        assert isinstance(decided, judge.Replace)
        assert f"the Node {NODE} is silent" in reason(decided, passing=True)

    @pytest.mark.parametrize("other", ["recent", "superseded"])
    def test_no_node_goes_for_a_request_that_would_not_be_let_in_then(self, other: str) -> None:
        decided = verdict(CLIENT, joining(), csr(), node_made=JOINED + 5, silent=SILENCE, **{other: True})
        assert reason(decided, passing=True)
        assert not isinstance(decided, judge.Replace)

    def test_whose_node_goes_is_the_requester_s_own(self) -> None:
        other = csr([(O, "system:nodes"), (CN, f"system:node:{OTHER_NODE}")])
        decided = verdict(CLIENT, joining(), other, node_made=JOINED + 5, silent=SILENCE)
        assert not isinstance(decided, judge.Replace)
        assert reason(decided)

    def test_two_machines_are_not_let_in_as_one_node_before_the_first_has_registered(self) -> None:
        assert "within two minutes" in reason(verdict(CLIENT, joining(), csr(), recent=True), passing=True)

    def test_of_several_requests_of_one_machine_the_latest_is_answered(self) -> None:
        assert "only the latest" in reason(verdict(CLIENT, joining(), csr(), superseded=True), passing=True)

    def test_it_serves_nothing_yet(self) -> None:
        assert "has not joined" in reason(verdict(SERVING, joining(), serving()))


class TestRenewal:
    """A node asks for its next client certificate."""

    def test_it_is_the_same_node_with_the_same_groups(self) -> None:
        decided = verdict(CLIENT, joined(), csr(), node_made=JOINED + 5)
        assert isinstance(decided, judge.Approve)
        groups = (*GROUPS, f"kilonode:joined:{JOINED}")
        assert (decided.common_name, decided.organizations) == (f"system:node:{NODE}", groups)

    def test_it_may_not_become_another_node(self) -> None:
        other = csr([(O, "system:nodes"), (CN, f"system:node:{OTHER_NODE}")])
        assert "this credential is for" in reason(verdict(CLIENT, joined(), other, node_made=JOINED + 5))

    def test_a_node_that_was_removed_gets_no_new_certificate(self) -> None:
        assert "was removed" in reason(verdict(CLIENT, joined(), csr()))

    def test_one_that_has_just_joined_may_still_register(self) -> None:
        assert "there is no Node" in reason(verdict(CLIENT, joined(at=NOW - REGISTRATION), csr()), passing=True)
        assert "there is no Node" in reason(verdict(CLIENT, joined(at=NOW - REGISTRATION - 1), csr()))

    @pytest.mark.parametrize("made", [-(10**6), 0, 5, REGISTRATION])
    def test_its_node_was_made_when_it_joined_or_before(self, made: int) -> None:
        """Before: where a person let in a machine by hand while the Node of the one before it was there."""
        assert isinstance(verdict(CLIENT, joined(), csr(), node_made=JOINED + made), judge.Approve)

    @pytest.mark.parametrize("made", [REGISTRATION + 1, 86400, NOW - JOINED])
    def test_who_makes_the_node_anew_with_an_old_certificate_renews_nothing(self, made: int) -> None:
        late = verdict(CLIENT, joined(), csr(), node_made=JOINED + made)
        assert f"the Node {NODE} was made long after" in reason(late)

    def test_when_the_machine_joined_stays_the_same_over_renewals(self) -> None:
        who = joined()
        for month in range(24):
            now = JOINED + month * 25 * 86400
            decided = verdict(CLIENT, who, csr(), node_made=JOINED + 5, now=now)
            who = who | {"groups": [*decided.organizations, "system:authenticated"]}
        assert f"kilonode:joined:{JOINED}" in who["groups"]

    def test_machines_that_join_have_no_say_in_it(self) -> None:
        assert isinstance(
            verdict(CLIENT, joined(), csr(), node_made=JOINED + 5, recent=True, superseded=True), judge.Approve
        )


class TestServing:
    """A node asks for the certificate its kubelet serves with."""

    def test_it_serves_under_its_own_name_and_at_its_own_address(self) -> None:
        decided = verdict(SERVING, joined(), serving(), node_made=JOINED)
        assert isinstance(decided, judge.Approve)
        assert decided.names == (NODE,)
        assert [str(address) for address in decided.addresses] == [ADDRESS]
        assert decided.organizations == ("system:nodes",)

    def test_it_serves_before_it_has_registered_and_no_longer_once_its_node_is_gone(self) -> None:
        assert isinstance(verdict(SERVING, joined(at=NOW - REGISTRATION), serving()), judge.Approve)
        assert "was removed" in reason(verdict(SERVING, joined(at=NOW - REGISTRATION - 1), serving()))

    def test_who_makes_the_node_anew_with_an_old_certificate_does_not_serve(self) -> None:
        right = verdict(SERVING, joined(), serving(), node_made=JOINED + REGISTRATION)
        assert isinstance(right, judge.Approve)
        late = verdict(SERVING, joined(), serving(), node_made=JOINED + REGISTRATION + 1)
        assert "was made long after" in reason(late)

    def test_the_name_may_be_left_out(self) -> None:
        assert isinstance(verdict(SERVING, joined(), serving(()), node_made=JOINED), judge.Approve)

    @pytest.mark.parametrize(
        ("names", "addresses"),
        [
            ((OTHER_NODE,), (ADDRESS,)), ((NODE, OTHER_NODE), (ADDRESS,)), ((f"*.{NODE}",), (ADDRESS,)),
            (("kubernetes.default.svc",), (ADDRESS,)), ((NODE.upper(),), (ADDRESS,)), ((ADDRESS,), (ADDRESS,)),
            ((NODE,), (OTHER_ADDRESS,)), ((NODE,), (ADDRESS, OTHER_ADDRESS)), ((NODE,), (f"::ffff:{ADDRESS}",)),
            ((NODE,), ("127.0.0.1",)), ((NODE,), ()), ((), (OTHER_ADDRESS,)),
        ],
    )  # fmt: skip
    def test_for_no_other_name_and_at_no_other_address(
        self, names: tuple[str, ...], addresses: tuple[str, ...]
    ) -> None:
        assert f"{NODE} serves at {ADDRESS}" in reason(verdict(SERVING, joined(), serving(names, addresses)))

    @pytest.mark.parametrize(
        "other",
        [
            x509.UniformResourceIdentifier("spiffe://west/x"),
            x509.RFC822Name("root@example.com"),
            x509.DirectoryName(x509.Name([x509.NameAttribute(CN, "x")])),
            x509.RegisteredID(x509.ObjectIdentifier("1.2.3.4")),
        ],
    )
    def test_alternative_names_of_other_kinds_are_refused(self, other: x509.GeneralName) -> None:
        said = reason(verdict(SERVING, joined(), serving((NODE,), (ADDRESS,), other)))
        assert type(other).__name__ in said

    def test_a_request_without_alternative_names_is_refused(self) -> None:
        assert "serves at" in reason(verdict(SERVING, joined(), csr()))


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

    @pytest.mark.parametrize("more", ["client auth", "server auth", "cert sign", "any", "code signing"])
    def test_another_usage_is_refused(
        self, signer: str, who: dict[str, Any], purpose: str, right: bytes, more: str
    ) -> None:
        if more != purpose:
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


@pytest.mark.parametrize(
    "change",
    [
        {"username": "operator"}, {"username": "system:node:"}, {"username": "kilonode:joining:"},
        {"username": f"kilonode:joining:{NODE}:x"}, {"username": f"kilonode:joining:{NODE.upper()}"},
        {"username": f"system:node:{NODE}"}, {"username": "kilonode:joining:west-wide-00007"},
        {"username": "kilonode:joining:west-workers-x"}, {"username": "kilonode:joining:workers-00007"},
        {"username": NODE, "groups": joined()["groups"]}, {"groups": None}, {"groups": []}, {"groups": joining()["groups"][:3]},
        {"groups": [*joining()["groups"], "system:masters"]}, {"groups": [*joining()["groups"], "system:nodes"]},
        {"groups": [*joining()["groups"], "kilonode:pool:wide"]},
        {"groups": [*joining()["groups"], f"kilonode:address:{OTHER_ADDRESS}"]},
        {"groups": joined()["groups"]},
        {"groups": joining(address="somewhere")["groups"]}, {"groups": joining(address="10.66.0.221/32")["groups"]},
        {"groups": [each for each in joining()["groups"] if "pool" not in each]},
        {"groups": [each for each in joining()["groups"] if "address" not in each]},
        {"groups": [*joining()["groups"], f"kilonode:joined:{JOINED}"]}, {"groups": [*joining()["groups"], f"kilonode:range:{RANGE}"]},
        {"groups": [*joining()["groups"], f"kilonode:names:{PREFIX}"]}, {"groups": joining_pool()["groups"]},
        joined() | {"groups": [each for each in joined()["groups"] if "joined" not in each]},
        joined() | {"groups": [*joined()["groups"], f"kilonode:joined:{NOW}"]}, joined(at=""), joined(at="-1"), joined(at="1e9"),
        joined() | {"groups": [*joined()["groups"], f"kilonode:range:{RANGE}"]}, joined_pool(NODE), joined(GIVEN),
        joined_pool() | {"groups": [*joined_pool()["groups"], f"kilonode:names:{PREFIX}"]},
        joining_pool("wide") | {"groups": joining_pool()["groups"]}, joining_pool(prefix=""), joining_pool(prefix="West-"),
        joining_pool(prefix=".*"), joining_pool(addresses="10.66.0.1/16"), joining_pool(addresses="10.66.0.0"), joining_pool(addresses=""),
        joining_pool() | {"groups": [each for each in joining_pool()["groups"] if "names" not in each]},
        joining_pool() | {"groups": [each for each in joining_pool()["groups"] if "range" not in each]},
        joining_pool() | {"groups": [*joining_pool()["groups"], "kilonode:range:10.0.0.0/8"]},
        joining_pool() | {"groups": [*joining_pool()["groups"], "kilonode:names:west-"]},
    ],
    ids=str,
)  # fmt: skip
def test_who_has_not_exactly_the_name_and_groups_of_a_credential_gets_nothing(change: dict[str, Any]) -> None:
    for node in (NODE, GIVEN):
        decided = verdict(CLIENT, joining() | change, csr(named(node)), node_made=JOINED)
        assert "is neither a machine that joins nor a node" in reason(decided)


class TestUnplanned:
    """A machine whose name and address its cloud has chosen."""

    @pytest.mark.parametrize("given", ["00000000", "0000000a", "zzzzzzzz"])
    def test_it_becomes_any_node_of_its_pool_that_is_not_there(self, given: str) -> None:
        decided = verdict(CLIENT, joining_pool(), csr(named(PREFIX + given)))
        assert isinstance(decided, judge.Approve)
        assert decided.common_name == f"system:node:{PREFIX}{given}"
        assert decided.organizations == (*GROUPS[:2], f"kilonode:range:{RANGE}", f"kilonode:joined:{NOW}")
        there = verdict(CLIENT, joining_pool(), csr(named(PREFIX + given)), node_made=NOW)
        assert f"the Node {PREFIX}{given} exists" in reason(there, passing=True)

    def test_and_one_whose_node_is_silent(self) -> None:
        decided = verdict(CLIENT, joining_pool(), csr(named(GIVEN)), node_made=JOINED, silent=SILENCE)
        assert isinstance(decided, judge.Replace)

    @pytest.mark.parametrize(
        "node",
        [
            NODE, PREFIX, f"{PREFIX}0000", f"{PREFIX}0000000", f"{PREFIX}00000A", f"{PREFIX}00-000", "west-wide-000000", "000000",
            f"x{PREFIX}00000000", f"{PREFIX} 0000000", "", f"{PREFIX} and eight of 0-9 and a-z", f"{PREFIX}0000000\u0660",
        ],
    )  # fmt: skip
    def test_it_may_be_no_other_node(self, node: str) -> None:
        said = reason(verdict(CLIENT, joining_pool(), csr(named(node))))
        assert f"this credential is for system:node:{PREFIX} and eight of 0-9 and a-z of system:nodes alone" in said

    def test_what_a_prefix_says_is_text_and_no_pattern(self) -> None:
        who = joining_pool(prefix="a-")
        assert "this credential is for" in reason(verdict(CLIENT, who, csr(named("aa-000000"))))

    @pytest.mark.parametrize(
        "subject",
        [
            [(O, "system:masters"), (CN, f"system:node:{GIVEN}")],
            [(O, "system:nodes"), (O, "system:masters"), (CN, f"system:node:{GIVEN}")],
            [(O, "system:nodes"), (CN, GIVEN)],
            [(O, "system:nodes"), (CN, f"system:node:{GIVEN}"), (CN, f"system:node:{PREFIX}0000000b")],
        ],
    )
    def test_its_name_is_exactly_that_of_a_node(self, subject: list[tuple[Any, str]]) -> None:
        assert "this credential is for" in reason(verdict(CLIENT, joining_pool(), csr(subject)))

    def test_it_renews_its_own_name_and_no_other_of_its_pool(self) -> None:
        decided = verdict(CLIENT, joined_pool(), csr(named(GIVEN)), node_made=JOINED)
        assert isinstance(decided, judge.Approve)
        assert {*decided.organizations, "system:authenticated"} == set(joined_pool()["groups"])
        other = csr(named(f"{PREFIX}0000000b"))
        assert "this credential is for" in reason(verdict(CLIENT, joined_pool(), other, node_made=JOINED))

    @pytest.mark.parametrize("address", [ADDRESS, "10.66.255.254"])
    def test_it_serves_at_one_address_of_its_range(self, address: str) -> None:
        pem = csr(named(GIVEN), (GIVEN,), (address,))
        decided = verdict(SERVING, joined_pool(), pem, node_made=JOINED)
        assert isinstance(decided, judge.Approve)
        assert [str(each) for each in decided.addresses] == [address]

    @pytest.mark.parametrize(
        "addresses", [(), (ADDRESS, OTHER_ADDRESS), ("10.67.0.1",), ("::1",), (f"::ffff:{ADDRESS}",), (ADDRESS, "10.67.0.1")]
    )  # fmt: skip
    def test_and_at_none_or_several_or_another_it_does_not(self, addresses: tuple[str, ...]) -> None:
        pem = csr(named(GIVEN), (GIVEN,), addresses)
        said = reason(verdict(SERVING, joined_pool(), pem, node_made=JOINED))
        assert f"{GIVEN} serves at one address of {RANGE}" in said

    def test_it_serves_under_no_other_name(self) -> None:
        pem = csr(named(GIVEN), (f"{PREFIX}0000000b",), (ADDRESS,))
        assert "serves at one address" in reason(verdict(SERVING, joined_pool(), pem, node_made=JOINED))

    def test_it_serves_nothing_before_it_has_joined(self) -> None:
        assert "has not joined" in reason(verdict(SERVING, joining_pool(), csr(named(GIVEN), (), (ADDRESS,))))


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
