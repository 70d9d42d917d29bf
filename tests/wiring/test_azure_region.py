"""Wiring of a region on Azure: whose child is what, in which order it is made, and what is protected, secret or ignored."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from pulumi.runtime import settings

from kilonode.clouds.azure.immutable import TABLE
from tests.clouds.azure import regions
from tests.wiring.azure_monitor import NATIVE, SIGNATURE, Monitor, Recorder, run


def registered(**changes: Any) -> Monitor:
    return run(regions.spec(**changes), Recorder())


@pytest.fixture(scope="module")
def monitor() -> Iterator[Monitor]:
    before = settings.SETTINGS
    yield registered()
    settings.configure(before)


def test_every_component_registers_its_outputs(monitor: Monitor) -> None:
    assert {each.name for each in monitor.registered if each.type.startswith("kilonode:")} <= monitor.finished


def test_each_machine_has_one_of_each_and_there_is_no_machine_for_the_load_balancer(monitor: Monitor) -> None:
    counts = Counter(each.type.removeprefix(NATIVE) for each in monitor.registered)
    members, servers, pools = 6, 3, 1
    assert counts["compute:VirtualMachine"] == counts["network:NetworkInterface"] == members + servers
    assert counts["managedidentity:UserAssignedIdentity"] == members + servers + pools
    assert counts["keyvault:Secret"] == members + servers + pools + 1
    assert counts["authorization:RoleAssignment"] == 3 * members + servers + pools + 1
    assert counts["network:LoadBalancer"] == 1


def test_what_holds_data_or_many_nodes_is_protected_and_nothing_else_is(monitor: Monitor) -> None:
    protected = {each.name for each in monitor.registered if each.protect}
    members = {name for name in monitor.of("compute:VirtualMachine") if "-etcd-" in name}
    kinds = ("storage:StorageAccount", "storage:BlobContainer", "keyvault:Vault", "compute:VirtualMachineScaleSet")
    assert protected == members | {name for kind in kinds for name in monitor.of(kind)}


def test_a_snapshot_is_deleted_once_and_only_after_its_window(monitor: Monitor) -> None:
    (policy,) = monitor.of("storage:ManagementPolicy").values()
    (rule,) = policy.object["policy"]["rules"]
    (window,) = monitor.of("storage:BlobContainerImmutabilityPolicy").values()
    age = rule["definition"]["actions"]["baseBlob"]["delete"]["daysAfterCreationGreaterThan"]
    assert age > window.object["immutabilityPeriodSinceCreationInDays"]
    assert rule["definition"]["filters"]["prefixMatch"] == ["snapshots/"]


def test_how_many_machines_a_scale_set_has_is_ignored_and_nothing_else_is(monitor: Monitor) -> None:
    ignored = {
        each.type.removeprefix(NATIVE): list(each.ignoreChanges) for each in monitor.registered if each.ignoreChanges
    }
    assert ignored["compute:VirtualMachineScaleSet"] == ["sku.capacity"]
    assert set(ignored) == {
        "compute:VirtualMachineScaleSet",
        "managedidentity:UserAssignedIdentity",
        "authorization:RoleAssignment",
    }


def test_every_resource_is_replaced_by_what_the_table_says(monitor: Monitor) -> None:
    for each in monitor.registered:
        if each.type.startswith(NATIVE):
            kind = each.type.removeprefix(NATIVE)
            assert list(each.replaceOnChanges) == [row.path for row in TABLE if row.kind == kind], each.name
            assert each.deleteBeforeReplace, each.name


def test_no_resource_is_said_to_have_been_of_a_version_of_an_api(monitor: Monitor) -> None:
    aliases = {alias.spec.type for each in monitor.registered for alias in each.aliases}
    # Those of types that were renamed stay: a resource is found again after the SDK has moved its type.
    assert f"{NATIVE}network:PrivateZone" in aliases
    assert {alias for alias in aliases if "/v2" in alias} == set()


def test_values_of_secrets_are_secret(monitor: Monitor) -> None:
    for name, each in monitor.of("keyvault:Secret").items():
        assert SIGNATURE in each.object["properties"]["value"], name
        assert list(each.additionalSecretOutputs) == ["properties"]


def test_writes_to_one_network_follow_each_other() -> None:
    pools = [regions.POOL, {**regions.POOL, "name": "more", "range": "10.66.0.0/16"}]
    made = registered(nodePools=pools)
    for name in ("west-vnet-1", "west-vnet-2"):
        assert name in made.of("network:VirtualNetwork")
    subnets = [
        each for each in made.of("network:Subnet").values() if each.object["virtualNetworkName"] == "west-vnet-0"
    ]
    for before, after in pairwise(subnets):
        assert any(urn.endswith(f"::{before.name}") for urn in after.dependencies)
    peerings = list(made.of("network:VirtualNetworkPeering").values())
    assert len(peerings) == 6


def test_nodes_are_never_resources() -> None:
    few = len(registered(nodePools=[{**regions.POOL, "nodes": 2}]).registered)
    assert len(registered(nodePools=[{**regions.POOL, "nodes": 900}]).registered) == few


def test_one_more_pool_changes_no_input_of_another_resource() -> None:
    more = {**regions.POOL, "name": "more", "range": "10.65.128.0/17"}
    made = registered(nodePools=[more, {**regions.POOL, "range": "10.65.0.0/17"}])
    plain = registered(nodePools=[{**regions.POOL, "range": "10.65.0.0/17"}])
    was, now = ({each.name: str(each.object) for each in of.registered} for of in (plain, made))
    assert {name for name in was if was[name] != now[name]} == set()
    assert was.keys() <= now.keys()
