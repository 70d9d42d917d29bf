"""Who signs what for whom, as rows."""

from typing import Any

import pytest

from kilonode.pki.credentials import authorities
from kilonode.pki.kinds import Authority, Certificate, SharedKey, SigningAuthority, files
from kilonode.pki.users import ADMINS, ETCD, FRONT_PROXY, KUBERNETES, NODES, peers
from tests.pki.issued import named
from tests.plans import biggest, credentials, plan


def server_names(number: int = 1, **changes: Any) -> set[str]:
    row = named(credentials(plan(**changes))[f"west-api-{number}"], "kube-apiserver", "server")
    return {*row.names, *row.addresses}


def test_an_api_server_s_certificate_names_exactly_what_clients_dial() -> None:
    planned = plan()
    for number, machine in enumerate(planned.api_servers, start=1):
        assert server_names(number) == {
            "localhost", "127.0.0.1", machine.name, str(machine.address),
            "api.west.internal", str(planned.load_balancer.address),
            "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local",
            "172.20.0.1",
        }  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "gone", "came"),
    [
        ({"network": {"range": "10.64.0.0/14", "domain": "prod.example"}},
         "kubernetes.default.svc.cluster.local", "kubernetes.default.svc.prod.example"),
        ({"network": {"range": "10.64.0.0/14", "services": "192.168.0.0/16"}}, "172.20.0.1", "192.168.0.1"),
        ({"name": "east"}, "api.west.internal", "api.east.internal"),
    ],
)  # fmt: skip
def test_what_clients_dial_and_what_the_certificate_names_change_together(
    changes: dict[str, object], gone: str, came: str
) -> None:
    machine = f"{changes.get('name', 'west')}-api-1"
    row = named(credentials(plan(**changes))[machine], "kube-apiserver", "server")
    assert gone not in {*row.names, *row.addresses}
    assert came in {*row.names, *row.addresses}


def test_another_load_balancer_address_is_another_set_of_names() -> None:
    moved: dict[str, Any] = {"network": {"range": "10.128.0.0/14"}, "nodePools": []}
    assert "10.64.0.4" in server_names()
    assert "10.128.0.4" in server_names(**moved)
    assert "10.64.0.4" not in server_names(**moved)


def test_the_endpoint_clients_are_given_is_in_every_server_s_certificate() -> None:
    planned = biggest()
    host = planned.endpoint.removeprefix("https://").split(":")[0]
    for machine in planned.api_servers:
        assert host in named(credentials(planned)[machine.name], "kube-apiserver", "server").addresses


def test_an_etcd_member_is_known_by_its_own_address_and_as_localhost() -> None:
    planned = plan()
    for cluster in planned.etcd:
        for member in cluster.members:
            row = named(credentials(planned)[member.name], "etcd", "server")
            assert row.addresses == (str(member.address), "127.0.0.1")
            assert row.names == ("localhost", member.name)
            assert row.usages == ("server",)


def test_peers_of_each_etcd_cluster_have_an_authority_of_their_own() -> None:
    planned = biggest()
    signers = {}
    for cluster in planned.etcd:
        rows = [row for member in cluster.members for row in credentials(planned)[member.name]]
        signers[cluster.spec.name] = {row.signer for row in rows if isinstance(row, Certificate) and row.file == "peer"}
        trusted = {row.signer for row in rows if isinstance(row, Authority) and row.file == "peer-ca"}
        assert signers[cluster.spec.name] == trusted == {peers(cluster.spec.name)}
    assert len(set.union(*signers.values())) == len(planned.etcd)


def test_a_member_s_client_certificate_is_nobody_in_another_cluster() -> None:
    planned = biggest()
    for cluster in planned.etcd:
        rows = credentials(planned)[cluster.members[0].name]
        own = next(row for row in rows if isinstance(row, Certificate) and row.file == "client")
        trusted = next(row for row in rows if isinstance(row, Authority) and row.file == "client-ca")
        assert own.signer in trusted.signers
        for other in planned.etcd:
            if other is not cluster:
                theirs = credentials(planned)[other.members[0].name]
                assert own.signer not in next(
                    row.signers for row in theirs if isinstance(row, Authority) and row.file == "client-ca"
                )


def test_every_signer_is_an_authority_of_the_region_and_every_authority_signs_something() -> None:
    planned = biggest()
    rows = [row for rows in credentials(planned).values() for row in rows]
    signed = {row.signer for row in rows if isinstance(row, Certificate)}
    assert signed == set(authorities(planned)) - {NODES}
    assert {row.signer for row in rows if isinstance(row, SigningAuthority)} == {NODES}
    trusted = {signer for row in rows if isinstance(row, Authority) for signer in row.signers}
    assert trusted == set(authorities(planned))
    assert len(set(authorities(planned))) == len(authorities(planned))


