"""Whatever is asked by whomever: no request but a node's own is approved, and every such one is."""

from collections.abc import Iterator
from dataclasses import fields, replace
from ipaddress import ip_address
from itertools import product
from typing import Any

from hypothesis import example, given, settings
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
    judge,
    requests,
)

NODES = (NODE, "west-workers-00008", "west-wide-00007", GIVEN, f"{PREFIX}zzzzzzzz")
POOLS = (POOL, "wide", "workers-00007", "")
ADDRESSES = (ADDRESS, "10.66.0.252")
JUST = NOW - 60
CLIENT_USAGES = frozenset({"digital signature", "client auth"})
SERVING_USAGES = frozenset({"digital signature", "server auth"})
ENCIPHERS = frozenset({"key encipherment"})
ADDRESS_OF, POOL_OF, RANGE_OF, NAMES_OF, JOINED_AT = (
    f"kilonode:{kind}:" for kind in ("address", "pool", "range", "names", "joined")
)


def named(*attributes: tuple[Any, str]) -> tuple[tuple[str, str], ...]:
    return tuple((oid.dotted_string, value) for oid, value in attributes)


def subjects() -> Iterator[tuple[tuple[str, str], ...]]:
    for node in NODES:
        nodes, name = (O, "system:nodes"), (CN, f"system:node:{node}")
        yield from (named(nodes, name), named(name, nodes), named(name), named(nodes, (O, "system:masters"), name))
    yield from (named((O, "system:masters"), (CN, "operator")), ())


PARTS: dict[str, list[Any]] = {
    "signer": [CLIENT, SERVING, "kubernetes.io/kube-apiserver-client"],
    "username": [
        f"{prefix}{name}"
        for prefix, name in product(("kilonode:joining:", "system:node:", ""), (*NODES, POOL, "wide"))
    ],
    "groups": [
        frozenset({own, f"{POOL_OF}{pool}", place, "system:authenticated", *more})
        for own, pool, place, more in product(
            ("kilonode:joining", "system:nodes"),
            POOLS,
            (*(f"{ADDRESS_OF}{address}" for address in ADDRESSES), f"{RANGE_OF}{RANGE}", f"{RANGE_OF}10.66.0.128/25"),
            (
                (), (f"{JOINED_AT}{JOINED}",), (f"{JOINED_AT}{JUST}",), (f"{NAMES_OF}{PREFIX}",), (f"{NAMES_OF}west-",),
                ("system:masters",), (f"{POOL_OF}gpu",), (f"{JOINED_AT}{JOINED}", f"{JOINED_AT}{JUST}"),
                (f"{NAMES_OF}{PREFIX}", f"{JOINED_AT}{JUST}"), (f"{RANGE_OF}10.0.0.0/8", f"{NAMES_OF}{PREFIX}"),
            ),
        )
    ],
    "usages": [
        CLIENT_USAGES, SERVING_USAGES, CLIENT_USAGES | ENCIPHERS, SERVING_USAGES | ENCIPHERS,
        CLIENT_USAGES | SERVING_USAGES, CLIENT_USAGES | {"cert sign"}, CLIENT_USAGES - {"client auth"}, frozenset(),
    ],
    "subject": list(subjects()),
    "names": [(), *((node,) for node in NODES), NODES[:2], (PREFIX,), ("kubernetes",), (ADDRESS,)],
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
    "groups": JOINING["groups"] - {"kilonode:joining"} | {"system:nodes", f"{JOINED_AT}{JOINED}"},
}
SERVES = RENEWAL | {"signer": SERVING, "usages": SERVING_USAGES, "addresses": (ip_address(ADDRESS),), "names": (NODE,)}
UNPLANNED = JOINING | {
    "username": f"kilonode:joining:{POOL}",
    "groups": frozenset(
        {"kilonode:joining", f"{POOL_OF}{POOL}", f"{NAMES_OF}{PREFIX}", f"{RANGE_OF}{RANGE}", "system:authenticated"}
    ),
    "subject": named((O, "system:nodes"), (CN, f"system:node:{GIVEN}")),
}
GIVEN_RENEWAL = UNPLANNED | {
    "username": f"system:node:{GIVEN}",
    "groups": frozenset(
        {"system:nodes", f"{POOL_OF}{POOL}", f"{RANGE_OF}{RANGE}", f"{JOINED_AT}{JOINED}", "system:authenticated"}
    ),
}
GIVEN_SERVES = GIVEN_RENEWAL | {
    "signer": SERVING,
    "usages": SERVING_USAGES,
    "addresses": (ip_address(ADDRESS),),
    "names": (GIVEN,),
}
RIGHT = (JOINING, RENEWAL, SERVES, UNPLANNED, GIVEN_RENEWAL, GIVEN_SERVES)
MOMENTS = st.sampled_from([None, JOINED - 1, JOINED, JOINED + 900, JOINED + 901, JUST, NOW])
REGION = st.builds(
    judge.Region, now=st.just(NOW), node_made=MOMENTS, silent=st.sampled_from([0, 299.9, 300, 10**6]),
    recent=st.booleans(), superseded=st.booleans(),
)  # fmt: skip


