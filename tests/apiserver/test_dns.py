"""Cluster DNS as the objects the API servers apply."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilonode.apiserver import dns
from kilonode.limits import NODES
from kilonode.nodes.images import COREDNS
from kilonode.nodes.simulated import TAINT
from tests import plans


def object_of(kind: str, **changes: Any) -> Any:
    plan = plans.plan(**changes)
    return next(each for each in dns.objects(plan.spec.network, plan.spec.ceiling) if each["kind"] == kind)


def pod() -> Any:
    return object_of("Deployment")["spec"]["template"]["spec"]


def test_dns_is_at_the_tenth_address_of_the_service_range() -> None:
    network = {"range": "10.64.0.0/14", "services": "192.168.128.0/17"}
    assert object_of("Service", network=network)["spec"]["clusterIP"] == "192.168.128.10"


@pytest.mark.parametrize(("ceiling", "servers"), [(1, 2), (1_024, 2), (1_025, 3), (2_500, 5), (7_500, 15)])
def test_servers_follow_the_ceiling(ceiling: int, servers: int) -> None:
    assert dns.replicas(ceiling) == servers
    assert object_of("Deployment", ceiling=max(ceiling, 100))["spec"]["replicas"] == dns.replicas(max(ceiling, 100))


@given(st.integers(1, NODES.value - 1))
def test_a_higher_ceiling_never_has_fewer_servers(ceiling: int) -> None:
    assert 2 <= dns.replicas(ceiling) <= dns.replicas(ceiling + 1)


def test_no_two_servers_share_a_machine_and_zones_are_a_wish() -> None:
    (apart,) = pod()["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert (apart["topologyKey"], apart["labelSelector"]) == ("kubernetes.io/hostname", {"matchLabels": dns.LABELS})
    # Else the servers of a new version would wait for machines without an old one.
    assert apart["matchLabelKeys"] == ["pod-template-hash"]
    (even,) = pod()["topologySpreadConstraints"]
    assert (even["topologyKey"], even["whenUnsatisfiable"]) == ("topology.kubernetes.io/zone", "ScheduleAnyway")


def test_no_server_lands_on_a_simulated_node() -> None:
    assert TAINT["key"] not in {each.get("key") for each in pod()["tolerations"]}
    assert all("key" in each for each in pod()["tolerations"])


def test_the_server_is_the_preloaded_image_and_has_no_right_but_to_bind_its_port() -> None:
    server = pod()["containers"][0]
    assert server["image"] == COREDNS
    assert server["securityContext"]["capabilities"] == {"add": ["NET_BIND_SERVICE"], "drop": ["ALL"]}
    assert server["readinessProbe"]["httpGet"]["port"] == dns.READY


def test_its_own_pod_asks_the_nodes_resolver_and_not_itself() -> None:
    assert pod()["dnsPolicy"] == "Default"


def test_it_serves_the_regions_domain() -> None:
    network = {"range": "10.64.0.0/14", "domain": "train.example"}
    assert "kubernetes train.example " in object_of("ConfigMap", network=network)["data"]["Corefile"]
