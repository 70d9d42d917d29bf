"""Controller manager and scheduler talk to the API server of their own machine, everyone else to the load balancer."""

from typing import Any

import pytest
import yaml

from kilonode.apiserver.controllers import LOCAL_API, controller_manager_flags, scheduler_config, scheduler_flags
from kilonode.boot.image import machine_image
from kilonode.boot.kubeconfig import kubeconfig
from kilonode.boot.machine import File
from tests.plans import boots, plan


def kubeconfigs(files: tuple[File, ...]) -> dict[str, Any]:
    return {file.path: yaml.safe_load(file.content) for file in files if file.path.endswith(".kubeconfig")}


def server_of(config: dict[str, Any]) -> str:
    (cluster,) = config["clusters"]
    return str(cluster["cluster"]["server"])


def test_every_kubeconfig_of_a_control_plane_machine_points_at_its_own_server() -> None:
    planned = plan()
    in_boot_data = [kubeconfigs(boots(planned)[machine.name].files) for machine in planned.api_servers]
    assert in_boot_data == [{}, {}, {}]
    found = kubeconfigs(machine_image().files)
    assert set(found) == {
        f"/etc/kubernetes/{service}.kubeconfig"
        for service in ("kube-controller-manager", "kube-scheduler", "kilonode-bootstrap")
    }
    assert {server_of(config) for config in found.values()} == {"https://127.0.0.1:6443"}


def test_the_load_balancer_s_address_is_in_no_boot_data_of_an_api_server() -> None:
    planned = plan()
    for machine in planned.api_servers:
        for file in boots(planned)[machine.name].all_files:
            assert f"{planned.load_balancer.address}:" not in file.content
            assert f"//{planned.load_balancer.address}" not in file.content


def test_the_simulator_s_kubeconfig_points_at_the_load_balancer() -> None:
    planned = plan()
    found = kubeconfigs(boots(planned)[planned.simulators[0].name].files)
    assert {server_of(config) for config in found.values()} == {planned.endpoint}
    assert len(found) == 1


def test_a_kubeconfig_names_its_credentials_by_path_and_holds_none() -> None:
    config: Any = kubeconfig("kube-scheduler", LOCAL_API)
    assert not any(key.endswith("-data") or key in ("token", "password") for key in config["users"][0]["user"])
    assert config["users"][0]["user"]["client-key"] == "/run/credentials/kube-scheduler.service/client.key"
    assert config["clusters"][0]["cluster"]["certificate-authority"] == "/run/credentials/kube-scheduler.service/ca.crt"


def test_copies_stand_by_for_each_other_by_leader_election() -> None:
    config: Any = scheduler_config(plan())
    assert config["leaderElection"] == {"leaderElect": True}
    assert "--leader-elect=true" in controller_manager_flags(plan())


def test_no_controller_hands_out_pod_ranges_or_signs_certificates() -> None:
    flags = controller_manager_flags(plan())
    assert "--allocate-node-cidrs=false" in flags
    controllers = next(flag for flag in flags if flag.startswith("--controllers="))
    assert "-certificatesigningrequest-signing-controller" in controllers
    assert not any("cluster-signing" in flag for flag in flags)


@pytest.mark.parametrize(("ceiling", "qps"), [(100, 100), (1000, 200), (10_000, 500)])
def test_both_may_ask_more_often_in_bigger_regions(ceiling: int, qps: int) -> None:
    planned = plan(ceiling=ceiling)
    config: Any = scheduler_config(planned)
    assert f"--kube-api-qps={qps}" in controller_manager_flags(planned)
    assert config["clientConnection"]["qps"] == qps
    assert config["clientConnection"]["burst"] > qps


def test_the_scheduler_reads_its_configuration_where_boot_data_puts_it() -> None:
    planned = plan()
    (path,) = [flag.removeprefix("--config=") for flag in scheduler_flags() if flag.startswith("--config=")]
    assert path in {file.path for file in boots(planned)[planned.api_servers[0].name].files}
