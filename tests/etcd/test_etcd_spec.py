"""What a person may write as an etcd cluster."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilonode.etcd.spec import GIB, EtcdClusterSpec
from kilonode.refusal import RefusedError

MAX = 8589934592  # etcd's suggested maximum, in bytes
UNITS = {"MiB": 1024**2, "GiB": 1024**3}


def read(**row: object) -> EtcdClusterSpec:
    return EtcdClusterSpec.read({"name": "main", **row}, "etcd[0]")


@pytest.mark.parametrize("members", [1, 3, 5, 7])
def test_an_odd_number_of_members_is_accepted(members: int) -> None:
    assert read(members=members).members == members


@pytest.mark.parametrize("members", [-1, 0, 2, 4, 6, 8, 9, True, 5.0, "5", None, [5]])
def test_any_other_number_of_members_is_refused(members: object) -> None:
    with pytest.raises(RefusedError, match="an odd whole number from 1 to 7"):
        read(members=members)


def test_five_members_and_eight_gibibytes_without_a_warning_are_the_default() -> None:
    assert (read().members, read().quota, read().warnings()) == (5, MAX, [])


@given(st.integers(1, 2**20), st.sampled_from(sorted(UNITS)))
def test_a_quota_in_binary_units_is_exactly_that_many_bytes(amount: int, unit: str) -> None:
    count = amount * UNITS[unit]
    if count > 2 * GIB:
        assert read(quota=f"{amount}{unit}").quota == count
    else:
        with pytest.raises(RefusedError, match="more than 2GiB"):
            read(quota=f"{amount}{unit}")


@given(st.integers(2 * GIB + 1, 2**63 - 1))
def test_a_quota_in_plain_bytes_is_kept(quota: int) -> None:
    assert read(quota=quota).quota == quota


@pytest.mark.parametrize(
    "quota",
    ["8G", "8Gi", "8g", "8GB", "8 GiB", "8gib", "8.0GiB", "+8GiB", "-8GiB", "08GiB", "8589934592", "8e9", "", "GiB", "٨GiB",
     "8GiB\n", 8e9, 8.5, True, False, None, [MAX], {"GiB": 8}, 0, -1, -MAX, 2 * GIB, 2**63],
)  # fmt: skip
def test_a_quota_that_could_mean_two_things_or_is_no_raised_quota_is_refused(quota: object) -> None:
    with pytest.raises(RefusedError, match="write '8GiB'"):
        read(quota=quota)


@pytest.mark.parametrize(("quota", "warnings"), [(MAX, 0), (MAX + 1, 1), (9589934592, 1), ("16GiB", 1)])
def test_a_quota_above_the_suggested_maximum_is_taken_with_one_warning(quota: object, warnings: int) -> None:
    found = read(quota=quota).warnings()
    assert len(found) == warnings
    assert all("quota" in warning and str(MAX) in warning for warning in found)


def test_a_single_member_is_taken_with_a_warning() -> None:
    assert ["only copy" in warning for warning in read(members=1).warnings()] == [True]


def test_a_cluster_that_grew_says_with_how_many_members_it_was_born() -> None:
    assert read(members=5, bornWith=3).first_members == 3
    assert read(members=5).first_members == 5


def test_a_cluster_cannot_be_born_with_more_members_than_it_has() -> None:
    with pytest.raises(RefusedError, match=r"etcd\[0\].bornWith\n.*5\n.*at most members \(3\)"):
        read(members=3, bornWith=5)


@pytest.mark.parametrize("born", [0, 2, 4, "3", 3.0, False])
def test_a_cluster_is_born_with_an_odd_number(born: object) -> None:
    with pytest.raises(RefusedError, match="an odd whole number from 1 to 7"):
        read(members=5, bornWith=born)
