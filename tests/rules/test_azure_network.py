"""Addresses, load balancers and subnets of Azure: what their ids name, and what is not known yet."""

from typing import Any

import pytest

from kilonode.apiserver.probe import PROBE
from kilonode.rules.read.resource import Resource
from kilonode.rules.rule import Undecided, Violation
from kilonode.rules.unknown import Unknown
from tests.rules.foreign import BALANCER, NATIVE, Foreign
from tests.rules.judged import kinds, said, stack
from tests.rules.written import made, urn, with_property


@pytest.mark.parametrize(
    ("rule", "name", "path", "key"),
    [
        ("public-address", "card", "ipConfigurations", "publicIPAddress"),
        ("api-private", "api", "frontendIPConfigurations", "publicIPAddress"),
        (
            "public-address",
            "pool",
            "virtualMachineProfile.networkProfile.networkInterfaceConfigurations.0.ipConfigurations",
            "publicIPAddressConfiguration",
        ),
    ],
)
def test_an_address_is_public_if_any_row_says_so_and_undecided_if_one_may(
    rule: str, name: str, path: str, key: str
) -> None:
    hidden, public = Unknown("row"), {key: {"id": Unknown("id")}}
    for rows, kind in (
        ([hidden], {Undecided}),
        ([{key: hidden}], {Undecided}),
        ([{}, hidden], {Undecided}),
        ([public], {Violation}),
        ([hidden, public], {Violation}),
        ([{}, {}], set()),
    ):
        assert kinds(rule, stack((name, path, rows))) == kind, rows


GOOD = {"name": "ready", "protocol": "Https", "requestPath": "/readyz"}
PORT = {"name": "port", "protocol": "Tcp"}


@pytest.mark.parametrize(
    ("probe", "probes", "kind"),
    [
        ({"id": f"{BALANCER}/probes/ready"}, [PORT, GOOD], set()),
        ({"id": f"{BALANCER}/probes/READY"}, [PORT, GOOD], set()),
        ({"id": f"{BALANCER}/probes/ready"}, [GOOD | {"requestPath": PROBE}], set()),
        ({"id": f"{BALANCER}/probes/ready"}, [GOOD | {"requestPath": "/readyz/etcd"}], {Violation}),
        ({"id": f"{BALANCER}/probes/port"}, [GOOD, PORT], {Violation}),
        ({"id": Unknown("id")}, [GOOD], set()),
        ({"id": Unknown("id")}, [PORT], {Violation}),
        ({"id": Unknown("id")}, [GOOD, PORT], {Undecided}),
        ({"id": f"{BALANCER}/probes/other"}, [GOOD, PORT], {Undecided}),
        ({"id": f"{BALANCER}/probes/ready"}, Unknown("probes"), {Undecided}),
        (None, [GOOD], {Violation}),
    ],
)
def test_the_probe_is_the_one_that_the_rule_of_the_api_names(probe: Any, probes: Any, kind: set[type]) -> None:
    other = {"frontendPort": 443, "probe": {"id": f"{BALANCER}/probes/port"}}
    rules = [other, {"frontendPort": 6443, "probe": probe}]
    assert kinds("apiserver-probe", stack(("api", "loadBalancingRules", rules), ("api", "probes", probes))) == kind


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        (PROBE, set()),
        ("/readyz?exclude=etcd&exclude=etcd-readiness", set()),
        ("/readyz?exclude=etcd-override-0", {Violation}),
        ("/readyz?exclude=etcd-override-readiness-0&exclude=etcd-override-1", {Violation}),
        ("/readyz", {Violation}),
        ("/healthz", set()),
        (Unknown("path"), {Undecided}),
    ],
)
def test_a_probe_of_readiness_leaves_out_what_only_events_need(path: Any, kind: set[type]) -> None:
    rows = [{"frontendPort": 6443, "probe": {"id": f"{BALANCER}/probes/ready"}}]
    probes = [GOOD | {"requestPath": path}]
    assert (
        kinds("apiserver-probe-events", stack(("api", "loadBalancingRules", rows), ("api", "probes", probes))) == kind
    )


