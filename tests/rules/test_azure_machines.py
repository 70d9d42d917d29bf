"""Machines and scale sets of Azure: what is optional of them, the disks they attach, and what is not known yet."""

from dataclasses import replace
from typing import Any

import pytest

from kilonode.rules.read.facts import read_facts
from kilonode.rules.read.resource import Resource
from kilonode.rules.rule import Undecided, Violation
from kilonode.rules.unknown import Unknown
from tests.rules.foreign import NATIVE
from tests.rules.judged import kinds, said, stack
from tests.rules.written import encoded, made, urn

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


@pytest.mark.parametrize(
    ("size", "kind"),
    [
        ("Standard_E8ads_v6", set()),
        ("Standard_D4plds_v6", set()),
        ("Standard_E96-24ds_v7", set()),
        ("Standard_D8ads_v5", {Violation}),
        ("Standard_E8as_v6", {Violation}),
        ("Standard_NC24ads_A100_v4", {Undecided}),
        ("Standard_HB120rs_v3", {Undecided}),
    ],
)
def test_a_size_that_is_in_no_table_is_told_by_its_name(size: str, kind: set[type]) -> None:
    assert kinds("etcd-local-disk", stack(("etcd-1-1", "hardwareProfile.vmSize", size))) == kind


PREMIUM, V2, ULTRA_KIND = "Premium_LRS", "PremiumV2_LRS", "UltraSSD_LRS"


def empty(kind: Any, size: Any = None, iops: Any = None) -> dict[str, Any]:
    row = {"createOption": "Empty", "managedDisk": {"storageAccountType": kind}, "diskSizeGB": size}
    return {key: value for key, value in {**row, "diskIOPSReadWrite": iops}.items() if value is not None}


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        (empty(PREMIUM, 8_192), set()),
        (empty("Premium_ZRS", 4_097), set()),
        (empty(PREMIUM, 32_767), set()),
        (empty(PREMIUM, 4_096), {Violation}),
        (empty(PREMIUM, "8192"), set()),
        (empty(PREMIUM), {Undecided}),
        (empty(PREMIUM, Unknown("size")), {Undecided}),
        (empty(Unknown("kind"), 8_192), {Undecided}),
        (empty(Unknown("kind"), 8_192, 16_000), set()),
        (empty("StandardSSD_LRS", 32_767), {Violation}),
        (empty(V2, 8_192), {Violation}),
        (empty(V2, 1_024, 16_000), set()),
        (empty(ULTRA_KIND, 8_192), {Undecided}),
        (empty(ULTRA_KIND, 1_024, 16_000), set()),
        (empty(ULTRA_KIND, 8_192, Unknown("iops")), {Undecided}),
    ],
)
def test_a_disk_is_as_fast_as_its_type_and_size_say(row: dict[str, Any], kind: set[type]) -> None:
    assert kinds("etcd-local-disk", attached(row)) == kind


@pytest.mark.parametrize(
    ("properties", "kind"),
    [
        ({"sku": {"name": PREMIUM}, "diskSizeGB": 8_192}, set()),
        ({"sku": {"name": PREMIUM}, "diskSizeGB": 2_048}, {Violation}),
        ({"sku": {"name": PREMIUM}, "diskSizeGB": 2_048, "creationData": {"performancePlus": True}}, set()),
        ({"sku": {"name": PREMIUM}, "diskSizeGB": 512, "creationData": {"performancePlus": True}}, {Violation}),
        ({"sku": {"name": PREMIUM}, "diskSizeGB": 512, "tier": "P60"}, set()),
        ({"sku": {"name": PREMIUM}, "diskSizeGB": 8_192, "tier": Unknown("tier")}, {Undecided}),
        ({"sku": {"name": PREMIUM}, "tier": "P50"}, {Violation}),
        ({"sku": {"name": V2}, "diskSizeGB": 8_192}, {Violation}),
    ],
)
def test_a_disk_that_is_attached_is_as_fast_as_its_type_and_size_say(properties: Any, kind: set[type]) -> None:
    resources = attached(disk("/disks/own"))
    own = made(f"{NATIVE}compute:Disk", "own", {"diskName": "own", **properties}, id="/disks/own")
    assert kinds("etcd-local-disk", [*resources, own]) == kind


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
    ("tags", "field"), [({"max": "1001"}, "tags.max"), ({}, "sku.capacity"), ({"max": "many"}, "sku.capacity")]
)
def test_a_set_that_is_too_large_is_told_by_the_field_that_says_so(tags: Any, field: str) -> None:
    (found,) = said("scale-set-size", stack(("pool", "tags", tags), ("pool", "sku.capacity", 1_001)))
    assert isinstance(found, Violation)
    assert (found.field, found.value) == (field, "1001")


KEY = encoded("-----BEGIN EC PRIVATE KEY-----")


@pytest.mark.parametrize(("name", "above"), [("api-1", ""), ("pool", "virtualMachineProfile.")])
@pytest.mark.parametrize(
    ("rule", "more", "kind"),
    [
        ("user-data-secrets", encoded("hello"), set()),
        ("user-data-secrets", KEY, {Violation}),
        ("user-data-secrets", Unknown("userData"), {Undecided}),
        ("user-data-size", encoded("x" * 66_000), {Violation}),
        ("user-data-size", Unknown("userData"), {Undecided}),
        ("apiserver-profiling", Unknown("userData"), set()),
        ("apiserver-profiling", KEY, set()),
    ],
)
def test_user_data_beside_custom_data_is_read_by_whoever_is_on_the_machine(
    name: str, above: str, rule: str, more: Any, kind: set[type]
) -> None:
    assert kinds(rule, stack((name, f"{above}userData", more))) == kind


def test_a_key_in_custom_data_is_told_where_the_rest_is_not_known() -> None:
    resources = stack(("api-1", "osProfile.customData", KEY), ("api-1", "userData", Unknown("userData")))
    assert kinds("user-data-secrets", resources) == {Violation, Undecided}


ENABLED, NAMED = "cluster-autoscaler-enabled", {"cluster-autoscaler-name": "prod"}


@pytest.mark.parametrize(
    ("tags", "has"),
    [
        ({ENABLED: "true"}, True),
        (NAMED, True),
        ({ENABLED: "true", **NAMED}, True),
        ({ENABLED: "false"}, False),
        ({ENABLED: "False", **NAMED}, False),
        ({ENABLED: Unknown("enabled")}, Unknown("enabled")),
        (Unknown("tags"), Unknown("tags")),
        ({"max": "9"}, False),
        (None, False),
    ],
)
def test_the_autoscaler_has_the_sets_with_its_tags_but_for_those_that_say_no(tags: Any, has: Any) -> None:
    (pool,) = read_facts(stack(("pool", "tags", tags))).pools
    assert pool.autoscaled == has


@pytest.mark.parametrize(
    ("image", "limit"),
    [
        ("/subscriptions/s/providers/Microsoft.Compute/galleries/g/images/i", "at most 1000"),
        ("/SharedGalleries/g/images/i", "at most 1000"),
        ("/subscriptions/s/providers/Microsoft.Compute/images/i", "at most 600"),
        (None, "at most 1000"),
    ],
)
def test_a_set_of_a_plain_image_is_smaller_than_one_of_a_gallery(image: Any, limit: str) -> None:
    path = "virtualMachineProfile.storageProfile.imageReference.id"
    (found,) = said("scale-set-size", stack(("pool", path, image), ("pool", "tags", {"max": "1001"})))
    assert isinstance(found, Violation)
    assert found.limit == limit
