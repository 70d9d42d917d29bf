import pytest

from kilonode.clouds.local.host import names
from kilonode.names import POOL_MAX, REGION_MAX
from kilonode.nodes.plan import node_name
from kilonode.refusal import RefusedError


def test_the_hosts_link_fits_an_interface_name_for_the_longest_region() -> None:
    assert len(names.host_link("r" * names.REGION_LENGTH)) <= 15


def test_regions_whose_names_begin_alike_share_no_name() -> None:
    made = [names.netns("a"), names.netns("a-b"), names.host_link("a"), names.host_link("a-b"), names.cgroup("a")]
    made += [names.cgroup("a-b"), names.nspawn("a", "b-c"), names.nspawn("a-b", "c")]
    made += [names.whole("a", "b-c"), names.whole("a-b", "c")]
    assert len(set(made)) == len(made)


def test_a_machines_port_fits_an_interface_name_so_that_nspawn_does_not_shorten_it() -> None:
    assert len(names.port("r" * names.REGION_LENGTH, "m" * names.MACHINE_LENGTH)) <= 15


@pytest.mark.parametrize("bad", ["", "A", "a.b", "a/b", "..", "-a", "a-", "a_b", "a b", "r" * 25])
def test_a_name_that_could_leave_its_place_is_refused(bad: str) -> None:
    with pytest.raises(RefusedError, match="region"):
        names.region_name(bad)


def test_the_longest_name_a_node_can_have_is_a_machines_name() -> None:
    longest = node_name("r" * REGION_MAX, "p" * POOL_MAX, 9_999)
    assert names.machine_name(longest) == longest
