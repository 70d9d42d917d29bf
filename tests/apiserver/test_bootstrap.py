"""The objects a cluster cannot start without: who may do what, in which order they are applied."""

from typing import Any

import pytest

from kilonode.apiserver.bootstrap import objects
from kilonode.boot.image import machine_image
from kilonode.nodes import kubelet
from kilonode.pki.kinds import Certificate
from kilonode.pki.users import ADMINS, APPROVER_USER, JOINING, SIMULATORS
from tests.apiserver.approver import LIMITS, certificates, controller, limits, requestqueue, silence
from tests.plans import biggest, credentials

EVERYTHING: list[Any] = list(objects())
LEVELS_OF_THE_API = {"leader-election", "workload-high"}


def key(entry: dict[str, Any]) -> tuple[str, str, str]:
    return entry["kind"], entry["metadata"].get("namespace", ""), entry["metadata"]["name"]


def of(*kinds: str) -> list[dict[str, Any]]:
    found = [entry for entry in EVERYTHING if entry["kind"] in kinds]
    assert found
    return found


def bound() -> dict[str, set[tuple[str, str]]]:
    """Subject to the namespaces and roles it is bound to; no namespace is the whole cluster."""
    found: dict[str, set[tuple[str, str]]] = {}
    for entry in of("ClusterRoleBinding", "RoleBinding"):
        for subject in entry["subjects"]:
            place = entry["metadata"].get("namespace", ""), entry["roleRef"]["name"]
            found.setdefault(subject["name"], set()).add(place)
    return found


def test_groups_of_issued_certificates_are_bound_to_roles() -> None:
    assert bound()[ADMINS] == {("", "cluster-admin")}
    assert bound()[SIMULATORS] == {("", "kilonode:simulator")}
    assert bound()["kube-apiserver-kubelet-client"] == {("", "system:kubelet-api-admin")}
    assert bound()[JOINING] == {("", "system:node-bootstrapper")}


def test_every_subject_that_is_bound_is_somebody_with_a_certificate() -> None:
    rows = [row for rows in credentials(biggest()).values() for row in rows if isinstance(row, Certificate)]
    known = {row.common_name for row in rows} | {group for row in rows for group in row.organizations}
    assert set(bound()) <= known


def test_no_two_objects_are_the_same_and_each_comes_after_what_it_refers_to() -> None:
    names = [key(entry) for entry in EVERYTHING]
    assert len(names) == len(set(names))
    made_by_the_api = {"cluster-admin", "system:kubelet-api-admin", "system:node-bootstrapper"}
    for entry in of("ClusterRoleBinding", "RoleBinding"):
        kind, to, place = entry["roleRef"]["kind"], entry["roleRef"]["name"], entry["metadata"].get("namespace", "")
        if to not in made_by_the_api:
            assert names.index((kind, place, to)) < names.index(key(entry))
    for entry in of("FlowSchema"):
        level = entry["spec"]["priorityLevelConfiguration"]["name"]
        if level not in LEVELS_OF_THE_API:
            assert names.index(("PriorityLevelConfiguration", "", level)) < names.index(key(entry))
    for entry in of("ValidatingAdmissionPolicyBinding"):
        policy = ("ValidatingAdmissionPolicy", "", entry["spec"]["policyName"])
        assert names.index(policy) < names.index(key(entry))


def test_nobody_may_touch_every_resource_but_the_operator_s_group() -> None:
    for role in of("ClusterRole", "Role"):
        for rule in role["rules"]:
            assert "*" not in rule["verbs"] + rule["resources"] + rule["apiGroups"]
            assert not {"secrets", "serviceaccounts/token"} & set(rule["resources"])


