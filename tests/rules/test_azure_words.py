"""Azure's words and sizes, which it takes in any case."""

from typing import Any

import pytest

from kilonode.cloudspec.azure_sizes import SIZES
from kilonode.rules.read.azure.words import spelt
from kilonode.rules.read.resource import Sealed
from kilonode.rules.rule import Violation
from kilonode.rules.unknown import Unknown
from tests.rules.judged import kinds, stack
from tests.rules.written import with_property

DISK = {"diskSizeGB": 16_384, "managedDisk": {"storageAccountType": "premium_lrs"}}
SPOT = ("api-1", "priority", "spot")
UPGRADE = "upgradePolicy.mode"


@pytest.mark.parametrize(
    ("rule", "change", "broken"),
    [
        ("control-plane-no-spot", SPOT, True),
        ("control-plane-no-spot", ("api-1", "priority", "REGULAR"), False),
        ("etcd-local-disk", ("etcd-1-1", "hardwareProfile.vmSize", "STANDARD_L8S_V3"), False),
        ("etcd-local-disk", ("etcd-1-1", "hardwareProfile.vmSize", "standard_l8s_v9"), False),
        ("etcd-local-disk", ("etcd-1-1", "hardwareProfile.vmSize", "standard_e16s_v5"), True),
        ("pool-rolling-upgrade", ("pool", UPGRADE, "manual"), False),
        ("pool-rolling-upgrade", ("pool", UPGRADE, "rolling"), False),
        ("pool-rolling-upgrade", ("pool", UPGRADE, "automatic"), True),
        ("scale-set-overprovision", ("pool", "orchestrationMode", "uniform"), False),
    ],
)
def test_a_word_in_another_case_is_the_same_word(rule: str, change: tuple[str, str, Any], broken: bool) -> None:
    assert kinds(rule, stack(change)) == ({Violation} if broken else set())


def test_a_flexible_set_and_its_batches_are_known_in_any_case() -> None:
    flexible = [("pool", "orchestrationMode", "flexible"), ("pool", "overprovision", None)]
    assert kinds("scale-set-overprovision", stack(*flexible)) == set()
    large = ("pool", "upgradePolicy.rollingUpgradePolicy.maxBatchInstancePercent", 50)
    assert kinds("pool-rolling-upgrade", stack(("pool", UPGRADE, "rolling"), large)) == {Violation}


def test_a_premium_disk_is_one_in_any_case() -> None:
    slow = ("etcd-1-1", "hardwareProfile.vmSize", "standard_e16s_v5")
    resources = stack(slow, ("etcd-1-1", "storageProfile", {"dataDisks": [DISK]}))
    assert kinds("etcd-local-disk", resources) == set()
    resources = [
        with_property(each, "storageProfile.dataDisks.0.diskSizeGB", 128) if each.name == "etcd-1-1" else each
        for each in resources
    ]
    assert kinds("etcd-local-disk", resources) == {Violation}


def test_what_is_spelt_anew_is_as_secret_as_it_was() -> None:
    assert isinstance(spelt(Sealed("spot")), Sealed)
    assert spelt(Sealed("spot")) == "Spot"
    assert [spelt(each) for each in (None, Unknown("u"), "Else", "sPOT")] == [None, Unknown("u"), "Else", "Spot"]
    assert [spelt(each.upper()) for each in SIZES] == list(SIZES)
