"""How the approver speaks to its API server: nothing is sent twice, and nothing after its time."""

import http.client
import json
import socket
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from kilonode.pki.issue import issue, new_authority
from kilonode.pki.kinds import Certificate
from tests.apiserver.approver import api

Answer = Callable[[Any, str], bool]
"""Answers one request on a connection, by its first line; whether the connection goes on."""


def well(connection: Any, line: str) -> bool:
    text = json.dumps({"line": line}).encode()
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(text), text))
    return True


def well_and_last(connection: Any, line: str) -> bool:
    """As a server does with a connection that was idle for long: no word of it in the answer."""
    well(connection, line)
    return False


def not_at_all(connection: Any, line: str) -> bool:
    connection.recv(1)  # until the client is gone
    return False


def hangs_up(connection: Any, line: str) -> bool:
    return False


class Server:
    """Answers in turn as told; ``lines`` has the first line of every request that reached it."""

    def __init__(self, folder: Path, *answers: Answer) -> None:
        authority = new_authority("x")
        row = Certificate("s", "server", "x", "server", ("server", "client"), addresses=("127.0.0.1",))
        pair = issue(row, authority)
        for name, text in (
            ("ca.crt", authority.certificate),
            ("client.crt", pair.certificate),
            ("client.key", pair.key),
        ):
            (folder / name).write_text(text)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "client.crt", folder / "client.key")
        self.answers, self.lines, self.connections = list(answers), [], 0
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.thread = Thread(target=self._serve, args=(context,), daemon=True)
        self.thread.start()
        self.client = api.Api(f"127.0.0.1:{self.socket.getsockname()[1]}", folder)

    def _serve(self, context: ssl.SSLContext) -> None:
        while self.answers:
            try:
                raw, _ = self.socket.accept()
            except OSError:
                return
            with context.wrap_socket(raw, server_side=True) as connection, connection.makefile("rb") as reader:
                self.connections += 1
                goes_on = True
                while goes_on and self.answers:
                    line, headers = reader.readline().decode().strip(), http.client.parse_headers(reader)
                    if not line:
                        break
                    reader.read(int(headers.get("Content-Length", 0)))
                    self.lines.append(line)
                    goes_on = self.answers.pop(0)(connection, self.lines[-1])


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Server]]:
    monkeypatch.setattr(api, "TIMEOUT", 60)  # a slow machine is no server that is silent
    made: list[Server] = []

    def make(*answers: Answer) -> Server:
        made.append(Server(tmp_path, *answers))
        return made[-1]

    yield make
    for each in made:
        each.socket.close()


def test_one_connection_serves_many_requests(server: Callable[..., Server]) -> None:
    made = server(well, well)
    assert [made.client.call("GET", path)[0] for path in ("/a", "/b")] == [200, 200]
    assert (made.lines, made.connections) == (["GET /a HTTP/1.1", "GET /b HTTP/1.1"], 1)


def test_a_connection_that_the_server_has_ended_is_made_anew_before_anything_is_sent(
    server: Callable[..., Server],
) -> None:
    made = server(well_and_last, well)
    assert made.client.call("PUT", "/a", {})[0] == 200
    ended = made.client.mine.connection.sock
    assert api.select.select([ended], [], [], api.TIMEOUT)[0] == [ended]
    assert made.client.call("PUT", "/b", {})[0] == 200
    assert (len(made.lines), made.connections) == (2, 2)


@pytest.mark.parametrize("silent", [not_at_all, hangs_up])
@pytest.mark.parametrize("first", [True, False])
def test_what_got_no_answer_is_not_sent_again(server: Callable[..., Server], silent: Answer, first: bool) -> None:
    """Also on a connection that was in use: it may have been acted upon."""
    made = server(*([] if first else [well]), silent, well)
    if not first:
        made.client.call("GET", "/before")

    def impatient() -> bool:
        """From when the connection stands: what was not sent at all says nothing."""
        made.client.mine.connection.sock.settimeout(0.2)
        return True

    with pytest.raises(api.UnavailableError):
        made.client.call("PUT", "/a", {}, impatient)
    # The server takes one connection after the other: once it answers here, it has read all of the one before.
    assert made.client.call("PUT", "/b", {})[0] == 200
    assert sum("/a" in line for line in made.lines) == 1


def test_the_api_server_is_told_how_long_a_write_may_wait(server: Callable[..., Server]) -> None:
    made = server(well, well)
    made.client.call("PUT", "/a", {})
    made.client.call("GET", "/a")
    assert made.lines == ["PUT /a?timeout=60s HTTP/1.1", "GET /a HTTP/1.1"]


def test_whether_it_may_be_sent_is_asked_after_the_connection_is_there(server: Callable[..., Server]) -> None:
    """To make one can take seconds, in which a lease may end."""
    made = server(well)
    asked: list[int] = []

    def may() -> bool:
        asked.append(1 if made.client.mine.connection.sock else 0)
        return False

    with pytest.raises(api.UnavailableError, match="too late"):
        made.client.call("PUT", "/a", {}, may)
    assert (asked, made.lines) == ([1], [])
