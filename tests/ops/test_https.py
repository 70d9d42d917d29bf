"""How verbs reach a region's machines: at their own addresses, whatever the environment says."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from ops.https import Answer, Client


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.path.encode())

    def log_message(self, *_: Any) -> None:
        pass


def test_a_proxy_of_the_host_is_not_asked_for_a_machine_of_the_region(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            answer = Client.trusting_anyone().call(f"http://127.0.0.1:{server.server_address[1]}/a")
        finally:
            server.shutdown()
    assert answer == Answer(200, "/a")
