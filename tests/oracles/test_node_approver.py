"""The approver beside a living API server: who becomes a node, who stays waiting and is told why, and who takes over."""

import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from cryptography import x509

from kilonode.boot.secrets import delivered
from kilonode.pki.credentials import node_credentials, simulator_credentials
from tests.apiserver.odd_requests import EXTENSIONS, empty_extensions
from tests.oracles.control_plane import ControlPlane
from tests.oracles.machine import Running, below, wait_for
from tests.oracles.nodes import (
    CLIENT,
    LABEL,
    NODES,
    REQUESTS,
    SERVING,
    Identity,
    Node,
    Unplanned,
    refused,
    said,
    signed,
    state,
)
from tests.oracles.unit import Unit

pytestmark = [pytest.mark.tools, pytest.mark.region]

SERVICE = "kilonode-node-approver"
LEASE = f"/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/{SERVICE}"
MERGE = "application/merge-patch+json"


@contextmanager
def running(plane: ControlPlane) -> Iterator[Running]:
    """One more approver, from its very unit."""
    made = Unit(plane.machines["api"], SERVICE).start()
    try:
        yield made
    finally:
        if made.process.poll() is None:
            made.kill()
    assert "Traceback" not in made.text(), made.text()
    assert "PRIVATE" not in made.text()


@contextmanager
def pair(plane: ControlPlane) -> Iterator[tuple[Running, Running]]:
    """An approver that leads, and one that stands by."""
    with running(plane) as first:
        leads(first)
        with running(plane) as second:
            stands_by(second)
            yield first, second


def leads(approver: Running) -> None:
    approver.until(lambda: "holds the lease" in approver.text(), "the lease")


def signed_by(approver: Running) -> list[str]:
    """The nodes whose certificates it says that it has signed."""
    return re.findall(r"^signed system:node:(\S+)", approver.text(), re.MULTILINE)


def stands_by(approver: Running) -> None:
    approver.until(lambda: "stands by for" in approver.text(), "another's lease")


@pytest.fixture(scope="module")
def approver(plane: ControlPlane) -> Iterator[Running]:
    """An approver that leads; the nodes it has let in go with it."""
    with running(plane) as made:
        leads(made)
        yield made
    for node in plane.get(NODES)["items"]:
        if node["metadata"]["name"].startswith("small-workers-"):
            plane.curl(f"{NODES}/{node['metadata']['name']}", "-X", "DELETE")


@pytest.fixture
def node(plane: ControlPlane, approver: Running, request: pytest.FixtureRequest) -> Node:
    """A node that no other test speaks of."""
    names = [item.nodeid for item in request.session.items]
    return Node(plane, 10 + names.index(request.node.nodeid) % 80)


