"""What benchmarks make of figures: a wrong p99 or a wrong comparison would praise a slow region."""

import math
from collections import Counter

import pytest

from benchmarks import policy_pack
from benchmarks.azure_preview import preview_times
from benchmarks.bare_program import bare_program
from benchmarks.latency import Kind, between, count, quantile, read, together
from benchmarks.result import Result

LINE = (
    'apiserver_request_duration_seconds_bucket{{component="apiserver",dry_run="",group="coordination.k8s.io",resource="leases",'
    'scope="{scope}",subresource="",verb="{verb}",version="v1",le="{edge}"}} {number}\n'
)
RENEWAL = Kind("PUT", "resource", "leases")


def metrics(verb: str = "PUT", scope: str = "resource", **numbers: int) -> str:
    edges = {"fast": "0.1", "slow": "0.3", "all": "+Inf"}
    return "".join(
        LINE.format(verb=verb, scope=scope, edge=edges[name], number=number) for name, number in numbers.items()
    )


def test_what_came_meanwhile_is_counted_and_nothing_before_it() -> None:
    before, after = metrics(fast=50, slow=50, all=90), metrics(fast=51, slow=52, all=93)
    (buckets,) = between(read(before), read(after)).values()
    assert buckets == Counter({0.1: 1, 0.3: 2, math.inf: 3})


def test_a_server_that_started_anew_is_no_measurement() -> None:
    old, new = read(metrics(fast=50, slow=50, all=50)), read(metrics(fast=1, slow=1, all=1))
    with pytest.raises(ValueError, match="anew"):
        between(old, new)
    with pytest.raises(ValueError, match="anew"):
        between(old, {})


def test_requests_that_last_as_long_as_clients_like_are_left_out() -> None:
    text = metrics("WATCH", all=7) + metrics("CONNECT", all=7) + metrics(all=1)
    assert list(read(text)) == [RENEWAL]


def test_a_quantile_lies_in_its_bucket_in_proportion() -> None:
    buckets = Counter({0.1: 90, 0.3: 100, math.inf: 100})
    assert quantile(0.99, buckets) == pytest.approx(0.28)
    assert quantile(0.45, buckets) == pytest.approx(0.05)


def test_a_quantile_beyond_the_last_edge_is_that_edge_and_of_nothing_zero() -> None:
    assert quantile(0.99, Counter({0.1: 1, 0.3: 1, math.inf: 100})) == 0.3
    assert quantile(0.99, Counter()) == 0


def test_histograms_of_two_servers_are_one() -> None:
    assert count(together([Counter({math.inf: 3}), Counter({math.inf: 4})])) == 7


@pytest.mark.parametrize(
    ("bound", "figure", "met"), [("≤", 2.0, True), ("≤", 2.1, False), ("≥", 2.0, True), ("≥", 1.9, False)]
)
def test_a_goal_is_met_from_its_own_side(bound: str, figure: float, met: bool) -> None:
    result = Result("ratio", figure, 2.0, "×", "detail", bound)  # type: ignore[arg-type]
    assert result.met is met
    assert f"goal {bound} 2×" in str(result)


GROUP = {"urn": "urn:a::p::azure-native:resources:ResourceGroup::g", "type": "azure-native:resources:ResourceGroup",
         "id": "/Subscriptions/0/g", "inputs": {"resourceGroupName": "g", "__defaults": []}}  # fmt: skip
SUBNET = {"urn": "urn:a::p::azure-native:network:Subnet::s", "type": "azure-native:network:Subnet",
          "id": "/subscriptions/0/g/s", "inputs": {"natGateway": {"id": "/subscriptions/0/g/x"}, "size": 2.0}}  # fmt: skip
KEY = {"urn": "urn:a::p::pulumi-python:dynamic/pki:Key::k", "type": "pulumi-python:dynamic/pki:Key", "id": "k",
       "inputs": {"__provider": "gASV", "key": {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
                                                "plaintext": '"abc"'}}}  # fmt: skip


def last(*resources: dict[str, object]) -> str:
    """The statement of the last resource, on one line."""
    program = bare_program(resources)
    compile(program, "program", "exec")
    return "".join(line.strip() for line in program.partition(f"r{len(resources) - 1} = ")[2].splitlines())


def test_a_bare_program_has_the_inputs_that_somebody_would_type() -> None:
    assert last(GROUP) == "azure.resources.ResourceGroup('g',resource_group_name='g',opts=None,)"


def test_an_id_in_a_bare_program_is_the_output_of_its_resource_whatever_its_case() -> None:
    assert "nat_gateway={'id': pulumi.Output.concat(r0.id, '/x'), }, size=2," in last(GROUP, SUBNET).replace(
        ",s", ", s"
    )


def test_a_bare_program_waits_for_what_it_does_not_name_and_only_for_the_last_of_a_chain() -> None:
    named = {**SUBNET, "dependencies": [GROUP["urn"]]}
    assert "depends_on" not in last(GROUP, named)
    after = {**KEY, "dependencies": [GROUP["urn"], SUBNET["urn"]]}
    assert "depends_on=[r1]" in last(GROUP, named, after)


def test_a_secret_stays_one_in_a_bare_program_and_nothing_of_a_dynamic_provider_is_left() -> None:
    assert last(KEY) == "Dynamic0(Provider(), 'k', {'key': pulumi.Output.secret(\"abc\")}, None)"


def test_components_are_no_part_of_a_bare_program() -> None:
    assert "Region" not in bare_program(
        [{"urn": "urn:a::p::kilonode:index:Region::r", "type": "kilonode:index:Region"}]
    )


def test_a_ratio_compares_medians() -> None:
    _, ratio = preview_times([10, 12, 90], [9, 8, 1], 261)
    assert (ratio.figure, ratio.met) == (1.5, True)


def test_the_pack_is_compared_with_the_same_preview_without_it() -> None:
    result = policy_pack.ratio([10, 13, 90], [8, 10, 12], 1.0)
    assert (result.figure, result.met) == (1.3, False)
