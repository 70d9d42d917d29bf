"""The flags of kube-apiserver."""

import shlex
from typing import Any

import pytest
import yaml

from kilonode.apiserver.boot import api_server_boot
from kilonode.apiserver.flags import etcd_overrides, kube_apiserver_flags
from kilonode.apiserver.settings import PROBE_PATHS, audit_policy, authentication, encryption
from kilonode.pki.kinds import Authority
from kilonode.pki.users import KUBERNETES, NODES
from tests.plans import biggest, credentials, plan

EVENTS_OVERRIDE = "/events#https://10.64.0.132:2379;https://10.64.0.148:2379;https://10.64.0.164:2379"
LEASES_OVERRIDE = (
    "coordination.k8s.io/leases#https://10.64.0.196:2379;https://10.64.0.212:2379;https://10.64.0.228:2379"
)


def flags(number: int = 0, **changes: Any) -> dict[str, str]:
    planned = plan(**changes)
    return dict(
        flag.removeprefix("--").split("=", 1) for flag in kube_apiserver_flags(planned, planned.api_servers[number])
    )


def rows(*names: str) -> list[dict[str, Any]]:
    return [{"name": name, "members": 3} for name in names]


def test_semicolons_stand_between_the_servers_of_an_override() -> None:
    assert etcd_overrides(plan(etcd=rows("main", "events"))) == EVENTS_OVERRIDE


def test_a_comma_stands_between_two_overrides() -> None:
    assert etcd_overrides(plan(etcd=rows("main", "events", "leases"))) == f"{EVENTS_OVERRIDE},{LEASES_OVERRIDE}"


def test_main_is_reached_as_a_list_with_commas_and_is_no_override() -> None:
    assert flags()["etcd-servers"] == "https://10.64.0.68:2379,https://10.64.0.84:2379,https://10.64.0.100:2379"
    assert "10.64.0.68" not in flags()["etcd-servers-overrides"]


def test_a_shell_and_systemd_read_the_same_flags_from_the_environment_file() -> None:
    """Unquoted, the semicolons of an override would end the command."""
    planned = biggest()
    machine = planned.api_servers[0]
    written = next(
        file.content for file in api_server_boot(planned, machine).files if file.path.endswith("kube-apiserver.env")
    )
    assert written.startswith('FLAGS="')
    (assignment,) = shlex.split(written)
    assert tuple(assignment.removeprefix("FLAGS=").split(" ")) == kube_apiserver_flags(planned, machine)


def test_every_server_advertises_an_address_of_its_own_and_never_the_load_balancer_s() -> None:
    planned = plan(apiServers={"count": 9})
    advertised = [flags(number, apiServers={"count": 9})["advertise-address"] for number in range(9)]
    assert advertised == [str(machine.address) for machine in planned.api_servers]
    assert len(set(advertised)) == 9
    assert str(planned.load_balancer.address) not in advertised


def test_servers_of_a_region_differ_in_the_advertised_address_only() -> None:
    one, two = flags(0), flags(1)
    assert {key for key in one if one[key] != two[key]} == {"advertise-address"}


@pytest.mark.parametrize(
    "forbidden",
    ["apiserver-count", "master-count", "bind-address", "token-auth-file", "anonymous-auth", "insecure-port"],
)
def test_no_flag_counts_servers_or_opens_a_side_door(forbidden: str) -> None:
    assert forbidden not in flags()
    assert len(flags()) > 40


def test_a_dead_server_leaves_the_service_kubernetes_by_its_lease() -> None:
    assert flags()["endpoint-reconciler-type"] == "lease"


def test_no_flag_is_given_twice() -> None:
    planned = plan()
    names = [flag.split("=")[0] for flag in kube_apiserver_flags(planned, planned.api_servers[0])]
    assert len(names) == len(set(names))


def test_nodes_and_roles_decide_who_may_do_what() -> None:
    assert flags()["authorization-mode"] == "Node,RBAC"
    assert flags()["enable-admission-plugins"] == "NodeRestriction,DenyServiceExternalIPs"


def test_clients_may_be_nodes_or_kubernetes_own_and_kubelets_are_known_by_the_authority_of_nodes_alone() -> None:
    folder = "/run/credentials/kube-apiserver.service"
    trusted = {
        f"{folder}/{row.file}.crt": row.signers
        for row in credentials(plan())["west-api-1"]
        if isinstance(row, Authority) and row.service == "kube-apiserver"
    }
    assert trusted[flags()["client-ca-file"]] == (KUBERNETES, NODES)
    assert trusted[flags()["kubelet-certificate-authority"]] == (NODES,)


@pytest.mark.parametrize("domain", ["cluster.local", "prod.example"])
def test_tokens_are_issued_under_the_region_s_own_domain(domain: str) -> None:
    network = {"range": "10.64.0.0/14", "domain": domain}
    assert flags(network=network)["service-account-issuer"] == f"https://kubernetes.default.svc.{domain}"


def test_anonymous_requests_see_probe_paths_and_nothing_else() -> None:
    settings: Any = authentication()
    assert [condition["path"] for condition in settings["anonymous"]["conditions"]] == list(PROBE_PATHS)
    assert set(PROBE_PATHS) == {"/livez", "/readyz", "/healthz"}


def test_secrets_are_encrypted_by_the_first_provider_and_old_plain_ones_stay_readable() -> None:
    settings: Any = encryption("a" * 43 + "=")
    (resources,) = settings["resources"]
    assert resources["resources"] == ["secrets"]
    assert [next(iter(provider)) for provider in resources["providers"]] == ["secretbox", "identity"]


def test_the_audit_log_never_holds_the_body_of_a_request() -> None:
    policy: Any = audit_policy()
    assert {rule["level"] for rule in policy["rules"]} == {"None", "Metadata"}
    assert policy["rules"][-1] == {"level": "Metadata"}


def test_changes_of_secrets_are_kept_in_the_audit_log_whoever_makes_them() -> None:
    """A rule above that is silent about all resources must be about reads only."""
    policy: Any = audit_policy()
    named = [[name for group in rule.get("resources", []) for name in group["resources"]] for rule in policy["rules"]]
    kept = next(index for index, names in enumerate(named) if "secrets" in names)
    assert policy["rules"][kept]["level"] == "Metadata"
    for rule, silent_about in zip(policy["rules"][:kept], named, strict=False):
        assert "secrets" not in silent_about
        assert silent_about or "nonResourceURLs" in rule or set(rule["verbs"]) <= {"get", "list", "watch"}


def test_settings_are_plain_yaml_values() -> None:
    for value in (authentication(), encryption("x"), audit_policy()):
        assert yaml.safe_load(yaml.safe_dump(value)) == value
