"""The programs of a region reach ready with the very files and units a machine gets, and do what those promise."""

import json
import time
from itertools import count
from typing import Any

import pytest
import yaml

from kilonode.apiserver import bootstrap, dns
from kilonode.boot.machine import File
from kilonode.boot.secrets import FOLDER, delivered
from kilonode.etcd.plan import METRICS_PORT
from tests.oracles.control_plane import ANONYMOUS, ETCD_CERTIFICATE, ControlPlane, configmap, metric
from tests.oracles.machine import wait_for
from tests.oracles.unit import Unit

pytestmark = [pytest.mark.tools, pytest.mark.region]

CREATED = 201
LONG = 12  # seconds; two probes that fail, a second apart, take a server out
NAMESPACE = "/api/v1/namespaces/default"
COLLECTIONS = {
    "ClusterRole": "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    "ClusterRoleBinding": "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    "Role": "/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}/roles",
    "RoleBinding": "/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}/rolebindings",
    "Namespace": "/api/v1/namespaces",
    "ServiceAccount": "/api/v1/namespaces/{namespace}/serviceaccounts",
    "ConfigMap": "/api/v1/namespaces/{namespace}/configmaps",
    "Service": "/api/v1/namespaces/{namespace}/services",
    "Deployment": "/apis/apps/v1/namespaces/{namespace}/deployments",
    "PodDisruptionBudget": "/apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets",
    "PriorityLevelConfiguration": "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations",
    "FlowSchema": "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
    "ValidatingAdmissionPolicy": "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
    "ValidatingAdmissionPolicyBinding": "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
}


def wanted_objects(plane: ControlPlane) -> list[dict[str, Any]]:
    """What the API servers apply: the objects of every region, and this one's cluster DNS."""
    texts = [plane.machines["api"].read(path) for path in (bootstrap.PATH, dns.PATH)]
    return [each for text in texts for each in yaml.safe_load_all(text)]


def bootstrapped(plane: ControlPlane) -> list[dict[str, Any]]:
    """The bootstrap objects as the API has them, without its own book-keeping and without status."""
    found = []
    for wanted in wanted_objects(plane):
        collection = COLLECTIONS[wanted["kind"]].format(**wanted["metadata"])
        living = plane.get(f"{collection}/{wanted['metadata']['name']}")
        for own in ("managedFields", "resourceVersion"):
            living["metadata"].pop(own, None)
        living.pop("status", None)
        found.append(living)
    return found


def test_each_etcd_member_is_healthy_and_has_its_quota(plane: ControlPlane) -> None:
    for cluster in plane.rendered.plan.etcd:
        url = f"https://{cluster.members[0].address}:{METRICS_PORT}"
        health = f"{url}/health"  # it asks the quorum, and a busy host may be late once
        wait_for(lambda health=health: '"health":"true"' in plane.curl(health, tls=ETCD_CERTIFICATE), health)  # type: ignore[misc]
        metrics = plane.curl(f"{url}/metrics", tls=ETCD_CERTIFICATE)
        assert metric(metrics, "etcd_server_quota_backend_bytes") == cluster.spec.quota


def test_an_etcd_member_refuses_who_has_no_certificate(plane: ControlPlane) -> None:
    address = plane.rendered.plan.etcd[0].members[0].address
    for port in (2379, 2380, METRICS_PORT):
        assert plane.status(f"https://{address}:{port}/health", tls=("-k",)) == 0, port


def test_the_very_configuration_file_is_what_etcd_reads(plane: ControlPlane) -> None:
    for cluster in plane.rendered.plan.etcd:
        machine = plane.machines[cluster.spec.name]
        assert machine.run(["readlink", "/run/etcd/config.yaml"]).stdout.strip() == "/etc/etcd/etcd.yaml"


@pytest.mark.parametrize(
    ("machine", "services"),
    [
        ("main", ("etcd",)),
        (
            "api",
            (
                "kube-apiserver",
                "kube-controller-manager",
                "kube-scheduler",
                "kilonode-bootstrap",
                "kilonode-node-approver",
            ),
        ),
        ("lb", ("haproxy",)),
        ("sim", ("kwok", "kilonode-simulated-nodes")),
    ],
)
def test_a_machine_is_delivered_the_credentials_its_units_load_and_no_other(
    plane: ControlPlane, machine: str, services: tuple[str, ...]
) -> None:
    folder = plane.machines[machine].path(FOLDER)
    delivered_files = {f"{FOLDER}/{path.relative_to(folder)}" for path in folder.rglob("*") if path.is_file()}
    units = [Unit(plane.machines[machine], service) for service in services]
    loaded = {line.split(":", 1)[1] for unit in units for line in unit.settings["LoadCredential"]}
    assert loaded == delivered_files


