"""Whom the approver gives which certificate: a node its own name and address, once, and nobody anything else."""

from typing import Any

import pytest
from cryptography import x509
from cryptography.x509.oid import NameOID

from tests.apiserver.approver import (
    ADDRESS,
    CLIENT,
    CN,
    GROUPS,
    JOINED,
    NODE,
    NOW,
    OTHER_ADDRESS,
    OTHER_NODE,
    REGISTRATION,
    SERVING,
    SILENCE,
    O,
    csr,
    joined,
    joining,
    judge,
    reason,
    serving,
    verdict,
)


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
