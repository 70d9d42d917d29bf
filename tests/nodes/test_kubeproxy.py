"""What kube-proxy is told."""

from typing import Any

from kilonode.nodes.kubeproxy import CLIENT, CONNTRACK, kube_proxy_config


def config() -> Any:
    return kube_proxy_config()


def test_services_are_rules_of_nftables() -> None:
    assert config()["mode"] == "nftables"
    assert not {"iptables", "ipvs"} & set(config())


def test_traffic_is_a_pod_s_where_it_comes_from_a_pod_s_link() -> None:
    """Pods' addresses are slices of one flat range, so no range says which are this node's."""
    assert config()["detectLocalMode"] == "InterfaceNamePrefix"
    assert config()["detectLocal"] == {"interfaceNamePrefix": "veth"}
    assert "clusterCIDR" not in config()


def test_the_machine_s_own_limit_of_connections_stands() -> None:
    """Case N05: a count per core overwrites the sysctl; 0 leaves it, and the minimum counts only beside it."""
    assert (config()["conntrack"]["maxPerCore"], config()["conntrack"]["min"]) == (0, 0)


def test_metrics_are_for_the_machine_and_health_for_the_cloud() -> None:
    assert config()["metricsBindAddress"].startswith("127.0.0.1:")
    assert config()["healthzBindAddress"].startswith("0.0.0.0:")
    assert config()["enableProfiling"] is False


def test_node_ports_are_open_on_the_node_s_own_address_only() -> None:
    assert config()["nodePortAddresses"] == ["primary"]


def test_it_has_a_client_of_its_own() -> None:
    assert config()["clientConnection"]["kubeconfig"] == "/etc/kubernetes/kube-proxy.kubeconfig"


def test_every_tuned_number_says_why_and_whence() -> None:
    for rows, section in ((CLIENT, config()["clientConnection"]), (CONNTRACK, config()["conntrack"])):
        assert all(section[row.key] == row.value and len(row.why) > 8 and row.source for row in rows)
