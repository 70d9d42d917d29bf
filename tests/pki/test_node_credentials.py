"""What a node holds before it has joined, and what the approver makes of it."""

from ipaddress import IPv4Network

import pytest
from pydantic_core import PydanticCustomError

from kilonode.pki.credentials import node_credentials, unplanned_pool_credentials
from kilonode.pki.issue import issue, new_authority
from kilonode.pki.kinds import Certificate, SharedKey, files
from kilonode.pki.users import JOINING, KUBERNETES
from tests.apiserver import approver
from tests.pki.issued import named
from tests.plans import credentials, plan


def test_a_node_is_known_before_it_joins_by_its_name_its_pool_and_its_address() -> None:
    planned = plan()
    (pool,) = planned.machine_pools
    rows = node_credentials(pool.spec.name, pool.nodes[1].name, pool.nodes[1].address)
    row = named(rows, "kubelet", "bootstrap")
    assert row.common_name == "kilonode:joining:west-workers-00001"
    assert row.organizations == (
        "kilonode:joining",
        "kilonode:pool:workers",
        f"kilonode:address:{pool.nodes[1].address}",
    )
    assert (row.signer, row.usages, row.names, row.addresses) == (KUBERNETES, ("client",), (), ())


def test_a_machine_of_a_pool_whose_cloud_chooses_is_known_by_the_names_and_the_range_it_may_have() -> None:
    rows = unplanned_pool_credentials("workers", "west-workers-", IPv4Network("10.66.0.0/16"), folder="pool")
    row = named(rows, "pool/kubelet", "bootstrap")
    assert row.common_name == "kilonode:joining:workers"
    assert row.organizations == (
        "kilonode:joining",
        "kilonode:pool:workers",
        "kilonode:names:west-workers-",
        "kilonode:range:10.66.0.0/16",
    )
    (pool,) = plan().machine_pools
    planned = node_credentials("workers", pool.nodes[0].name, pool.nodes[0].address, folder="pool")
    assert [(each.service, files(each)) for each in rows] == [(each.service, files(each)) for each in planned]


def test_what_the_approver_makes_of_a_credential_is_what_it_says() -> None:
    (pool,) = plan().machine_pools
    node, space = pool.nodes[1], IPv4Network("10.66.0.0/16")
    given = "west-workers-0000000a"
    for rows, name, place in (
        (node_credentials("workers", node.name, node.address), node.name, node.address),
        (unplanned_pool_credentials("workers", "west-workers-", space), given, space),
    ):
        row = named(rows, "kubelet", "bootstrap")
        who = {"username": row.common_name, "groups": [*row.organizations, "system:authenticated"]}
        asked = approver.requests.read(approver.spec(approver.CLIENT, who), approver.csr(approver.named(name)))
        found = approver.requester.Requester.of(asked)
        assert (found.node, found.pool, found.place, found.joined) == (name, "workers", place, None)


@pytest.mark.parametrize("prefix", ["", "West-", "1-", "a_", "a" * 47, "-a"])
def test_a_prefix_no_node_s_name_can_have_is_refused(prefix: str) -> None:
    with pytest.raises(PydanticCustomError, match="lower-case letter"):
        unplanned_pool_credentials("workers", prefix, IPv4Network("10.66.0.0/16"))


def test_the_longest_prefix_still_makes_a_certificate() -> None:
    rows = unplanned_pool_credentials("a" * 20, "a" * 44, IPv4Network("255.255.255.255/32"))
    assert issue(named(rows, "kubelet", "bootstrap"), new_authority("x"))


def test_nobody_but_a_node_that_is_to_join_may_join() -> None:
    joining = {
        name
        for name, rows in credentials(plan()).items()
        for row in rows
        if isinstance(row, Certificate) and (JOINING in row.organizations or row.common_name.startswith(JOINING))
    }
    assert joining == {"west-workers-00000", "west-workers-00001"}


def test_a_node_holds_the_certificate_of_no_authority_but_kubernetes_and_no_server_certificate() -> None:
    for name in ("west-workers-00000", "west-workers-00001"):
        rows = credentials(plan())[name]
        assert {row.signer for row in rows if not isinstance(row, SharedKey)} == {KUBERNETES}
        assert {row.usages for row in rows if isinstance(row, Certificate)} == {("client",)}
        assert {row.service for row in rows} == {"kubelet", "kube-proxy"}


def test_a_folder_stands_before_every_service_of_a_node() -> None:
    (pool,) = plan().machine_pools
    node = pool.nodes[0]
    plain = node_credentials(pool.spec.name, node.name, node.address)
    below = node_credentials(pool.spec.name, node.name, node.address, folder=node.name)
    assert [row.service for row in below] == [f"{node.name}/{row.service}" for row in plain]