def test_etcd_lets_in_api_servers_members_and_the_operator_only() -> None:
    rows = {
        name: rows
        for name, rows in credentials(biggest()).items()
        if any(isinstance(row, Certificate) and row.signer == ETCD for row in rows)
    }
    kinds = {name.removeprefix(f"{biggest().spec.name}-").split("-")[0] for name in rows}
    assert kinds == {"etcd", "api", "operator"}


def test_a_certificate_of_etcd_is_worth_nothing_to_the_api_and_the_other_way_round() -> None:
    for rows in credentials(plan()).values():
        for row in rows:
            if isinstance(row, Certificate):
                is_etcd = row.file in ("peer", "etcd-client") or row.service == "etcd"
                assert is_etcd == row.signer.startswith(ETCD), row


def test_only_the_aggregator_s_client_is_signed_by_the_front_proxy_authority() -> None:
    rows = [
        row
        for rows in credentials(plan()).values()
        for row in rows
        if isinstance(row, Certificate) and row.signer == FRONT_PROXY
    ]
    assert {row.common_name for row in rows} == {"front-proxy-client"}


def test_system_masters_never_leaves_the_api_server_machines() -> None:
    for name, rows in credentials(plan()).items():
        masters = [row for row in rows if isinstance(row, Certificate) and "system:masters" in row.organizations]
        assert [row.service for row in masters] == (["kilonode-bootstrap"] if name.startswith("west-api-") else [])


def test_shared_keys_go_to_api_servers_and_nobody_else() -> None:
    for name, rows in credentials(plan()).items():
        keys = {row.key for row in rows if isinstance(row, SharedKey)}
        assert keys == ({"service-account", "encryption"} if name.startswith("west-api-") else set())


def test_the_key_of_an_authority_is_with_the_approvers_of_api_servers_alone_and_it_is_the_nodes_one() -> None:
    assert files(Authority("etcd", "ca", ETCD)) == ("ca.crt",)
    assert files(SigningAuthority("s", "nodes", NODES)) == ("nodes.crt", "nodes.key")
    for name, rows in credentials(biggest()).items():
        signing = [(row.service, row.signer) for row in rows if isinstance(row, SigningAuthority)]
        assert signing == ([("kilonode-node-approver", NODES)] if "-api-" in name else []), name
        for service in {row.service for row in rows}:
            names = [file for row in rows if row.service == service for file in files(row)]
            assert len(names) == len(set(names))
            assert not [file for file in names if file.endswith("ca.key")]


def test_the_authority_of_nodes_is_trusted_by_api_servers_alone_for_clients_and_for_kubelets() -> None:
    for name, rows in credentials(biggest()).items():
        trusting = {(row.service, row.file) for row in rows if isinstance(row, Authority) and NODES in row.signers}
        servers = {("kube-apiserver", "client-ca"), ("kube-apiserver", "kubelet-ca")}
        assert trusting == (servers if "-api-" in name else set()), name
    rows = credentials(plan())["west-api-1"]
    by_file = {(row.service, row.file): row.signers for row in rows if isinstance(row, Authority)}
    assert by_file["kube-apiserver", "client-ca"] == (KUBERNETES, NODES)
    assert by_file["kube-apiserver", "kubelet-ca"] == (NODES,)


def test_the_operator_is_of_the_group_bound_to_cluster_admin_and_nobody_else_is() -> None:
    of_group = [
        (name, row.common_name)
        for name, rows in credentials(plan()).items()
        for row in rows
        if isinstance(row, Certificate) and ADMINS in row.organizations
    ]
    assert of_group == [("operator", "operator")]


def test_each_simulated_pool_has_a_client_of_its_own() -> None:
    planned = biggest()
    clients = [
        named(credentials(planned)[machine.name], "kwok", "client").common_name for machine in planned.simulators
    ]
    assert len(set(clients)) == len(clients) == len(planned.simulators) > 1


def test_the_load_balancer_knows_a_real_api_server_and_is_nobody_itself() -> None:
    assert credentials(plan())["west-lb-1"] == (Authority("haproxy", "ca", KUBERNETES),)


def test_growth_changes_no_credential_of_a_machine_that_exists() -> None:
    before = credentials(plan())
    after = credentials(
        plan(
            apiServers={"count": 9},
            etcd=[{"name": "main", "members": 7, "bornWith": 3}, {"name": "events", "members": 5, "bornWith": 3}],
        )
    )
    assert {name: after[name] for name in before} == before
