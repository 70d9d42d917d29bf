"""Whom the approver takes for a node, and what it gives a machine whose name and address its cloud has chosen."""

from typing import Any

import pytest

from tests.apiserver.approver import (
    ADDRESS,
    CLIENT,
    CN,
    GIVEN,
    GROUPS,
    JOINED,
    NODE,
    NOW,
    OTHER_ADDRESS,
    PREFIX,
    RANGE,
    SERVING,
    SILENCE,
    O,
    csr,
    joined,
    joined_pool,
    joining,
    joining_pool,
    judge,
    named,
    reason,
    verdict,
)


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