def decision(asked: dict[str, Any], region: Any) -> Any:
    return judge.judge(requests.Request(**asked), region, LIMITS)


def wrong(most: int) -> st.SearchStrategy[dict[str, Any]]:
    """A right request with up to ``most`` of its parts drawn anew."""
    parts = st.lists(st.sampled_from(sorted(PARTS)), max_size=most, unique=True)
    changes = parts.flatmap(lambda names: st.fixed_dictionaries({name: st.sampled_from(PARTS[name]) for name in names}))
    return st.tuples(st.sampled_from(RIGHT), changes).map(lambda pair: pair[0] | pair[1])


def credentials() -> Iterator[tuple[str, frozenset[str], str, frozenset[str], int | None]]:
    """Every credential that is drawn and good for something: user, groups, node, the addresses it may serve at, joined."""
    prefixes = {PREFIX: (GIVEN, f"{PREFIX}zzzzzzzz"), "west-": ()}
    ranges = {RANGE: frozenset(ADDRESSES), "10.66.0.128/25": frozenset(ADDRESSES)}
    plain = {"system:authenticated"}
    for pool, planned in ((POOL, (NODE, "west-workers-00008")), ("wide", ("west-wide-00007",))):
        of_pool = plain | {f"{POOL_OF}{pool}"}
        for node, address in product(planned, ADDRESSES):
            mine = frozenset(of_pool | {f"{ADDRESS_OF}{address}"})
            yield f"kilonode:joining:{node}", mine | {"kilonode:joining"}, node, frozenset(), None
            for at in (JOINED, JUST):
                own = mine | {"system:nodes", f"{JOINED_AT}{at}"}
                yield f"system:node:{node}", own, node, frozenset({address}), at
        for network, (prefix, nodes) in product(ranges, prefixes.items()):
            shared = frozenset(of_pool | {f"{RANGE_OF}{network}"})
            for node in nodes:
                joins = shared | {"kilonode:joining", f"{NAMES_OF}{prefix}"}
                yield f"kilonode:joining:{pool}", joins, node, frozenset(), None
    for pool, (network, inside), node, at in product(
        POOLS, ranges.items(), (GIVEN, f"{PREFIX}zzzzzzzz"), (JOINED, JUST)
    ):
        own = plain | {f"{POOL_OF}{pool}", f"{RANGE_OF}{network}", "system:nodes", f"{JOINED_AT}{at}"}
        yield f"system:node:{node}", frozenset(own), node, inside, at


def rightful(asked: dict[str, Any], region: Any) -> bool:
    """The rules said once more, by naming all that may be approved instead of what may not."""
    for user, groups, node, addresses, joined in CREDENTIALS:
        name = {(O.dotted_string, "system:nodes"), (CN.dotted_string, f"system:node:{node}")}
        own = (asked["username"], asked["groups"], set(asked["subject"])) == (user, groups, name)
        if not own or asked["others"] or asked["key"] != KEY.public_key():
            continue
        made = region.node_made
        timely = made is not None and joined is not None and made <= joined + 900
        if asked["signer"] == CLIENT:
            free = joined is None and made is None and not region.recent and not region.superseded
            plain = not asked["names"] and not asked["addresses"]
            return (free or timely) and plain and asked["usages"] in (CLIENT_USAGES, CLIENT_USAGES | ENCIPHERS)
        if asked["signer"] == SERVING and (timely or (made is None and joined == JUST)):
            mine = asked["names"] in ((), (node,)) and len(asked["addresses"]) == 1
            mine = mine and str(asked["addresses"][0]) in addresses
            return mine and asked["usages"] in (SERVING_USAGES, SERVING_USAGES | ENCIPHERS)
    return False


