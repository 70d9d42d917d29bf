"""A person's kernel settings go above the library's floors or beside its rows, never against them."""

from typing import Any

import pytest

from kilonode.boot.sysctl import machine_pool_rows
from kilonode.nodes.own_sysctls import OWN_MAX, with_own
from kilonode.refusal import Refusal, RefusedError
from kilonode.region.spec import RegionSpec
from tests.clouds.azure import regions

ROWS = machine_pool_rows(7500, reuses_addresses=False)
THIRD = "net.ipv4.neigh.default.gc_thresh3"


def refused(own: dict[str, str | int]) -> Refusal:
    with pytest.raises(RefusedError) as error:
        with_own(ROWS, own, "nodePools gpu.sysctls")
    (found,) = error.value.refusals
    return found


def written(own: Any) -> Refusal:
    with pytest.raises(RefusedError) as error:
        RegionSpec.read(regions.settings(nodePools=[regions.pool(sysctls=own)]), "region")
    return error.value.refusals[0]


def test_without_own_settings_the_rows_are_the_librarys() -> None:
    assert with_own(ROWS, {}, "") == ROWS


def test_a_higher_floor_stands_in_the_place_of_the_librarys_and_a_new_key_behind_all() -> None:
    made = with_own(ROWS, {"net.core.somaxconn": 65_535, "net.core.busy_poll": 50}, "")
    lines = [row.line for row in made]
    assert "net.core.somaxconn = 65535\n" in lines
    assert lines[-1] == "net.core.busy_poll := 50\n"
    assert [row.key for row in made[:-1]] == [row.key for row in ROWS]


def test_a_floor_is_not_lowered_in_any_of_its_numbers() -> None:
    found = refused({"net.ipv4.tcp_rmem": "4096 131072 1048576"})
    assert (found.field, found.given) == ("nodePools gpu.sysctls.net.ipv4.tcp_rmem", "4096 131072 1048576")
    assert found.allowed == "3 numbers, each at least that of 4096 131072 16777216"
    assert refused({"net.core.somaxconn": 128}).allowed == "32768 or more"
    assert refused({"net.ipv4.tcp_rmem": "4096 131072"}).given == "4096 131072"


def test_what_kubelet_demands_is_not_changed() -> None:
    found = refused({"vm.overcommit_memory": 0})
    assert found.allowed == "1"
    assert "protectKernelDefaults" in found.why
    assert with_own(ROWS, {"vm.overcommit_memory": "1"}, "")


def test_neighbour_thresholds_stay_in_order() -> None:
    second = THIRD[:-1] + "2"
    third = next(int(row.value) for row in ROWS if row.key == THIRD)
    found = refused({second: third})
    assert (found.field, found.given) == (f"nodePools gpu.sysctls.{THIRD[:-1]}1, 2, 3", f"80000, {third}, {third}")
    assert (found.allowed, found.rule) == ("gcThresh1 <= gcThresh2 < gcThresh3", "arp-thresholds-ordered")
    assert with_own(ROWS, {second: third, THIRD: 2 * third}, "")


@pytest.mark.parametrize(
    ("own", "allowed"),
    [
        ({"somaxconn": 1}, "a name with dots, such as net.core.somaxconn"),
        ({"net.core/somaxconn": 1}, "a name with dots, such as net.core.somaxconn"),
        ({"net.core.somaxconn": "many"}, "a whole number, or up to eight with one space between them, as text"),
        ({"net.core.somaxconn": "1\n2"}, "a whole number, or up to eight with one space between them, as text"),
        ({f"net.a.b{number}": 1 for number in range(OWN_MAX + 1)}, f"at most {OWN_MAX}"),
    ],
)
def test_what_is_no_kernel_setting_is_refused_where_it_is_written(own: dict[str, Any], allowed: str) -> None:
    assert written(own).allowed == allowed
    assert "sysctls" in written(own).field
