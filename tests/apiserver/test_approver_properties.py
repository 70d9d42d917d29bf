"""Whatever is asked by whomever: no request but a node's own is approved, and every such one is."""

from collections.abc import Iterator
from dataclasses import fields
from ipaddress import ip_address
from itertools import product
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.apiserver.approver import ADDRESS, CLIENT, CN, KEY, NODE, POOL, SERVING, O, judge, requests

NODES = (NODE, "west-workers-00008", "west-wide-00007")
POOLS = (POOL, "wide", "workers-00007", "")
ADDRESSES = (ADDRESS, "10.66.0.252")
CLIENT_USAGES = frozenset({"digital signature", "client auth"})
SERVING_USAGES = frozenset({"digital signature", "server auth"})
ENCIPHERS = frozenset({"key encipherment"})


def named(*attributes: tuple[Any, str]) -> tuple[tuple[str, str], ...]:
    return tuple((oid.dotted_string, value) for oid, value in attributes)


def subjects() -> Iterator[tuple[tuple[str, str], ...]]:
    for node in NODES:
        nodes, name = (O, "system:nodes"), (CN, f"system:node:{node}")
        yield from (named(nodes, name), named(name, nodes), named(name), named(nodes, (O, "system:masters"), name))
    yield from (named((O, "system:masters"), (CN, "operator")), ())


PARTS: dict[str, list[Any]] = {
    "signer": [CLIENT, SERVING, "kubernetes.io/kube-apiserver-client"],
    "username": [f"{prefix}{node}" for prefix, node in product(("kilonode:joining:", "system:node:", ""), NODES)],
    "groups": [
        frozenset({own, f"kilonode:pool:{pool}", f"kilonode:address:{address}", "system:authenticated", *more})
        for own, pool, address, more in product(
            ("kilonode:joining", "system:nodes"), POOLS, ADDRESSES, ((), ("system:masters",), ("kilonode:pool:gpu",))
        )
    ],
    "usages": [
        CLIENT_USAGES, SERVING_USAGES, CLIENT_USAGES | ENCIPHERS, SERVING_USAGES | ENCIPHERS,
        CLIENT_USAGES | SERVING_USAGES, CLIENT_USAGES | {"cert sign"}, CLIENT_USAGES - {"client auth"}, frozenset(),
    ],
    "subject": list(subjects()),
    "names": [(), *((node,) for node in NODES), NODES[:2], ("kubernetes",), (ADDRESS,)],
    "addresses": [
        tuple(map(ip_address, each)) for each in ((), *((address,) for address in ADDRESSES), ADDRESSES, ("::1",))
    ],
    "others": [(), ("the extension 2.5.29.19",)],
    "key": [KEY.public_key(), object()],
    "seconds": [None, 600, 10**9],
}  # fmt: skip

JOINING: dict[str, Any] = {
    "signer": CLIENT, "username": f"kilonode:joining:{NODE}", "usages": CLIENT_USAGES, "names": (), "addresses": (),
    "groups": frozenset({"kilonode:joining", f"kilonode:pool:{POOL}", f"kilonode:address:{ADDRESS}", "system:authenticated"}),
    "subject": named((O, "system:nodes"), (CN, f"system:node:{NODE}")), "others": (), "key": KEY.public_key(), "seconds": None,
}  # fmt: skip
RENEWAL = JOINING | {
    "username": f"system:node:{NODE}",
    "groups": JOINING["groups"] - {"kilonode:joining"} | {"system:nodes"},
}
SERVES = RENEWAL | {"signer": SERVING, "usages": SERVING_USAGES, "addresses": (ip_address(ADDRESS),), "names": (NODE,)}
RIGHT = (JOINING, RENEWAL, SERVES)
REGION = st.fixed_dictionaries(dict.fromkeys(("node_exists", "recent", "superseded"), st.booleans()))


def wrong(most: int) -> st.SearchStrategy[dict[str, Any]]:
    """A right request with up to ``most`` of its parts drawn anew."""
    parts = st.lists(st.sampled_from(sorted(PARTS)), max_size=most, unique=True)
    changes = parts.flatmap(lambda names: st.fixed_dictionaries({name: st.sampled_from(PARTS[name]) for name in names}))
    return st.tuples(st.sampled_from(RIGHT), changes).map(lambda pair: pair[0] | pair[1])


