"""Sysctl floors as rows."""

from kilonode.boot.sysctl import NEIGHBOURS_DEFAULT, fixed_machine_rows, neighbour_rows
from kilonode.limits import NODES


def test_neighbour_thresholds_rise_in_each_family_and_both_families_agree() -> None:
    values = {row.key: int(row.value) for row in neighbour_rows()}
    families = [
        [values[f"net.{family}.neigh.default.gc_thresh{step}"] for step in (1, 2, 3)] for family in ("ipv4", "ipv6")
    ]
    for first, second, third in families:
        assert first <= second < third
        assert third >= 65_536
    assert families[0] == families[1]
    assert len(values) == 6


def test_no_floor_is_below_the_kernel_s_default() -> None:
    assert all(int(row.value) > NEIGHBOURS_DEFAULT[int(row.key[-1]) - 1] for row in neighbour_rows())


def test_a_control_plane_machine_has_room_for_every_node_of_the_largest_region_many_times_over() -> None:
    assert min(int(row.value) for row in neighbour_rows()) >= 4 * NODES.value


def test_every_row_says_why_and_where_from_and_is_there_once() -> None:
    rows = fixed_machine_rows()
    assert all(row.why and row.source for row in rows)
    assert len({row.key for row in rows}) == len(rows)


def test_floors_are_whole_numbers_as_the_program_that_raises_them_compares_them() -> None:
    assert all(isinstance(row.value, int) and not isinstance(row.value, bool) for row in fixed_machine_rows())
