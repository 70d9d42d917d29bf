"""What azure-native's resources say in other words than a clean stack does: parts that are optional, ids, and what is not known yet."""

from dataclasses import replace
from typing import Any

import pytest

from kilonode.rules.read.facts import read_facts
from kilonode.rules.read.resource import Resource
from kilonode.rules.registry import BY_ID
from kilonode.rules.rule import Undecided, Violation
from kilonode.rules.unknown import Unknown
from tests.rules.foreign import BALANCER, NATIVE, Foreign, made, urn, with_property

SERVERS = ("api-1", "api-2", "api-3")


def said(rule: str, resources: list[Resource]) -> list[Violation | Undecided]:
    return list(BY_ID[rule].check(read_facts(resources)))


def kinds(rule: str, resources: list[Resource]) -> set[type]:
    return {type(each) for each in said(rule, resources)}


def stack(*changes: tuple[str, str, Any], of: Foreign | None = None) -> list[Resource]:
    """The clean stack with some properties set, by a resource's name and a path."""
    resources = (of or Foreign()).resources()
    for name, path, value in changes:
        resources = [with_property(each, path, value) if each.name == name else each for each in resources]
    return resources


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
        with_property(each, "osProfile.customData", Unknown("customData")) if each.name in SERVERS else each
        for each in ingress(POOL)
    ]
    found = [each.resource for each in said("api-private", resources)]
    assert found == [urn(f"{NATIVE}compute/v20240301:VirtualMachine", name) for name in ("api-1", "api-2")]


ULTRA = {"diskName": "fast", "diskIOPSReadWrite": 20_000}
SLOW = {"diskName": "slow", "diskIOPSReadWrite": 5_000}


def attached(*rows: Any, size: str = "Standard_D16s_v5", depends: tuple[str, ...] = ()) -> list[Resource]:
    kind = f"{NATIVE}compute:Disk"
    resources = stack(
        ("etcd-1-1", "hardwareProfile.vmSize", size), ("etcd-1-1", "storageProfile", {"dataDisks": list(rows)})
    )
    of = {"storageProfile": tuple(urn(kind, name) for name in depends)}
    return [
        *(replace(each, depends=of) if each.name == "etcd-1-1" else each for each in resources),
        made(kind, "fast", ULTRA, id="/disks/fast" if not depends else None),
        made(kind, "slow", SLOW, id="/disks/slow" if not depends else None),
    ]


def disk(given: Any) -> dict[str, Any]:
    return {"createOption": "Attach", "managedDisk": {"id": given}}


@pytest.mark.parametrize(
    ("resources", "kind"),
    [
        (attached(disk("/disks/fast")), set()),
        (attached(disk("/disks/slow"), disk("/DISKS/fast")), set()),
        (attached(disk("/disks/slow")), {Violation}),
        (attached(disk("/disks/elsewhere")), {Undecided}),
        (attached(disk(Unknown("id"))), {Undecided}),
        (attached(disk(Unknown("id")), disk("/disks/fast")), set()),
        (attached(disk("/disks/elsewhere"), size="Standard_L8s_v3"), set()),
        (attached(disk(Unknown("id")), depends=("fast",)), set()),
        (attached(disk(Unknown("id")), depends=("fast", "slow")), {Undecided}),
        (attached(disk("/some/fast"), depends=("fast", "slow")), set()),
        (attached(disk("/some/slow"), depends=("fast", "slow")), {Violation}),
        (attached({"createOption": "Empty", "diskIOPSReadWrite": 16_000}), set()),
        (attached({"createOption": "Empty"}), {Violation}),
    ],
)
def test_a_network_disk_is_as_fast_as_the_disk_that_is_attached(resources: list[Resource], kind: set[type]) -> None:
    assert kinds("etcd-local-disk", resources) == kind


WINDOWS_IMAGE = {"publisher": "MicrosoftWindowsServer", "offer": "WindowsServer"}