def test_the_bootstrap_objects_are_all_applied(plane: ControlPlane) -> None:
    said = plane.bootstrap.running.text()
    assert said.count("serverside-applied") == len(wanted_objects(plane)), said


def test_the_bootstrap_objects_applied_again_change_nothing(plane: ControlPlane) -> None:
    before = bootstrapped(plane)
    again = plane.unit("api", "kilonode-bootstrap")
    assert again.to_its_end() == 0, again.running.tail()
    assert bootstrapped(plane) == before


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/healthz"])
def test_a_probe_path_answers_without_a_credential(plane: ControlPlane, path: str) -> None:
    # Each etcd has two seconds to answer; a busy host may take longer once.
    wait_for(lambda: plane.status(path, tls=ANONYMOUS) == 200, path)


@pytest.mark.parametrize(
    "path", ["/", "/metrics", "/version", "/api/v1/nodes", "/readyz/etcd", "/openapi/v2", "/configz", "/debug/pprof/"]
)
def test_any_other_path_is_refused_without_a_credential(plane: ControlPlane, path: str) -> None:
    assert plane.status(path, tls=ANONYMOUS) == 401


def test_metrics_are_for_the_operator(plane: ControlPlane) -> None:
    assert "apiserver_request_total" in plane.curl("/metrics")


def test_the_audit_log_has_creates_and_neither_leases_nor_events(plane: ControlPlane) -> None:
    leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
    plane.send("POST", leases, {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "quiet"}})
    renewal = {"spec": {"holderIdentity": "quiet"}}
    plane.send("PATCH", f"{leases}/quiet", renewal, kind="application/merge-patch+json")
    event = {
        "apiVersion": "v1", "kind": "Event", "metadata": {"name": "quiet"}, "reason": "Test",
        "involvedObject": {"kind": "Namespace", "name": "default", "namespace": "default"},
    }  # fmt: skip
    plane.send("POST", f"{NAMESPACE}/events", event)
    # Entries are written in the order of requests, so what comes before a line that is there would be there too.
    plane.send("POST", f"{NAMESPACE}/configmaps", configmap("audited"))
    log = "/var/log/kubernetes/audit.log"
    wait_for(lambda: '"audited"' in plane.machines["api"].read(log), "the audit entry")
    entries = [json.loads(line) for line in plane.machines["api"].read(log).splitlines()]
    kept = [entry for entry in entries if entry.get("objectRef", {}).get("name") == "audited"]
    assert [(entry["verb"], entry["user"]["username"], entry["level"]) for entry in kept] == [
        ("create", "operator", "Metadata")
    ]
    written = [
        entry.get("objectRef", {}).get("resource")
        for entry in entries
        if entry["verb"] not in {"get", "list"}  # other tests read Events, which the log does have
    ]
    assert "configmaps" in written
    assert not {"leases", "events"} & set(written)
    assert not [entry for entry in entries if "requestObject" in entry or "responseObject" in entry]


def test_a_secret_lies_encrypted_in_etcd(plane: ControlPlane) -> None:
    word = "correct-horse-battery"
    plane.send("POST", f"{NAMESPACE}/secrets", {
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "hidden"}, "stringData": {"word": word},
    })  # fmt: skip
    stored = plane.etcd("main", "get", "/registry/secrets/default/hidden", "--print-value-only")
    assert stored.startswith("k8s:enc:secretbox:v1:key1:")
    assert word not in stored
    assert plane.get(f"{NAMESPACE}/secrets/hidden")["data"]["word"]


def test_an_event_goes_to_the_events_members_and_all_else_to_main(plane: ControlPlane) -> None:
    body = {
        "apiVersion": "v1", "kind": "Event", "metadata": {"name": "placed"}, "reason": "Test",
        "involvedObject": {"kind": "Namespace", "name": "default", "namespace": "default"},
    }  # fmt: skip
    plane.send("POST", f"{NAMESPACE}/events", body)
    plane.send("POST", f"{NAMESPACE}/configmaps", configmap("placed"))
    keys = {name: plane.etcd(name, "get", "/registry/", "--prefix", "--keys-only") for name in ("main", "events")}
    assert "/registry/events/default/placed" in keys["events"]
    assert "/registry/events/" not in keys["main"]
    assert "/registry/configmaps/default/placed" in keys["main"]
    assert "/registry/configmaps/" not in keys["events"]


