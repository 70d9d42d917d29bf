"""What a network disk is good for follows from its type and size, as its cloud documents it."""

from itertools import pairwise
from typing import Any

import pytest

from kilonode.rules.read.disks import TIERS, Asked, aws, azure
from kilonode.rules.unknown import Unknown

NOBODY_KNOWS = Unknown("x")


@pytest.mark.parametrize(
    ("kind", "gib", "said", "iops"),
    [
        ("gp3", 100, None, 3_000),
        ("gp3", 100, 16_000, 16_000),
        ("gp2", 10, None, 100),
        ("gp2", 1_000, None, 3_000),
        ("gp2", 5_334, None, 16_000),
        (None, 6_000, None, 16_000),
        ("io2", 100, 64_000, 64_000),
        ("io2", 100, None, None),
        ("st1", 10_000, None, None),
        ("gp2", None, None, Unknown("volumeSize")),
        ("gp2", NOBODY_KNOWS, None, NOBODY_KNOWS),
        (NOBODY_KNOWS, 100, None, NOBODY_KNOWS),
        ("gp3", 100, NOBODY_KNOWS, NOBODY_KNOWS),
    ],
)
def test_a_volume_of_aws_is_good_for_what_its_type_gives(kind: Any, gib: Any, said: Any, iops: Any) -> None:
    assert aws(Asked(kind, gib, said)) == iops


def test_a_premium_disk_is_good_for_no_less_than_a_smaller_one() -> None:
    asked = [azure(Asked("Premium_LRS", tier.gib, None)) for tier in TIERS]
    assert asked == [tier.iops for tier in TIERS] == sorted(tier.iops for tier in TIERS)
    assert [tier.gib for tier in TIERS] == sorted(tier.gib for tier in TIERS)


def test_a_size_between_two_is_the_larger_ones() -> None:
    for smaller, larger in pairwise(TIERS):
        assert azure(Asked("Premium_LRS", smaller.gib + 1, None)) == larger.iops