@pytest.mark.parametrize("above", ["", "virtualMachineProfile."])
@pytest.mark.parametrize(
    ("profile", "storage", "kind"),
    [
        (None, {}, set()),
        (Unknown("osProfile"), {}, {Undecided}),
        ({"windowsConfiguration": {}}, {}, set()),
        ({"windowsConfiguration": Unknown("w")}, {}, {Undecided}),
        ({}, {"osDisk": {"osType": "Windows"}}, set()),
        ({}, {"osDisk": {"osType": "Linux"}}, {Violation}),
        ({}, {"imageReference": WINDOWS_IMAGE}, set()),
        ({}, {"imageReference": {"publisher": "Debian"}}, {Violation}),
        ({}, {"imageReference": {"publisher": Unknown("publisher")}}, {Undecided}),
        ({}, {"imageReference": {"id": "/galleries/g/images/i"}}, {Undecided}),
        ({}, {"imageReference": {"id": "/galleries/g/images/i"}, "osDisk": {"osType": "Linux"}}, {Violation}),
        ({}, {}, {Violation}),
        ({"linuxConfiguration": {}}, {"imageReference": {"id": "/galleries/g/images/i"}}, {Violation}),
        ({"linuxConfiguration": {"disablePasswordAuthentication": True}}, {}, set()),
    ],
)
def test_passwords_are_looked_for_on_linux_only(above: str, profile: Any, storage: Any, kind: set[type]) -> None:
    name = "pool" if above else "api-1"
    resources = stack((name, f"{above}osProfile", profile), (name, f"{above}storageProfile", storage))
    assert kinds("ssh-keys-only", resources) == kind


@pytest.mark.parametrize(
    ("mode", "kind"), [("Flexible", set()), ("Uniform", {Violation}), (None, {Violation}), (Unknown("m"), {Undecided})]
)
def test_only_a_uniform_scale_set_can_be_overprovisioned(mode: Any, kind: set[type]) -> None:
    resources = stack(("pool", "overprovision", None), ("pool", "orchestrationMode", mode))
    assert kinds("scale-set-overprovision", resources) == kind


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


@pytest.mark.parametrize(
    ("tags", "field"), [({"max": "1001"}, "tags.max"), ({}, "sku.capacity"), ({"max": "many"}, "sku.capacity")]
)
def test_a_set_that_is_too_large_is_told_by_the_field_that_says_so(tags: Any, field: str) -> None:
    (found,) = said("scale-set-size", stack(("pool", "tags", tags), ("pool", "sku.capacity", 1_001)))
    assert isinstance(found, Violation)
    assert (found.field, found.value) == (field, "1001")


@pytest.mark.parametrize("rule", ["apiserver-in-flight", "arp-thresholds-large"])
def test_how_large_a_region_is_whose_pools_are_in_another_stack_is_undecided_or_said(rule: str) -> None:
    resources = [each for each in stack() if each.name != "pool"]
    assert kinds(rule, resources) == {Undecided}
    assert {type(each) for each in BY_ID[rule].check(read_facts(resources), {"nodes": 7_500})} == {Violation}


@pytest.mark.parametrize("rule", ["apiserver-count", "etcd-members-enough"])
def test_how_many_machines_such_a_region_needs_is_undecided_or_said(rule: str) -> None:
    facts = read_facts([each for each in stack() if each.name != "pool"])
    assert {type(each) for each in BY_ID[rule].check(facts)} == {Undecided}
    assert {type(each) for each in BY_ID[rule].check(facts, {"nodes": 501})} == {Violation}
    assert not list(BY_ID[rule].check(facts, {"nodes": 500}))


def test_requests_in_flight_fit_the_region_though_etcd_is_in_another_stack() -> None:
    of = Foreign()
    of.pool["tags"]["max"] = "900"
    for flags in of.servers.values():
        flags |= {"max-requests-inflight": "400", "max-mutating-requests-inflight": "200"}
    resources = [each for each in of.resources() if not each.name.startswith("etcd-")]
    found = [each for each in said("apiserver-in-flight", resources) if isinstance(each, Violation)]
    assert {each.resource.rpartition("::")[2] for each in found} == set(SERVERS)
    assert {each.limit.partition(" for ")[2] for each in found} == {"900 nodes"}


def events(main: str, own: str) -> Foreign:
    of = Foreign()
    for flags in of.servers.values():
        flags |= {"etcd-servers": main, "etcd-servers-overrides": f"/events#{own}"}
    return of


@pytest.mark.parametrize(
    ("main", "own", "value"),
    [
        ("https://etcd-1", "https://etcd-2", None),
        ("https://etcd-1", "https://etcd-1:2379", "etcd-1 has both"),
        ("https://[fd00::1]:2379", "https://[fd00::2]:2379", None),
        ("https://[fd00::1]:2379", "https://[FD00::1]:2381", "fd00::1 has both"),
        ("10.0.0.1:2379", "10.0.0.1:2381", "10.0.0.1 has both"),
        ("https://[:2379", "https://[:2379", "https://[:2379 has both"),
        ("", "https://etcd-2", None),
        ("https://etcd-1", "", "/events#"),
    ],
)
def test_events_are_apart_whether_or_not_urls_have_a_port(main: str, own: str, value: str | None) -> None:
    found = said("etcd-events-apart", events(main, own).resources())
    assert {each.value for each in found if isinstance(each, Violation)} == ({value} if value else set())
    assert len(found) == (3 if value else 0)
