"""What benchmarks make of figures: a wrong p99 or a wrong comparison would praise a slow region."""

import math
from collections import Counter

import pytest

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
