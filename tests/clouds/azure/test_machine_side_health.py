"""What a node says of itself to the scale set's health extension: that it serves, or the first thing that is wrong."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from kilonode.apiserver.joining import APPROVER_LIMITS
from kilonode.clouds.azure import health
from kilonode.nodes import kubelet, kubeproxy
from tests.oracles.azure.programs import loaded

program = loaded("node-health")
SECONDS = 60  # a busy machine of tests is no node that is ill


class Other:
    """A program of the node, and what its health is at each path."""

    def __init__(self) -> None:
        self.answers: dict[str, int] = {}
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(outer.answers.get(self.path, 404))
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def port(self) -> int:
        return int(self.server.server_address[1])

    def end(self) -> None:
        self.server.shutdown()
        self.server.server_close()


class Node:
    """All that a node needs to serve, each part of which can be taken away, and the program itself."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.kubelet, self.proxy = Other(), Other()
        self.kubelet.answers["/healthz"] = self.proxy.answers["/livez"] = 200
        self.certificate, self.runtime = folder / "current.pem", folder / "containerd.sock"
        self.certificate.touch()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.runtime))
        self.listener.listen()
        patch.setattr(program, "CERTIFICATE", self.certificate)
        patch.setattr(program, "RUNTIME", str(self.runtime))
        parts = {"kubelet": (self.kubelet.port, "/healthz"), "kube-proxy": (self.proxy.port, "/livez")}
        patch.setattr(program, "PROGRAMS", parts)
        patch.setattr(program, "TIMEOUT", SECONDS)
        self.server = program.Server(("127.0.0.1", 0), program.Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def says(self, path: str = health.PATH) -> tuple[int, str]:
        connection = HTTPConnection("127.0.0.1", self.server.server_address[1], timeout=SECONDS)
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    def end(self) -> None:
        self.listener.close()
        for each in (self.kubelet, self.proxy):
            each.end()
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Node]:
    made = Node(tmp_path, monkeypatch)
    yield made
    made.end()


def test_a_node_that_serves_says_so_in_the_words_of_the_extension(node: Node) -> None:
    status, text = node.says()
    assert (status, json.loads(text)) == (200, {"ApplicationHealthState": "Healthy"})


def leave_no_socket(node: Node) -> None:
    node.listener.close()
    node.runtime.unlink()


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda node: node.certificate.unlink(), "kubelet has no certificate: it has not joined"),
        (lambda node: node.listener.close(), "containerd does not listen"),
        (leave_no_socket, "containerd does not listen"),
        (lambda node: node.kubelet.end(), "kubelet: no answer (ConnectionRefusedError"),
        (lambda node: node.proxy.end(), "kube-proxy: no answer (ConnectionRefusedError"),
        (lambda node: node.kubelet.answers.update({"/healthz": 500}), "kubelet: 500"),
        (lambda node: node.proxy.answers.update({"/livez": 503}), "kube-proxy: 503"),
    ],
)
def test_whatever_is_wrong_is_said(node: Node, spoil: Callable[[Node], None], reason: str) -> None:
    assert node.says()[0] == 200
    spoil(node)
    status, text = node.says()
    assert status == 503
    assert text.startswith(reason)


def test_a_program_that_takes_a_question_and_says_nothing_is_not_waited_for(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "TIMEOUT", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as mute:
        parts = program.PROGRAMS | {"kubelet": (mute.getsockname()[1], "/healthz")}
        monkeypatch.setattr(program, "PROGRAMS", parts)
        assert node.says() == (503, "kubelet: no answer (TimeoutError('timed out'))\n")


def test_whoever_asks_and_then_says_nothing_keeps_nobody_waiting(node: Node) -> None:
    with socket.create_connection(node.server.server_address[:2]):
        assert node.says()[0] == 200


def test_the_certificate_counts_and_not_a_link_that_leads_nowhere(node: Node) -> None:
    """As kubelet's is one."""
    node.certificate.unlink()
    node.certificate.symlink_to(node.certificate.with_name("gone.pem"))
    assert node.says()[0] == 503


def test_there_is_nothing_else_to_ask_for(node: Node) -> None:
    assert [node.says(path)[0] for path in ("/", "/metrics", f"{health.PATH}/x")] == [404] * 3


def test_the_journal_has_one_line_for_each_change(node: Node, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(3):
        node.says()
    node.certificate.unlink()
    for _ in range(3):
        node.says()
    assert capsys.readouterr().err.splitlines() == ["the node serves", "kubelet has no certificate: it has not joined"]


def test_it_asks_where_the_node_s_programs_are_told_to_answer() -> None:
    assert str(program.CERTIFICATE) == f"{kubelet.CERTIFICATES}/kubelet-client-current.pem"
    where = kubeproxy.kube_proxy_config()["healthzBindAddress"]
    assert program.PROGRAMS["kube-proxy"][0] == int(str(where).rpartition(":")[2])
    assert program.PATH == health.PATH


def test_its_port_is_nobody_else_s() -> None:
    """Kubernetes' own programs have 10248 to 10259, NodePorts begin at 30000."""
    assert 10259 < health.PORT < 30000


def test_a_node_has_time_to_come_back_before_it_counts_as_ill() -> None:
    rows = {row.key: int(row.value) for row in (health.INTERVAL, health.PROBES, health.GRACE)}
    (silence,) = [int(row.value) for row in APPROVER_LIMITS if row.key == "SILENCE_SECONDS"]
    # Silence watched twice, by two approvers, and kubelet's quarter of an hour until it asks anew.
    assert 2 * silence + 900 <= rows["gracePeriod"] <= 14_400
    assert 5 <= rows["intervalInSeconds"] <= 60
    assert rows["numberOfProbes"] <= 24
    assert rows["intervalInSeconds"] * rows["numberOfProbes"] <= 240, "the extension refuses more"
    assert health.settings().items() >= rows.items()