def test_the_approver_may_do_exactly_what_it_does() -> None:
    """Each line is a request the approver makes, or the right the API server asks for behind one."""
    rights = {
        (place, group, resource, verb, name)
        for place, to in bound()[APPROVER_USER]
        for role in of("ClusterRole", "Role")
        if (role["metadata"].get("namespace", ""), role["metadata"]["name"]) == (place, to)
        for rule in role["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
        for name in rule.get("resourceNames", [""])
    }
    certificates, leases = "certificates.k8s.io", "coordination.k8s.io"
    requests = "certificatesigningrequests"
    signers = ("kubernetes.io/kube-apiserver-client-kubelet", "kubernetes.io/kubelet-serving")
    assert rights == {
        *(("", certificates, requests, verb, "") for verb in ("get", "list", "watch")),
        ("", certificates, f"{requests}/approval", "update", ""),
        ("", certificates, f"{requests}/status", "update", ""),
        *(("", certificates, "signers", verb, signer) for verb in ("approve", "sign") for signer in signers),
        ("", "", "nodes", "get", ""),
        ("", "", "nodes", "delete", ""),
        ("kube-node-lease", leases, "leases", "get", ""),
        ("default", "", "events", "create", ""),
        ("kube-system", leases, "leases", "create", ""),
        ("kube-system", leases, "leases", "get", "kilonode-node-approver"),
        ("kube-system", leases, "leases", "update", "kilonode-node-approver"),
    }


def test_a_node_has_longer_to_register_than_another_machine_has_to_wait_and_much_less_than_its_certificate_lasts() -> (
    None
):
    assert requestqueue.RECENT < LIMITS.registration < certificates.LIFE.total_seconds() / 100


def test_a_node_is_silent_for_many_renewals_and_for_less_than_kubelet_waits_to_join() -> None:
    """Of its lease; kubelet waits a quarter of an hour for a certificate, and then asks anew."""
    (lasts,) = [row.value for row in kubelet.ROWS if row.key == "nodeLeaseDurationSeconds"]
    assert 20 * int(lasts) / 4 < LIMITS.silence <= 900 / 2
    assert controller.AGAIN < silence.FORGOTTEN < LIMITS.silence


def test_the_approver_s_unit_gives_it_its_limits() -> None:
    unit = next(each for each in machine_image().files if each.path.endswith("/kilonode-node-approver.service"))
    (line,) = [line for line in unit.content.splitlines() if line.startswith("Environment=")]
    pairs = dict(word.split("=") for word in line.removeprefix("Environment=").split())
    assert limits.Limits.read(pairs) == LIMITS == limits.Limits(900, 300, 20, 2000)


def test_a_machine_that_joins_is_bound_to_nothing_but_making_requests() -> None:
    assert [entry["roleRef"]["name"] for entry in of("ClusterRoleBinding", "RoleBinding")
            if any(subject["name"].startswith(JOINING) for subject in entry["subjects"])] == ["system:node-bootstrapper"]  # fmt: skip


def test_the_approver_s_requests_wait_with_controllers_and_not_with_the_machines_that_wait_for_it() -> None:
    flows = {
        entry["spec"]["priorityLevelConfiguration"]["name"]: entry["spec"]["matchingPrecedence"]
        for entry in of("FlowSchema")
        if any(subject.get("user", {}).get("name") == APPROVER_USER for rule in entry["spec"]["rules"] for subject in rule["subjects"])
    }  # fmt: skip
    assert set(flows) == LEVELS_OF_THE_API
    assert flows["leader-election"] < flows["workload-high"] < 9_900  # kube-apiserver's own global-default


def test_every_policy_refuses_when_it_cannot_be_asked_and_is_bound() -> None:
    policies = {policy["metadata"]["name"]: policy["spec"] for policy in of("ValidatingAdmissionPolicy")}
    bindings = {binding["spec"]["policyName"]: binding["spec"] for binding in of("ValidatingAdmissionPolicyBinding")}
    assert set(policies) == set(bindings) == {"kilonode-node-pool", "kilonode-node-requests", "kilonode-simulated-pool"}
    assert {spec["failurePolicy"] for spec in policies.values()} == {"Fail"}
    assert all(binding["validationActions"] == ["Deny"] for binding in bindings.values())


@pytest.mark.parametrize(
    ("name", "resources", "operations"),
    [
        ("kilonode-node-pool", ["nodes", "nodes/status"], ["CREATE", "UPDATE"]),
        ("kilonode-node-requests", ["certificatesigningrequests"], ["CREATE"]),
        ("kilonode-simulated-pool", ["nodes", "nodes/status"], ["CREATE", "UPDATE", "DELETE"]),
    ],
)
def test_a_policy_is_about_what_it_says(name: str, resources: list[str], operations: list[str]) -> None:
    policy = next(each for each in of("ValidatingAdmissionPolicy") if each["metadata"]["name"] == name)
    (rule,) = policy["spec"]["matchConstraints"]["resourceRules"]
    assert (rule["resources"], rule["operations"]) == (resources, operations)