def rightful(asked: dict[str, Any], region: dict[str, bool]) -> bool:
    """The rules said once more, by naming all that may be approved instead of what may not."""
    groups = {"system:authenticated", f"kilonode:pool:{POOL}"}
    for node, address in product((NODE, "west-workers-00008"), ADDRESSES):
        mine = groups | {f"kilonode:address:{address}"}
        joins = (asked["username"], asked["groups"]) == (f"kilonode:joining:{node}", mine | {"kilonode:joining"})
        renews = (asked["username"], asked["groups"]) == (f"system:node:{node}", mine | {"system:nodes"})
        free = joins and not any(region.values())
        name = {(O.dotted_string, "system:nodes"), (CN.dotted_string, f"system:node:{node}")}
        if set(asked["subject"]) != name or asked["others"] or asked["key"] != KEY.public_key():
            continue
        if asked["signer"] == CLIENT and (free or (renews and region["node_exists"])):
            plain = not asked["names"] and not asked["addresses"]
            return plain and asked["usages"] in (CLIENT_USAGES, CLIENT_USAGES | ENCIPHERS)
        if asked["signer"] == SERVING and renews:
            own = asked["names"] in ((), (node,)) and list(map(str, asked["addresses"])) == [address]
            return own and asked["usages"] in (SERVING_USAGES, SERVING_USAGES | ENCIPHERS)
    return False


def test_every_part_of_a_request_is_drawn() -> None:
    assert set(PARTS) == set(JOINING) == {field.name for field in fields(requests.Request)}


@settings(max_examples=1_000)
@given(wrong(10), REGION)
@example(JOINING, {"node_exists": False, "recent": False, "superseded": False})
@example(RENEWAL, {"node_exists": True, "recent": True, "superseded": True})
@example(SERVES, {"node_exists": False, "recent": True, "superseded": True})
def test_a_request_is_approved_if_and_only_if_it_is_rightful(asked: dict[str, Any], region: dict[str, bool]) -> None:
    decided = judge.judge(requests.Request(**asked), **region)
    assert isinstance(decided, judge.Approve) == rightful(asked, region), decided


@given(wrong(2), REGION)
def test_what_is_approved_names_the_requester_and_nobody_else(asked: dict[str, Any], region: dict[str, bool]) -> None:
    decided = judge.judge(requests.Request(**asked), **region)
    if isinstance(decided, judge.Refuse):
        assert decided.reason
        assert decided.reason.isprintable()
        return
    node = asked["username"].rpartition(":")[2]
    own = {group for group in asked["groups"] if group.startswith(("kilonode:pool:", "kilonode:address:"))}
    assert decided.common_name == f"system:node:{node}"
    assert set(decided.names) <= {node}
    assert {f"kilonode:address:{address}" for address in decided.addresses} <= own
    assert set(decided.organizations) == ({"system:nodes"} | own if asked["signer"] == CLIENT else {"system:nodes"})
    assert not {"client auth", "server auth"} <= decided.usages


@given(wrong(4), REGION)
def test_what_may_pass_is_approved_in_another_state_of_the_region_and_nothing_else_is(
    asked: dict[str, Any], region: dict[str, bool]
) -> None:
    """Requests that no state of the region would make right are looked at once and not every ten seconds."""
    decided = judge.judge(requests.Request(**asked), **region)
    if isinstance(decided, judge.Refuse):
        states = [{"node_exists": exists, "recent": False, "superseded": False} for exists in (False, True)]
        later = [judge.judge(requests.Request(**asked), **state) for state in states]
        assert decided.passing == any(isinstance(each, judge.Approve) for each in later)


@given(st.text(max_size=300))
def test_foreign_text_in_a_reason_is_one_short_line(text: str) -> None:
    shown = requests.shown(text)
    assert shown.isascii()
    assert shown.isprintable()
    decided = judge.judge(requests.Request(**(JOINING | {"username": text})), node_exists=False, recent=False)
    assert len(decided.reason) < 1_000  # Kubernetes: an Event's note has at most 1 kB