@pytest.mark.parametrize(("program", "port"), [("kube-controller-manager", 10257), ("kube-scheduler", 10259)])
def test_a_controller_leads_and_shows_its_metrics_to_the_operator_alone(
    plane: ControlPlane, program: str, port: int
) -> None:
    url = f"https://{plane.rendered.plan.api_servers[0].address}:{port}"
    running = plane.unit("api", program).start()
    running.until(lambda: plane.curl(f"{url}/healthz", tls=("-k",)) == "ok", program)
    lease = f"/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/{program}"
    running.until(lambda: plane.get(lease).get("spec", {}).get("holderIdentity", "") != "", f"{program}'s lease")
    own = ("-k", *ANONYMOUS[2:], "--cert", "client.crt", "--key", "client.key")
    running.until(lambda: plane.status(f"{url}/metrics", tls=own) == 200, f"{program}'s metrics")
    assert plane.status(f"{url}/metrics", tls=("-k",)) == 403


class TestBehindTheLoadBalancer:
    """haproxy first, then what reaches the API through it."""

    def test_haproxy_serves_the_api_through_tls(self, plane: ControlPlane) -> None:
        running = plane.unit("lb", "haproxy").up()
        ready = f"{plane.rendered.plan.endpoint}/readyz"
        running.until(lambda: plane.curl(ready, tls=ANONYMOUS) == "ok", "the frontend")

    def test_haproxy_trusts_no_server_of_another_authority(self, plane: ControlPlane) -> None:
        machine, path = plane.machines["lb"], delivered("haproxy", "ca.crt")
        right = machine.read(path)
        other = plane.machines["api"].read(delivered("kube-apiserver", "front-proxy-ca.crt"))
        plane.units["lb", "haproxy"].stop()
        machine.path(path).chmod(0o600)
        machine.write([File(path, other, 0o400)])
        unit = plane.unit("lb", "haproxy")
        try:
            running = unit.up()
            running.until(lambda: "no server available" in running.text(), "the refusal")
            assert "SSL handshake failure" in running.text()
            assert plane.status(f"{plane.rendered.plan.endpoint}/readyz", tls=ANONYMOUS) == 0
        finally:
            unit.stop()
            machine.write([File(path, right, 0o400)])
        running = plane.unit("lb", "haproxy").up()
        ready = f"{plane.rendered.plan.endpoint}/readyz"
        running.until(lambda: plane.curl(ready, tls=ANONYMOUS) == "ok", "the frontend")

    def test_the_api_is_served_while_the_members_of_events_are_gone(self, plane: ControlPlane) -> None:
        collection, names = f"{plane.rendered.plan.endpoint}{NAMESPACE}/configmaps", count()

        def served() -> bool:
            body = json.dumps(configmap(f"without-events-{next(names)}"))
            return plane.status(collection, "-H", "Content-Type: application/json", "-d", body) == CREATED

        def missed() -> bool:
            return "[-]etcd-override-readiness-0" in plane.curl("/readyz")

        plane.units["events", "etcd"].stop()
        try:
            wait_for(missed, "the API server to miss Events")
            end = time.monotonic() + LONG
            # A server that is late twice on a busy host is out for a moment; one that were out for want of Events stays it.
            while time.monotonic() < end:
                wait_for(served, "the API")
            assert missed()
        finally:
            plane.unit("events", "etcd").up()
        wait_for(lambda: plane.curl("/readyz") == "ok", "the API server to have Events again")

    def test_simulated_nodes_are_ready_under_their_planned_names_and_addresses(self, plane: ControlPlane) -> None:
        pool = plane.rendered.plan.spec.simulated_pools[0]
        kwok = plane.unit("sim", "kwok").start()
        registration = plane.unit("sim", "kilonode-simulated-nodes")
        assert registration.to_its_end() == 0, registration.running.tail()

        def ready() -> dict[str, str]:
            return {
                node["metadata"]["name"]: node["status"]["addresses"][0]["address"]
                for node in plane.get("/api/v1/nodes")["items"]
                for condition in node["status"].get("conditions", [])
                if (condition["type"], condition["status"]) == ("Ready", "True")
            }

        planned = {f"small-sim-{index:05d}": str(pool.addresses.node(index)) for index in range(pool.nodes)}
        kwok.until(lambda: ready() == planned, "simulated nodes")

    def test_registration_again_adds_and_removes_nothing(self, plane: ControlPlane) -> None:
        registration = plane.unit("sim", "kilonode-simulated-nodes")
        assert registration.to_its_end() == 0, registration.running.tail()
        assert "0 registered now, 0 removed" in registration.running.text()