def ingress(
    *pools: Any, port: int = 443, card: Any = "/cards/front", own: str | None = "/lb/front", depends: bool = False
) -> list[Resource]:
    """The clean stack with a public load balancer at 443 in addition, and an API server whose card has joined ``pools``."""
    front = {"loadBalancerName": "front", "frontendIPConfigurations": [{"publicIPAddress": {"id": "/p"}}]}
    rules = {"loadBalancingRules": [{"frontendPort": 443, "backendPort": port}]}
    balancer = made(f"{NATIVE}network:LoadBalancer", "front", {**front, **rules}, id=own)
    joined = {"ipConfigurations": [{"loadBalancerBackendAddressPools": [{"id": each} for each in pools]}]}
    of = {"ipConfigurations": (balancer.urn,)} if depends else {}
    return [
        *stack(("api-2", "networkProfile", {"networkInterfaces": [{"id": card}]})),
        balancer,
        made(f"{NATIVE}network:NetworkInterface", "c", joined, id="/cards/front", depends=of),
    ]


POOL = "/lb/front/backendAddressPools/b"


@pytest.mark.parametrize(
    ("resources", "kind"),
    [
        (ingress(), set()),
        (ingress(POOL), {Violation}),
        (ingress("/lb/other/backendAddressPools/b", POOL.upper()), {Violation}),
        (ingress("/lb/other/backendAddressPools/b", depends=True), set()),
        (ingress(POOL, own=None, depends=True), {Violation}),
        (ingress(Unknown("id"), own=None, depends=True), {Violation}),
        (ingress(Unknown("id")), {Undecided}),
        (ingress(POOL, card=Unknown("id")), {Undecided}),
        (ingress(POOL, card="/cards/elsewhere"), {Undecided}),
        (ingress(port=6443), {Violation}),
    ],
)
def test_a_public_load_balancer_at_443_is_the_apis_only_if_api_servers_are_behind_it(
    resources: list[Resource], kind: set[type]
) -> None:
    for rule in ("api-private", "apiserver-probe"):
        assert kinds(rule, resources) == kind


def test_a_machine_whose_role_is_not_known_yet_leaves_what_it_is_behind_undecided() -> None:
    resources = [
        with_property(each, "osProfile.customData", Unknown("customData"))
        if each.name in {"api-1", "api-2", "api-3"}
        else each
        for each in ingress(POOL)
    ]
    found = [each.resource for each in said("api-private", resources)]
    assert found == [urn(f"{NATIVE}compute/v20240301:VirtualMachine", "api-2")]


@pytest.mark.parametrize(
    ("surge", "mode", "batch", "kind"),
    [
        (False, "Rolling", 5, set()),
        (True, "Rolling", 5, set()),
        (True, "Rolling", 20, {Violation}),
        (True, "Rolling", None, {Violation}),
        (True, "Manual", 20, set()),
        (Unknown("s"), "Rolling", 20, {Undecided}),
        (True, Unknown("m"), 20, {Undecided}),
        (True, "Rolling", Unknown("b"), {Undecided}),
    ],
)
def test_a_subnet_has_room_for_the_machines_that_come_before_the_old_go(
    surge: Any, mode: Any, batch: Any, kind: set[type]
) -> None:
    of = Foreign()
    of.range = "10.4.0.0/18"  # 16,384; 500 machines with 31 addresses and 5 are 15,505, with 5 % more 16,280
    rolling = {"maxSurge": surge, "maxBatchInstancePercent": batch}
    of.pool |= {"tags": {"max": "500"}, "upgradePolicy": {"mode": mode, "rollingUpgradePolicy": rolling}}
    assert kinds("address-budget", of.resources()) == kind
