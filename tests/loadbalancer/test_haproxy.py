"""The load balancer's configuration."""

import re

import pytest

from kilonode.apiserver.probe import PROBE
from kilonode.loadbalancer.haproxy import PATH, load_balancer_boot
from kilonode.region.plan import RegionPlan
from tests.plans import plan


def text(of: RegionPlan) -> str:
    return next(file.content for file in load_balancer_boot(of).files if file.path == PATH)


@pytest.mark.parametrize("count", [1, 5, 9])
def test_every_api_server_is_a_backend_under_its_own_name_and_address(count: int) -> None:
    planned = plan(apiServers={"count": count})
    servers = re.findall(r"^    server (\S+) (\S+)$", text(planned), flags=re.MULTILINE)
    assert servers == [(machine.name, f"{machine.address}:6443") for machine in planned.api_servers]


def test_it_listens_on_its_planned_address_only() -> None:
    planned = plan()
    assert re.findall(r"^    bind (.+)$", text(planned), flags=re.MULTILINE) == [
        f"{planned.load_balancer.address}:6443"
    ]


def test_a_server_is_probed_for_readiness_over_tls_that_is_verified() -> None:
    assert f"http-check send meth GET uri {PROBE} ver" in text(plan())
    (default,) = re.findall(r"^    default-server (.+)$", text(plan()), flags=re.MULTILINE)
    assert "check-ssl verify required ca-file /run/credentials/haproxy.service/ca.crt" in default
    assert "verify none" not in text(plan())


def test_a_dead_server_is_out_within_the_five_seconds_a_client_may_wait() -> None:
    (default,) = re.findall(r"^    default-server (.+)$", text(plan()), flags=re.MULTILINE)
    inter, fall = re.search(r"inter (\d+)s fall (\d+)", default).groups()  # type: ignore[union-attr]
    assert int(inter) * int(fall) < 5
    assert "on-marked-down shutdown-sessions" in default


def test_tls_passes_through_untouched() -> None:
    """The API server has to see the client's certificate itself."""
    assert "\n    mode tcp\n" in text(plan())
    assert not re.search(r"bind .* ssl|mode http", text(plan()))


def test_a_watch_may_be_quiet_for_an_hour() -> None:
    assert "timeout client 1h\n" in text(plan())
    assert "timeout server 1h\n" in text(plan())


def test_nothing_but_haproxy_runs_on_the_machine() -> None:
    assert load_balancer_boot(plan()).units == ("haproxy.service",)
