"""Kernel settings as rows."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilonode.boot.machine import SYSCTLS, BootData
from kilonode.boot.modules import MODULES, modules_file
from kilonode.boot.neighbours import KERNEL_DEFAULT, TABLES, NeighbourThresholds, table_for
from kilonode.boot.sysctl import Sysctl, fixed_machine_rows, machine_pool_rows, neighbour_rows
from kilonode.limits import NODES
from kilonode.nodes.kubeproxy import kube_proxy_config
from kilonode.refusal import RefusedError
from ops import sysctls
from tests.plans import boots, plan

PODS = 30  # the default of a pool
CEILINGS = st.integers(1, NODES.value)
POOL = machine_pool_rows(NODES.value, reuses_addresses=False)
KEYS = {row.key: row for row in POOL}


def thresholds(ceiling: int, family: str, *, reuses_addresses: bool = False) -> list[int]:
    values = {row.key: int(row.value) for row in neighbour_rows(ceiling, reuses_addresses=reuses_addresses)}
    assert len(values) == 6
    return [values[f"net.{family}.neigh.default.gc_thresh{step}"] for step in (1, 2, 3)]


class TestNeighbours:
    @given(CEILINGS, CEILINGS, st.sampled_from(["ipv4", "ipv6"]))
    def test_a_higher_ceiling_never_gets_less(self, one: int, two: int, family: str) -> None:
        lower, higher = thresholds(min(one, two), family), thresholds(max(one, two), family)
        assert all(less <= more for less, more in zip(lower, higher, strict=True))

    @given(CEILINGS, st.booleans())
    def test_thresholds_are_in_order_and_the_same_for_both_families(self, ceiling: int, reuses: bool) -> None:
        first, second, third = thresholds(ceiling, "ipv4", reuses_addresses=reuses)
        assert first <= second < third
        assert [first, second, third] == thresholds(ceiling, "ipv6", reuses_addresses=reuses)

    @given(CEILINGS)
    def test_every_ceiling_gets_more_than_the_kernel_s_default(self, ceiling: int) -> None:
        assert all(ours > theirs for ours, theirs in zip(thresholds(ceiling, "ipv4"), KERNEL_DEFAULT, strict=True))

    @pytest.mark.parametrize(("ceiling", "third"), [(100, 16_384), (1_000, 65_536), (2_500, 100_000), (7_500, 100_000)])
    def test_the_table_of_known_regions(self, ceiling: int, third: int) -> None:
        assert thresholds(ceiling, "ipv4")[2] == third

    def test_2500_nodes_on_a_flat_range_have_room(self) -> None:
        assert thresholds(2_500, "ipv4")[2] >= max(65_536, 2_500 * (PODS + 1))

    @pytest.mark.parametrize("table", TABLES[:-1])
    def test_smaller_steps_hold_every_node_and_pod_twice_over(self, table: Any) -> None:
        assert table.thresholds.gc_thresh3 >= 2 * table.nodes * (PODS + 1)

    def test_the_steps_end_at_the_largest_region(self) -> None:
        assert [table.nodes for table in TABLES] == sorted({table.nodes for table in TABLES})
        assert table_for(NODES.value) is TABLES[-1]

    @given(CEILINGS)
    def test_where_addresses_are_reused_the_first_threshold_is_0_whatever_the_image_has(self, ceiling: int) -> None:
        reusing = {row.key: row for row in neighbour_rows(ceiling, reuses_addresses=True)}
        keeping = {row.key: row for row in neighbour_rows(ceiling, reuses_addresses=False)}
        differ = {key for key in keeping if reusing[key] != keeping[key]}
        assert differ == {f"net.{family}.neigh.default.gc_thresh1" for family in ("ipv4", "ipv6")}
        assert {(reusing[key].value, reusing[key].rule) for key in differ} == {(0, "exact")}
        assert {row.rule for row in keeping.values()} == {"floor"}

    @pytest.mark.parametrize("given", [(4096, 2048, 1024), (1, 3, 3), (5, 4, 6)])
    def test_thresholds_out_of_order_are_refused(self, given: tuple[int, int, int]) -> None:
        values = dict(zip(("gcThresh1", "gcThresh2", "gcThresh3"), given, strict=True))
        with pytest.raises(RefusedError) as refused:
            NeighbourThresholds.read(values, "neighbours")
        (one,) = refused.value.refusals
        assert one.field == "neighbours"
        assert one.given == "{}, {}, {}".format(*given)
        assert one.allowed == "gcThresh1 <= gcThresh2 < gcThresh3"

    @given(st.tuples(*[st.integers(0, 2**31 - 1)] * 3), CEILINGS)
    def test_floors_over_any_image_in_order_stay_in_order(self, image: tuple[int, ...], ceiling: int) -> None:
        first, second, third = sorted(image)
        if second == third:
            second, third = second // 2, third + 1
            first = min(first, second)
        raised = [max(pair) for pair in zip((first, second, third), thresholds(ceiling, "ipv4"), strict=True)]
        assert raised[0] <= raised[1] < raised[2]


class TestRows:
    @pytest.mark.parametrize("rows", [POOL, fixed_machine_rows(1, reuses_addresses=True)])
    def test_every_row_says_why_where_from_and_whose_it_is_and_is_there_once(self, rows: tuple[Sysctl, ...]) -> None:
        assert all(row.why and row.source for row in rows)
        assert {row.scope for row in rows} == {"network namespace", "kernel"}
        assert len({row.key for row in rows}) == len(rows)

    def test_values_are_whole_numbers_as_the_kernel_writes_them(self) -> None:
        for row in POOL:
            assert not isinstance(row.value, bool)
            assert all(number == str(int(number)) for number in str(row.value).split(" ")), row.key

    def test_only_settings_of_the_network_can_be_a_network_namespace_s(self) -> None:
        assert all(row.key.startswith("net.") for row in POOL if row.scope == "network namespace")

    def test_nodes_have_every_setting_that_other_machines_have(self) -> None:
        assert set(fixed_machine_rows(NODES.value, reuses_addresses=False)) < set(POOL)

    def test_a_floor_and_an_exact_value_are_written_apart(self) -> None:
        assert KEYS["net.core.somaxconn"].line == "net.core.somaxconn = 32768\n"
        assert KEYS["vm.panic_on_oom"].line == "vm.panic_on_oom := 0\n"

    def test_boot_data_carries_the_rows_a_line_each(self) -> None:
        files = BootData("node", (), (), POOL).all_files
        (text,) = (file.content for file in files if file.path == SYSCTLS)
        assert text.splitlines(keepends=True) == [row.line for row in POOL]

    def test_the_ceiling_and_not_today_s_nodes_sizes_machines_and_etcd_has_the_same_for_all(self) -> None:
        small, large = ({name: boot.sysctls for name, boot in boots(plan(ceiling=size)).items()} for size in (250, 251))
        changed = {name for name in small if small[name] != large[name]}
        assert changed == {name for name in small if "-etcd-" not in name}


def test_the_documented_rows_are_those_machines_get() -> None:
    assert sysctls.PATH.read_text() == sysctls.text(), "docs/sysctl.md is stale: run `make golden`"


class TestNodes:
    def test_kubelet_finds_exactly_what_it_demands(self) -> None:
        """kubelet 1.37: pkg/kubelet/cm/container_manager_linux.go and component-helpers' node/util/sysctl."""
        demanded = {
            "vm.overcommit_memory": 1,
            "vm.panic_on_oom": 0,
            "kernel.panic": 10,
            "kernel.panic_on_oops": 1,
            "kernel.keys.root_maxkeys": 1_000_000,
            "kernel.keys.root_maxbytes": 25 * 1_000_000,
        }
        assert {key: KEYS[key].value for key in demanded} == demanded
        assert {KEYS[key].rule for key in demanded} == {"exact"}

    def test_kube_proxy_writes_no_setting_that_a_row_has(self) -> None:
        """With maxPerCore 0 it leaves the maximum and the hash as they are; the others it writes by itself."""
        assert kube_proxy_config()["conntrack"]["maxPerCore"] == 0
        timeouts = ("tcp_timeout_established", "tcp_timeout_close_wait", "udp_timeout", "udp_timeout_stream")
        written = {f"net.netfilter.nf_conntrack_{name}" for name in (*timeouts, "tcp_be_liberal")}
        assert not written & KEYS.keys()
        assert "net.ipv4.conf.all.route_localnet" not in KEYS

    def test_the_conntrack_table_is_what_kube_proxy_would_give_a_big_machine(self) -> None:
        most = int(KEYS["net.netfilter.nf_conntrack_max"].value)
        assert most == min(32_768 * 96, 1_048_576)
        assert int(KEYS["net.netfilter.nf_conntrack_buckets"].value) == most // 4

    def test_outgoing_connections_take_neither_a_node_port_nor_a_port_of_the_node_s_own_programs(self) -> None:
        row = KEYS["net.ipv4.ip_local_port_range"]
        first, last = map(int, str(row.value).split())
        assert row.rule == "exact"
        assert 32_767 < first < last
        assert not any(first <= port <= last for port in (2379, 2380, 6443, 10248, 10249, 10250, 10256))

    def test_a_node_forwards_for_its_pods(self) -> None:
        assert (KEYS["net.ipv4.ip_forward"].value, KEYS["net.ipv4.ip_forward"].rule) == (1, "exact")

    def test_of_tcp_s_three_sizes_only_the_largest_is_above_the_kernel_s_default(self) -> None:
        for key, kernel in (("tcp_rmem", (4096, 131_072, 6_291_456)), ("tcp_wmem", (4096, 16_384, 4_194_304))):
            ours = tuple(map(int, str(KEYS[f"net.ipv4.{key}"].value).split()))
            assert ours[:2] == kernel[:2]
            assert ours[2] > kernel[2]


class TestModules:
    def test_every_module_says_why_and_where_from_and_is_there_once(self) -> None:
        assert all(row.why and row.source for row in MODULES)
        assert len({row.name for row in MODULES}) == len(MODULES)

    def test_settings_of_conntrack_have_their_module(self) -> None:
        assert any(row.key.startswith("net.netfilter.nf_conntrack") for row in POOL)
        assert "nf_conntrack" in {row.name for row in MODULES}

    def test_no_setting_of_a_bridge_is_asked_for_and_so_not_its_module(self) -> None:
        assert not any(row.key.startswith("net.bridge.") for row in POOL)
        assert "br_netfilter" not in {row.name for row in MODULES}

    def test_the_file_names_one_module_a_line_in_order(self) -> None:
        lines = [line for line in modules_file(MODULES).splitlines() if not line.startswith("#")]
        assert lines == [row.name for row in MODULES]
