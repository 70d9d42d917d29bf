"""Load balancers of Azure: machines behind them by name and by address, and rules to one machine each."""

from dataclasses import replace
from typing import Any

import pytest

from kilonode.rules.read.azure.balancers import NAT_RULE, POOL
from kilonode.rules.read.resource import Resource
from kilonode.rules.rule import Undecided, Violation
from kilonode.rules.unknown import Unknown
from tests.rules.foreign import NATIVE
from tests.rules.judged import kinds, stack
from tests.rules.written import made

BROKEN, WAITS = {Violation}, {Undecided}
CARDS, MADE = "networkProfile.networkInterfaces", "networkProfile.networkInterfaceConfigurations"
ID = "/lb/front"


def front(id: str | None = ID, **properties: Any) -> Resource:  # noqa: A002
    """A public one at 443."""
    own = {"loadBalancerName": "front", "frontendIPConfigurations": [{"publicIPAddress": {"id": "/p"}}]}
    rules = {"loadBalancingRules": [{"frontendPort": 443, "backendPort": 443}]}
    return made(f"{NATIVE}network:LoadBalancer", "front", own | rules | properties, id=id)


def behind(address: dict[str, Any], *others: Resource) -> list[Resource]:
    """The clean stack, and an API server with one interface with one address."""
    card = made(f"{NATIVE}network:NetworkInterface", "c", {"ipConfigurations": [address]}, id="/cards/c")
    return [*stack(("api-2", CARDS, [{"id": "/cards/c"}])), card, *others]


def pooled(*addresses: Any) -> dict[str, Any]:
    return {
        "backendAddressPools": [{"name": "b", "loadBalancerBackendAddresses": [{"ipAddress": a} for a in addresses]}]
    }


OWN, OTHER = {"privateIPAddress": "10.0.0.7"}, {"privateIPAddress": "10.0.0.8"}
GIVEN: dict[str, Any] = {"name": "dynamic"}


@pytest.mark.parametrize(
    ("address", "balancer", "said"),
    [
        (OWN, front(**pooled("10.0.0.6", "10.0.0.7")), BROKEN),
        (OTHER, front(**pooled("10.0.0.6", "10.0.0.7")), set()),
        (OWN, front(**pooled()), set()),
        (GIVEN, front(**pooled("10.0.0.7")), WAITS),
        (GIVEN, front(), set()),
        (OTHER, front(**pooled(Unknown("a"))), WAITS),
        (OTHER, front(backendAddressPools=[{"loadBalancerBackendAddresses": Unknown("a")}]), WAITS),
        (OTHER, front(backendAddressPools=Unknown("b")), WAITS),
        ({"privateIPAddress": Unknown("p")}, front(**pooled("10.0.0.7")), WAITS),
    ],
)
def test_a_machine_is_behind_a_load_balancer_that_names_its_address(
    address: dict[str, Any], balancer: Resource, said: set[type]
) -> None:
    assert kinds("api-private", behind(address, balancer)) == said


@pytest.mark.parametrize(("of", "said"), [("front", BROKEN), ("other", set()), (Unknown("loadBalancerName"), WAITS)])
def test_a_pool_of_addresses_may_be_a_resource_of_its_own(of: Any, said: set[type]) -> None:
    rows = {"loadBalancerName": of, "loadBalancerBackendAddresses": [{"ipAddress": "10.0.0.7"}]}
    own = made(f"{NATIVE}{POOL}", "pool-of-addresses", rows)
    assert kinds("api-private", behind(OWN, front(), own)) == said


def test_an_address_that_the_cloud_has_given_is_known_by_its_answer() -> None:
    answer = {"ipConfigurations": [OWN]}
    rows = [
        replace(each, outputs=answer) if each.name == "c" else each
        for each in behind(GIVEN, front(**pooled("10.0.0.7")))
    ]
    assert kinds("api-private", rows) == BROKEN


@pytest.mark.parametrize(
    ("joined", "said"),
    [
        ({"loadBalancerBackendAddressPools": [{"id": f"{ID}/backendAddressPools/b"}]}, BROKEN),
        ({"loadBalancerInboundNatRules": [{"id": f"{ID}/inboundNatRules/api"}]}, BROKEN),
        ({"loadBalancerInboundNatRules": [{"id": "/lb/other/inboundNatRules/api"}]}, set()),
        ({"loadBalancerInboundNatRules": Unknown("l")}, WAITS),
    ],
)
def test_an_address_joins_a_pool_or_a_rule_also_of_an_interface_made_with_its_machine(
    joined: dict[str, Any], said: set[type]
) -> None:
    assert kinds("api-private", behind(joined, front())) == said
    inline = [*stack(("api-2", MADE, [{"ipConfigurations": [joined]}])), front()]
    assert kinds("api-private", inline) == said


def test_an_interface_that_is_not_known_may_be_behind_any() -> None:
    hidden = {"ipConfigurations": Unknown("ipConfigurations")}
    for other in (front(), front(**pooled("10.0.0.7"))):
        rows = behind(GIVEN, other)
        rows = [replace(each, properties=hidden) if each.name == "c" else each for each in rows]
        assert kinds("api-private", rows) == WAITS
    for path in (CARDS, MADE):
        assert kinds("api-private", [*stack(("api-2", path, Unknown(path))), front()]) == WAITS


NO_RULES: dict[str, Any] = {"loadBalancingRules": []}


@pytest.mark.parametrize(
    ("properties", "said"),
    [
        ({"inboundNatRules": [{"frontendPort": 50_001, "backendPort": 6443}]}, BROKEN),
        ({"inboundNatRules": [{"frontendPort": 6443, "backendPort": 443}]}, BROKEN),
        ({"inboundNatRules": [{"frontendPortRangeStart": 6443, "frontendPortRangeEnd": 6453, "backendPort": 8443}]}, BROKEN),
        ({"inboundNatPools": [{"frontendPortRangeStart": 50_000, "backendPort": 6443}]}, BROKEN),
        ({"inboundNatRules": [{"frontendPort": 50_001, "backendPort": 22}]}, set()),
        ({"inboundNatRules": [{"backendPort": 22}, {"backendPort": Unknown("p")}]}, WAITS),
        ({"inboundNatRules": Unknown("r")}, WAITS),
        ({"inboundNatRules": [{"backendPort": 6443}], "frontendIPConfigurations": [{"privateIPAddress": "10.0.0.4"}]}, set()),
    ],
)  # fmt: skip
def test_a_rule_to_one_machine_opens_the_api_too_and_needs_no_probe(
    properties: dict[str, Any], said: set[type]
) -> None:
    rows = [*stack(), front(**NO_RULES | properties)]
    assert kinds("api-private", rows) == said
    assert kinds("apiserver-probe", rows) == (WAITS if said == WAITS else set())


@pytest.mark.parametrize(("of", "said"), [("front", BROKEN), ("other", set()), (Unknown("loadBalancerName"), WAITS)])
def test_a_rule_to_one_machine_may_be_a_resource_of_its_own(of: Any, said: set[type]) -> None:
    rule = made(f"{NATIVE}{NAT_RULE}", "rule", {"loadBalancerName": of, "frontendPort": 6443, "backendPort": 6443})
    assert kinds("api-private", [*stack(), front(**NO_RULES), rule]) == said
    if isinstance(of, Unknown):
        own = front(**NO_RULES, id=None)
        made_from = replace(rule, depends={"loadBalancerName": (own.urn,)})
        assert kinds("api-private", [*stack(), own, made_from]) == BROKEN