class TestJoining:
    def test_a_machine_becomes_the_node_of_its_credential_with_the_groups_of_its_pool_and_address(
        self, node: Node
    ) -> None:
        assert node.bootstrap.who()[0] == f"kilonode:joining:{node.name}"
        begin = int(time.time())
        user, groups = node.join().who()
        assert user == f"system:node:{node.name}"
        assert groups in [node.groups(moment) for moment in range(begin, int(time.time()) + 1)]

    def test_the_certificate_lasts_30_days_and_is_by_the_authority_of_nodes(
        self, plane: ControlPlane, node: Node
    ) -> None:
        made = x509.load_pem_x509_certificate(signed(plane, node.bootstrap.ask(CLIENT, node.csr())).encode())
        authority = x509.load_pem_x509_certificate(plane.machines["api"].read(delivered(SERVICE, "nodes.crt")).encode())
        made.verify_directly_issued_by(authority)
        assert 29 < (made.not_valid_after_utc - made.not_valid_before_utc).total_seconds() / 86400 < 30.01

    def test_it_lasts_less_when_less_is_asked_for(self, plane: ControlPlane, node: Node) -> None:
        asked = node.bootstrap.ask(CLIENT, node.csr(), expirationSeconds=3600)
        made = x509.load_pem_x509_certificate(signed(plane, asked).encode())
        assert (made.not_valid_after_utc - made.not_valid_before_utc).total_seconds() == 3600 + 300

    def test_another_name_is_not_given(self, plane: ControlPlane, node: Node) -> None:
        other = Node(plane, 1)
        asked = node.bootstrap.ask(CLIENT, node.csr(name=f"system:node:{other.name}"))
        assert f"this credential is for system:node:{node.name} of system:nodes alone" in refused(plane, asked)

    def test_another_pool_s_name_is_not_given(self, plane: ControlPlane, node: Node) -> None:
        asked = node.bootstrap.ask(CLIENT, node.csr(name="system:node:small-other-00001"))
        assert "this credential is for" in refused(plane, asked)

    @pytest.mark.parametrize("group", ["kilonode:admins", "kilonode:pool:other"])
    def test_another_group_is_not_given(self, plane: ControlPlane, node: Node, group: str) -> None:
        assert "this credential is for" in refused(plane, node.bootstrap.ask(CLIENT, node.csr(organization=group)))

    @pytest.mark.parametrize("attribute", EXTENSIONS)
    def test_a_request_the_parser_panics_at_is_refused_and_others_are_settled(
        self, plane: ControlPlane, approver: Running, node: Node, attribute: str
    ) -> None:
        odd = node.bootstrap.ask(CLIENT, empty_extensions(node.name, attribute))
        if odd["kind"] == "CertificateSigningRequest":  # else the API server knows better
            refused(plane, odd)
        assert node.join().who()[0] == f"system:node:{node.name}"
        assert approver.process.poll() is None

    def test_a_machine_makes_no_large_request_and_none_to_another_signer(self, node: Node) -> None:
        many = node.csr(names=tuple(f"name-{number:05}.example.com" for number in range(600)))
        large = node.bootstrap.ask(CLIENT, many)
        assert (large["code"], "at most 8192 bytes" in large["message"]) == (403, True), large
        other = node.bootstrap.ask("kubernetes.io/kube-apiserver-client", node.csr())
        assert (other["code"], "is not for machines" in other["message"]) == (403, True), other

    def test_alternative_names_and_usages_of_a_server_are_not_given(self, plane: ControlPlane, node: Node) -> None:
        named = node.bootstrap.ask(CLIENT, node.csr(addresses=(node.address,)))
        assert "no alternative names" in refused(plane, named)
        serving = node.bootstrap.ask(CLIENT, node.csr(), usages=["digital signature", "server auth"])
        assert "usages" in refused(plane, serving)

    def test_a_machine_that_has_not_joined_serves_nothing(self, plane: ControlPlane, node: Node) -> None:
        asked = node.bootstrap.ask(SERVING, node.csr(names=(node.name,), addresses=(node.address,)))
        assert "has not joined" in refused(plane, asked)

    def test_a_credential_is_used_up_while_its_node_exists_and_the_waiting_machine_joins_once_it_is_deleted(
        self, plane: ControlPlane, node: Node
    ) -> None:
        plane.send("POST", NODES, node.document())
        asked = node.bootstrap.ask(CLIENT, node.csr())
        assert f"the Node {node.name} exists" in refused(plane, asked)
        plane.curl(f"{NODES}/{node.name}", "-X", "DELETE")
        assert node.identity(signed(plane, asked)).who()[0] == f"system:node:{node.name}"
        assert len(said(plane, asked)) == 1

    def test_a_second_machine_with_the_same_credential_is_not_let_in(self, plane: ControlPlane, node: Node) -> None:
        node.join()
        assert "within two minutes" in refused(plane, node.bootstrap.ask(CLIENT, node.csr()))

    def test_of_many_requests_at_once_with_one_credential_one_is_approved(
        self, plane: ControlPlane, node: Node
    ) -> None:
        asked = [node.bootstrap.ask(CLIENT, node.csr()) for _ in range(12)]
        wait_for(lambda: any("certificate" in state(plane, each)["status"] for each in asked), "one certificate")
        wait_for(lambda: any(said(plane, each) for each in asked), "an Event")
        assert Node(plane, 3).join()  # what comes later is settled
        assert sum(bool(state(plane, each)["status"]) for each in asked) == 1
        told = [reason for each in asked for reason in said(plane, each)]
        assert len(told) == len(set(told)) > 0

    def test_whoever_floods_it_is_told_little_and_keeps_nobody_waiting(self, plane: ControlPlane, node: Node) -> None:
        begin = time.monotonic()
        asked = [node.bootstrap.ask(CLIENT, node.csr(name=f"system:node:x{number}")) for number in range(40)]
        assert Node(plane, 4).join()
        assert node.join()

        def told() -> int:
            return sum(len(said(plane, each)) for each in asked)

        wait_for(lambda: told() >= 10, "ten Events")
        count = told()
        assert count <= 10 * (1 + int((time.monotonic() - begin) // 60)), "ten in each minute"
        assert not any(state(plane, each)["status"] for each in asked)

    def test_a_person_may_approve_a_second_use(self, plane: ControlPlane, node: Node) -> None:
        plane.send("POST", NODES, node.document())
        asked = node.bootstrap.ask(CLIENT, node.csr())
        assert "exists" in refused(plane, asked)
        decide(plane, asked, "Approved")
        assert node.identity(signed(plane, asked)).who()[0] == f"system:node:{node.name}"

    def test_but_no_person_may_approve_another_name(self, plane: ControlPlane, node: Node) -> None:
        asked = node.bootstrap.ask(CLIENT, node.csr(name="system:node:small-workers-00001"))
        assert "this credential is for" in refused(plane, asked)
        decide(plane, asked, "Approved")
        assert Node(plane, 2).join()  # what comes later is settled
        assert "certificate" not in state(plane, asked)["status"]

    def test_what_a_person_has_denied_is_left_alone(self, plane: ControlPlane, node: Node) -> None:
        plane.send("POST", NODES, node.document())
        asked = node.bootstrap.ask(CLIENT, node.csr())
        assert "exists" in refused(plane, asked)
        decide(plane, asked, "Denied")
        plane.curl(f"{NODES}/{node.name}", "-X", "DELETE")
        later = node.bootstrap.ask(CLIENT, node.csr())
        assert signed(plane, later)
        assert "certificate" not in state(plane, asked)["status"]


def decide(plane: ControlPlane, request: Any, word: str) -> None:
    """Approve or deny as the operator."""
    whole = state(plane, request)
    reason = {"type": word, "status": "True", "reason": "Person", "message": "by hand"}
    whole["status"]["conditions"] = [*whole["status"].get("conditions", []), reason]
    plane.send("PUT", f"{REQUESTS}/{request['metadata']['name']}/approval", whole)


class TestNode:
    """What a node may ask for with its own identity."""

    def test_it_renews_its_identity_while_its_node_exists(self, plane: ControlPlane, node: Node) -> None:
        own = node.join()
        before = own.who()
        waiting = own.ask(CLIENT, node.csr())
        assert f"there is no Node {node.name}" in refused(plane, waiting)
        assert own.call("POST", NODES, node.document())["kind"] == "Node"
        renewed = node.identity(signed(plane, waiting))
        assert renewed.who() == before
        again = renewed.ask(CLIENT, node.csr())
        assert node.identity(signed(plane, again)).who() == before

    def test_with_an_old_certificate_and_a_node_of_his_own_making_a_thief_gets_nothing(
        self, plane: ControlPlane, node: Node
    ) -> None:
        thief = node.stolen(int(time.time()) - 3600)
        serving = node.csr(names=(node.name,), addresses=(node.address,))
        assert "a node that was removed" in refused(plane, thief.ask(CLIENT, node.csr()))
        assert thief.call("POST", NODES, node.document())["kind"] == "Node"
        reason, asked = f"the Node {node.name} was made long after this credential's machine had joined", []
        for signer, pem in ((CLIENT, node.csr()), (SERVING, serving)):
            asked.append(thief.ask(signer, pem))
        wait_for(lambda: any(reason in each for made in asked for each in said(plane, made)), "the reason")
        assert Node(plane, 5).join()  # what comes later is settled
        assert [state(plane, made)["status"] for made in asked] == [{}, {}]

    def test_the_machine_that_is_made_anew_joins_and_the_thief_of_the_old_one_still_gets_nothing(
        self, plane: ControlPlane, node: Node
    ) -> None:
        thief = node.stolen(int(time.time()) - 3600)
        own = node.join()
        assert own.call("POST", NODES, node.document())["kind"] == "Node"
        assert "was made long after" in refused(plane, thief.ask(CLIENT, node.csr()))
        assert node.identity(signed(plane, own.ask(CLIENT, node.csr()))).who() == own.who()
        assert signed(plane, own.ask(SERVING, node.csr(addresses=(node.address,))))

    def test_it_serves_under_its_own_name_and_address(self, plane: ControlPlane, node: Node) -> None:
        own = node.join()
        asked = own.ask(SERVING, node.csr(names=(node.name,), addresses=(node.address,)))
        made = x509.load_pem_x509_certificate(signed(plane, asked).encode())
        names = made.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        assert names.get_values_for_type(x509.DNSName) == [node.name]
        assert names.get_values_for_type(x509.IPAddress) == [node.address]

    def test_it_serves_under_no_other(self, plane: ControlPlane, node: Node) -> None:
        own, other = node.join(), Node(plane, 1)
        addressed = own.ask(SERVING, node.csr(names=(node.name,), addresses=(other.address,)))
        assert f"{node.name} serves at {node.address}" in refused(plane, addressed)
        named = own.ask(SERVING, node.csr(names=(other.name,), addresses=(node.address,)))
        assert f"{node.name} serves at {node.address}" in refused(plane, named)

    def test_it_may_not_even_ask_to_be_another_node(self, node: Node) -> None:
        """The API server itself compares a node's request with its name (NodeRestriction)."""
        own = node.join()
        asked = own.ask(CLIENT, node.csr(name="system:node:small-workers-00001"))
        assert (asked["kind"], asked["code"]) == ("Status", 403)

    def test_a_serving_certificate_is_no_client(self, plane: ControlPlane, node: Node) -> None:
        own = node.join()
        asked = own.ask(SERVING, node.csr(addresses=(node.address,)))
        pretender = node.identity(signed(plane, asked))
        assert plane.status("/api/v1/nodes", tls=pretender.tls) in (0, 401)


class TestUnplanned:
    """A machine with its pool's credential, whose name and address its cloud has chosen."""

    @pytest.fixture
    def machine(self, plane: ControlPlane, approver: Running, request: pytest.FixtureRequest) -> Unplanned:
        index = [item.nodeid for item in request.session.items].index(request.node.nodeid)
        return Unplanned(plane, f"{index:07}z")

    def test_it_becomes_the_node_of_its_name_with_its_range_and_renews(
        self, plane: ControlPlane, machine: Unplanned
    ) -> None:
        assert machine.bootstrap.who()[0] == "kilonode:joining:workers"
        begin = int(time.time())
        own = machine.join()
        user, groups = own.who()
        assert user == f"system:node:{machine.name}"
        assert groups in [machine.groups(moment) for moment in range(begin, int(time.time()) + 1)]
        assert own.call("POST", NODES, machine.document())["kind"] == "Node"
        assert machine.identity(signed(plane, own.ask(CLIENT, machine.csr()))).who() == (user, groups)

    def test_it_becomes_no_planned_node_and_none_of_another_pool(self, plane: ControlPlane, machine: Unplanned) -> None:
        for name in ("small-workers-00001", "small-other-00000001"):
            asked = machine.bootstrap.ask(CLIENT, machine.csr(name=f"system:node:{name}"))
            assert "this credential is for system:node:small-workers- and eight of" in refused(plane, asked)

    def test_one_name_is_given_once_and_another_at_the_same_time(self, plane: ControlPlane, machine: Unplanned) -> None:
        other = Unplanned(plane, f"{machine.name[-8:-1]}y")
        machine.join()
        assert other.join().who()[0] == f"system:node:{other.name}"
        again = machine.bootstrap.ask(CLIENT, machine.csr())
        assert f"let in as {machine.name} within two minutes" in refused(plane, again)

    def test_it_serves_at_one_address_of_its_range(self, plane: ControlPlane, machine: Unplanned) -> None:
        own, inside = machine.join(), machine.range[9]
        made = x509.load_pem_x509_certificate(
            signed(plane, own.ask(SERVING, machine.csr(addresses=(inside,)))).encode()
        )
        names = made.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        assert names.get_values_for_type(x509.IPAddress) == [inside]
        several = own.ask(SERVING, machine.csr(addresses=(inside, machine.range[10])))
        assert f"serves at one address of {machine.range}" in refused(plane, several)
        outside = own.ask(SERVING, machine.csr(addresses=(plane.rendered.plan.api_servers[0].address,)))
        assert f"serves at one address of {machine.range}" in refused(plane, outside)


class TestPool:
    """A node carries the label of its own pool (a ValidatingAdmissionPolicy)."""

    @pytest.mark.parametrize("pool", ["other", ""])
    def test_it_registers_with_no_other_pool_s_label_and_not_without_one(self, node: Node, pool: str) -> None:
        own = node.join()
        answer = own.call("POST", NODES, node.document(pool))
        assert (answer["kind"], answer["code"]) == ("Status", 403)
        assert f"a node of the pool workers does not carry {LABEL}={pool}" in answer["message"]
        assert own.call("POST", NODES, node.document())["kind"] == "Node"

    @pytest.mark.parametrize("part", ["", "/status"])
    def test_it_does_not_take_another_pool_s_label_later(self, node: Node, part: str) -> None:
        own = node.join()
        assert own.call("POST", NODES, node.document())["kind"] == "Node"
        change = {"metadata": {"labels": {LABEL: "other"}}}
        answer = own.call("PATCH", f"{NODES}/{node.name}{part}", change, MERGE)
        assert (answer["kind"], answer["code"]) == ("Status", 403), answer
        removed = own.call("PATCH", f"{NODES}/{node.name}{part}", {"metadata": {"labels": {LABEL: None}}}, MERGE)
        assert (removed["kind"], removed["code"]) == ("Status", 403), removed

    def test_it_does_not_stand_in_the_way_of_its_own_removal(self, plane: ControlPlane, node: Node) -> None:
        own = node.join()
        assert own.call("POST", NODES, node.document())["kind"] == "Node"
        answer = own.call("PATCH", f"{NODES}/{node.name}", {"metadata": {"finalizers": ["example.com/stay"]}}, MERGE)
        assert (answer["kind"], answer["code"]) == ("Status", 403), answer
        assert plane.status(f"{NODES}/{node.name}", "-X", "DELETE") == 200
        assert plane.status(f"{NODES}/{node.name}") == 404

    def test_who_plays_a_simulated_pool_has_no_say_in_nodes_of_others(self, plane: ControlPlane, node: Node) -> None:
        rows = simulator_credentials("sim")
        files = {file.path.rpartition("kwok/")[2]: file.content for file in plane.rendered.issued(rows)}
        kwok = Identity(plane, "kwok-sim", files["client.crt"], files["client.key"])
        own = node.join()
        assert own.call("POST", NODES, node.document())["kind"] == "Node"
        taken = kwok.call("PATCH", f"{NODES}/{node.name}", {"metadata": {"labels": {LABEL: "sim"}}}, MERGE)
        assert taken["code"] == 403, taken
        assert kwok.call("DELETE", f"{NODES}/{node.name}")["code"] == 403
        made = node.document("sim")
        made["metadata"]["name"] = "small-sim-00099"
        assert kwok.call("POST", NODES, node.document() | {"metadata": {"name": "small-workers-00099"}})["code"] == 403
        assert kwok.call("POST", NODES, made)["kind"] == "Node"
        assert kwok.call("DELETE", f"{NODES}/small-sim-00099")["status"] == "Success"

    def test_a_person_s_own_label_stops_no_heartbeat(self, plane: ControlPlane, node: Node) -> None:
        own = node.join()
        assert own.call("POST", NODES, node.document())["kind"] == "Node"
        plane.send("PATCH", f"{NODES}/{node.name}", {"metadata": {"labels": {LABEL: "lent"}}}, MERGE)
        beat = {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}
        assert own.call("PATCH", f"{NODES}/{node.name}/status", beat, MERGE)["kind"] == "Node"
        back = {"metadata": {"labels": {LABEL: "workers"}}}
        assert own.call("PATCH", f"{NODES}/{node.name}", back, MERGE)["kind"] == "Node"


class TestRights:
    """What the identities of joining may do at all."""

    def test_a_machine_that_joins_sees_and_changes_nothing_else(self, plane: ControlPlane, node: Node) -> None:
        for path in ("/api/v1/nodes", "/api/v1/pods", "/api/v1/namespaces/kube-system/secrets", LEASE):
            assert plane.status(path, tls=node.bootstrap.tls) == 403, path
        assert node.bootstrap.call("POST", NODES, node.document())["code"] == 403

    def test_the_approver_approves_no_other_signer_s_requests(self, plane: ControlPlane, node: Node) -> None:
        machine = plane.machines["api"]
        files = (machine.read(delivered(SERVICE, f"client.{kind}")) for kind in ("crt", "key"))
        itself = Identity(plane, "approver", *files)
        assert itself.who()[0] == "kilonode:node-approver"
        files = {file.path.rpartition("/")[2]: file.content for file in plane.rendered.operator()}
        person = Identity(plane, "person", files["client.crt"], files["client.key"])
        asked = person.ask("kubernetes.io/kube-apiserver-client", node.csr(name="anybody", organization="x"))
        asked["status"] = {"conditions": [{"type": "Approved", "status": "True", "reason": "x", "message": "x"}]}
        answer = itself.call("PUT", f"{REQUESTS}/{asked['metadata']['name']}/approval", asked)
        assert answer["code"] == 403, answer
        for path in ("/api/v1/nodes", "/api/v1/pods", "/api/v1/namespaces/default/secrets", f"{NODES}/x/proxy/"):
            assert plane.status(path, tls=itself.tls) == 403, path

    def test_kube_proxy_reads_what_it_serves_and_no_more(self, plane: ControlPlane, node: Node) -> None:
        """The API server itself binds the user to the role system:node-proxier."""
        rows = node_credentials("workers", node.name, node.address)
        files = {file.path.rpartition("kube-proxy/")[2]: file.content for file in plane.rendered.issued(rows)}
        proxy = Identity(plane, "proxy", files["client.crt"], files["client.key"])
        slices = "/apis/discovery.k8s.io/v1/endpointslices"
        for path in ("/api/v1/services", slices, NODES):
            assert plane.status(path, tls=proxy.tls) == 200, path
        for path in ("/api/v1/pods", "/api/v1/secrets", REQUESTS):
            assert plane.status(path, tls=proxy.tls) == 403, path


class TestTwoApprovers:
    """Of two at once one acts; the other takes over from one that was killed, stopped or frozen."""

    def test_the_one_that_stands_by_takes_over_from_one_that_was_killed_among_its_work(
        self, plane: ControlPlane, approver: Running
    ) -> None:
        with running(plane) as second:
            stands_by(second)
            nodes = [Node(plane, 100 + index) for index in range(20)]
            asked = [each.bootstrap.ask(CLIENT, each.csr()) for each in nodes[:10]]
            approver.kill()
            asked += [each.bootstrap.ask(CLIENT, each.csr()) for each in nodes[10:]]
            for each in asked:
                assert signed(plane, each)
                (condition,) = state(plane, each)["status"]["conditions"]
                assert condition["reason"] == "NodeCertificateApproved"
            late = {each.name for each in nodes[10:]}  # a certificate is there before its line is
            second.until(lambda: late <= set(signed_by(second)), "its lines")
            lines = signed_by(approver) + signed_by(second)
            # The one that was killed may have signed one that it did not come to tell.
            assert all(lines.count(each.name) <= 1 for each in nodes)

    def test_it_takes_over_at_once_from_one_that_was_stopped(self, plane: ControlPlane) -> None:
        with pair(plane) as (first, second):
            node = Node(plane, 120)
            asked = node.bootstrap.ask(CLIENT, node.csr(organization="kilonode:admins"))
            assert refused(plane, asked)
            signal(first, "TERM")
            assert first.ends() == 0
            # It has let the lease go, which would last 15 seconds: whoever asks next has it.
            assert f"{plane.get(LEASE)['spec'].get('holderIdentity')} holds the lease" not in first.text()
            leads(second)
            second.until(lambda: f"refused {asked['metadata']['name']}" in second.text(), "the old request")
            assert len(said(plane, asked)) == 1
            assert node.join().who()[0] == f"system:node:{node.name}"

    def test_one_that_was_frozen_acts_no_more_when_it_wakes(self, plane: ControlPlane) -> None:
        with pair(plane) as (frozen, other):
            signal(frozen, "STOP")
            leads(other)
            signal(frozen, "CONT")
            assert frozen.ends() == 1
            assert "could not be renewed" in frozen.text()
            node = Node(plane, 121)
            assert node.join().who()[0] == f"system:node:{node.name}"
            assert node.name not in frozen.text()


def signal(running: Running, name: str) -> None:
    """As systemd would, which sees the program itself: what stands before it in the tests stops and goes on with it."""
    for process in [*reversed(below(running.process.pid)), running.process.pid][: None if name == "CONT" else 1]:
        subprocess.run(["kill", f"-{name}", str(process)], check=True)
