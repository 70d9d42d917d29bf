from typing import Any

import pytest

from kilonode.clouds.local.host import names, netns
from kilonode.clouds.local.network import NetworkProvider, network_spec
from kilonode.refusal import RefusedError

GOOD: dict[str, Any] = {
    "region": "west",
    "ranges": ["10.251.0.0/16"],
    "gateway": "10.251.0.1/16",
    "host_address": "10.251.0.2/16",
}


def test_a_sound_network_is_taken() -> None:
    assert str(network_spec(GOOD).gateway) == "10.251.0.1/16"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("region", "West"),
        ("ranges", ["10.251.0.1/16"]),
        ("ranges", ["ten"]),
        ("gateway", "10.252.0.1/16"),
        ("gateway", "10.251.0.300/16"),
        ("host_address", "192.168.0.1/16"),
        ("host_address", "10.251.0.1/16"),
    ],
)
def test_a_malformed_network_is_refused_by_its_field(field: str, value: object) -> None:
    with pytest.raises(RefusedError) as refused:
        network_spec({**GOOD, field: value})
    assert refused.value.refusals[0].field == field


def test_a_range_the_host_already_reaches_is_refused_with_the_way_it_is_reached(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    routes = [{"dst": "default", "dev": "eth0"}, {"dst": "10.251.4.0/24", "dev": "vpn0"}]
    monkeypatch.setattr(netns, "_ip", lambda _arguments: routes)
    with pytest.raises(RefusedError, match=r"10\.251\.4\.0/24 through vpn0"):
        netns.refuse_overlaps(network_spec(GOOD))


def test_a_regions_own_routes_do_not_speak_against_it(monkeypatch: pytest.MonkeyPatch) -> None:
    routes = [{"dst": "10.251.0.0/16", "dev": names.host_link("west")}]
    monkeypatch.setattr(netns, "_ip", lambda _arguments: routes)
    netns.refuse_overlaps(network_spec(GOOD))


def test_an_overlap_fails_the_check_before_anything_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(netns, "_ip", lambda _arguments: [{"dst": "10.0.0.0/8", "dev": "eth1"}])
    failures = NetworkProvider().check({}, dict(GOOD)).failures
    assert [failure.property for failure in failures] == ["ranges"]
    assert all(word in failures[0].reason for word in ("given", "allowed", "why", "fix"))
