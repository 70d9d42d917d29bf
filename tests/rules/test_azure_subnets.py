"""Subnets of Azure: with several ranges, and those that only their network's own properties have."""

from dataclasses import replace
from typing import Any

import pytest

from kilonode.rules.read.azure.kinds import NETWORK
from kilonode.rules.read.resource import Resource, sealed
from kilonode.rules.rule import Undecided, Violation
from kilonode.rules.unknown import Unknown
from tests.rules.foreign import NATIVE, Foreign
from tests.rules.foreign import SUBNET as ID
from tests.rules.judged import kinds, said, stack
from tests.rules.written import made, with_property

RULE, BROKEN, WAITS = "address-budget", {Violation}, {Undecided}
SMALL, LARGE, SIX = "10.4.0.0/21", "10.5.0.0/18", "fd00::/64"  # 12,405 addresses are needed


@pytest.mark.parametrize(
    ("prefixes", "said"),
    [
        ([LARGE], set()),
        ([SMALL, LARGE], set()),
        (["10.4.0.0/19", "10.5.0.0/19"], set()),
        ([SMALL], BROKEN),
        ([SMALL, "10.5.0.0/21"], BROKEN),
        ([SMALL, SIX], BROKEN),
        ([LARGE, SIX], set()),
        ([SMALL, Unknown("p")], WAITS),
        (Unknown("p"), WAITS),
    ],
)
def test_the_ranges_of_a_subnet_count_together(prefixes: Any, said: set[type]) -> None:
    changes = (("subnet", "addressPrefix", None), ("subnet", "addressPrefixes", prefixes))
    assert kinds(RULE, stack(*changes)) == said


def test_a_range_that_is_said_twice_is_one() -> None:
    changes = (("subnet", "addressPrefix", "10.4.0.0/19"), ("subnet", "addressPrefixes", ["10.4.0.0/19"]))
    assert kinds(RULE, stack(*changes)) == BROKEN


def test_the_name_of_a_subnet_in_secret_properties_is_not_shown() -> None:
    hidden = with_property(inline()[0], "subnets", sealed([{"name": "pool", "addressPrefix": SMALL}]))
    (found,) = said(RULE, [hidden, *inline()[1:]])
    assert "pool" not in str(found).replace(found.resource, "").partition("why:")[0]


def inline(*rows: Any, id: str | None = ID.rpartition("/subnets/")[0], subnet: Any = ID) -> list[Resource]:  # noqa: A002
    """The clean stack with the pool's subnet in the properties of its network."""
    network = made(f"{NATIVE}{NETWORK}", "v", {"subnets": list(rows)}, id=id)
    path = "virtualMachineProfile.networkProfile.networkInterfaceConfigurations.0.ipConfigurations.0.subnet.id"
    return [
        network,
        *(
            replace(with_property(each, path, subnet), depends={"virtualMachineProfile": (network.urn,)})
            if each.name == "pool"
            else each
            for each in Foreign().resources()
            if each.name != "subnet"
        ),
    ]


def test_a_subnet_in_its_networks_properties_is_judged_and_named() -> None:
    roomy = {"name": "other", "addressPrefix": LARGE}
    (found,) = said(RULE, inline(roomy, {"name": "pool", "addressPrefix": SMALL}))
    assert isinstance(found, Violation)
    assert found.resource.endswith("::v")
    assert found.value == f"pool: {SMALL}, 2048 addresses"
    assert kinds(RULE, inline(roomy, {"name": "pool", "addressPrefixes": [SMALL, LARGE]})) == set()
    by_name = inline(roomy, {"name": "pool", "addressPrefix": SMALL}, id=None)
    assert kinds(RULE, by_name) == BROKEN
    assert kinds(RULE, inline(roomy)) == set(), "the pool is in a subnet elsewhere"


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([{"name": "pool", "addressPrefix": SMALL}], BROKEN),
        ([{"name": "pool", "addressPrefix": LARGE}], set()),
        ([{"name": "pool", "addressPrefix": SMALL}, {"name": "other", "addressPrefix": LARGE}], WAITS),
        ([{"addressPrefix": SMALL}], BROKEN),
        ([Unknown("subnets")], WAITS),
        ([], WAITS),
    ],
)
def test_of_a_subnet_that_is_not_known_yet_only_the_one_there_is_can_be_meant(rows: list[Any], said: set[type]) -> None:
    assert kinds(RULE, inline(*rows, id=None, subnet=Unknown("id"))) == said


def test_of_a_network_whose_subnets_are_not_known_yet_nothing_is_told() -> None:
    network, *others = inline(subnet=Unknown("id"))
    assert kinds(RULE, [with_property(network, "subnets", Unknown("subnets")), *others]) == WAITS


CARDS = "virtualMachineProfile.networkProfile.networkInterfaceConfigurations"
PODS = f"{ID}-of-pods"


def spread(pods: str, *cards: list[Any]) -> list[Resource]:
    """The clean stack, whose pool of 400 has these cards, and a second subnet; a card has rows of subnet and version."""
    rows = [
        {"ipConfigurations": [{"subnet": {"id": subnet}, "privateIPAddressVersion": six} for subnet, six in card]}
        for card in cards
    ]
    second = made(f"{NATIVE}network:Subnet", "pods", {"addressPrefix": pods}, id=PODS)
    resources = stack(("subnet", "addressPrefix", "10.4.0.0/23"), ("pool", CARDS, rows))
    return [*(replace(each, depends={}) for each in resources), second]


NODE, POD = (ID, None), (PODS, None)


@pytest.mark.parametrize(
    ("pods", "cards", "named"),
    [
        ("10.5.0.0/18", [[NODE, *[POD] * 30]], set()),
        ("10.5.0.0/19", [[NODE, *[POD] * 30]], {"pods"}),
        ("10.5.0.0/18", [[POD] * 30, [NODE]], set()),
        ("10.5.0.0/18", [[POD] * 30, [NODE, NODE]], {"subnet"}),
        ("10.5.0.0/28", [[NODE, (ID, "IPv6"), (PODS, "IPv6")]], set()),
        ("10.5.0.0/28", [[NODE, (ID, "IPv4")]], {"subnet"}),
        ("10.5.0.0/28", [[NODE], [("/elsewhere/subnets/s", None)] * 30], set()),
        ("10.5.0.0/28", [], set()),
        ("10.5.0.0/18", [[NODE, (Unknown("id"), None)]], {"pool"}),
        ("10.5.0.0/18", [[NODE, (PODS, Unknown("version"))]], {"pool"}),
    ],
)
def test_each_subnet_has_the_addresses_that_a_machine_takes_there(pods: str, cards: list[Any], named: set[str]) -> None:
    found = said(RULE, spread(pods, *cards))
    assert {each.resource.rpartition("::")[2] for each in found} == named
    assert {type(each) for each in found} == ((WAITS if named == {"pool"} else BROKEN) if named else set())