CREDENTIALS = list(credentials())


def test_every_part_of_a_request_is_drawn() -> None:
    assert set(PARTS) == set(JOINING) == {field.name for field in fields(requests.Request)}


@settings(max_examples=1_000)
@given(wrong(10), REGION)
@example(JOINING, judge.Region(NOW, None))
@example(UNPLANNED, judge.Region(NOW, None))
@example(RENEWAL, judge.Region(NOW, JOINED, recent=True, superseded=True))
@example(SERVES, judge.Region(NOW, JOINED, recent=True, superseded=True))
@example(GIVEN_SERVES, judge.Region(NOW, JOINED + 900))
def test_a_request_is_approved_if_and_only_if_it_is_rightful(asked: dict[str, Any], region: Any) -> None:
    decided = decision(asked, region)
    assert isinstance(decided, judge.Approve) == rightful(asked, region), decided


@settings(max_examples=1_000)
@given(wrong(2), REGION)
@example(JOINING, judge.Region(NOW, JOINED, 300))
@example(UNPLANNED, judge.Region(NOW, JOINED, 300))
@example(RENEWAL, judge.Region(NOW, JOINED + 901, 300))
def test_a_node_is_removed_if_and_only_if_it_is_silent_and_the_request_is_approved_without_it(
    asked: dict[str, Any], region: Any
) -> None:
    without = decision(asked, replace(region, node_made=None))
    lets_in = isinstance(without, judge.Approve) and without.joins
    goes = lets_in and region.node_made is not None and region.silent >= 300
    assert isinstance(decision(asked, region), judge.Replace) == goes


def test_every_right_request_is_rightful_at_its_time() -> None:
    for asked in RIGHT:
        made = None if "joining" in asked["username"] else JOINED
        assert rightful(asked, judge.Region(NOW, made))


@given(wrong(2), REGION)
def test_what_is_approved_names_the_requester_and_nobody_else(asked: dict[str, Any], region: Any) -> None:
    decided = decision(asked, region)
    if isinstance(decided, judge.Refuse):
        assert decided.reason
        assert decided.reason.isprintable()
        return
    named_so = {
        node for user, groups, node, *_ in CREDENTIALS if (user, groups) == (asked["username"], asked["groups"])
    }
    assert decided.node in named_so
    assert decided.common_name == f"system:node:{decided.node}"
    assert set(decided.names) <= {decided.node}
    own = {group for group in asked["groups"] if group.startswith((POOL_OF, ADDRESS_OF, RANGE_OF, JOINED_AT))}
    own |= {f"{JOINED_AT}{NOW}"} if decided.joins else set()
    assert set(decided.organizations) == ({"system:nodes"} | own if asked["signer"] == CLIENT else {"system:nodes"})
    assert len(decided.organizations) == (4 if asked["signer"] == CLIENT else 1)
    assert not {"client auth", "server auth"} <= decided.usages


@given(wrong(4), REGION)
def test_what_may_pass_is_approved_in_another_state_of_the_region_and_nothing_else_is(
    asked: dict[str, Any], region: Any
) -> None:
    """Requests that no later state of the region would make right are looked at once and not every ten seconds."""
    decided = decision(asked, region)
    if isinstance(decided, judge.Refuse):
        later = [decision(asked, judge.Region(NOW, made)) for made in (None, NOW)]
        assert decided.passing == any(isinstance(each, judge.Approve) for each in later)


@given(st.text(max_size=300))
def test_foreign_text_in_a_reason_is_one_short_line(text: str) -> None:
    shown = requests.shown(text)
    assert shown.isascii()
    assert shown.isprintable()
    subject = named((O, text), (CN, text))
    for changes in ({"username": text}, {"subject": subject}, {"names": (text,)}):
        for right in (JOINING, UNPLANNED):
            decided = decision(right | changes, judge.Region(NOW, None))
            assert len(decided.reason) < 1_000  # Kubernetes: an Event's note has at most 1 kB
            assert decided.reason.isprintable()
