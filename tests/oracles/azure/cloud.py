"""A little of Azure for machines on a test's network: metadata service, Key Vault and blob storage, held to their contract.

Run as a process in a network namespace, or as threads of a test. Its folder is its state, so that a test sees and changes
what it has; every request is written down, with what was wrong about it.
"""

import json
import ssl
import sys
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

POLL = 0.02  # seconds until a server that is told to end does
TOKEN = "canary-token"
"""How every token begins, so that a test can look for one where none may be."""


@dataclass(frozen=True)
class Request:
    """One request, taken apart."""

    address: str
    method: str
    host: str
    path: str
    query: dict[str, str]
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Reply:
    """An answer; ``wrong`` says what of the contract the request broke."""

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    wrong: str = ""

    @classmethod
    def document(cls, status: int, body: Any, wrong: str = "", **headers: str) -> "Reply":
        """An answer in JSON."""
        return cls(status, json.dumps(body).encode(), {"Content-Type": "application/json", **headers}, wrong)


class State:
    """What the cloud has, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._turns: Counter[str] = Counter()

    def read(self, name: str) -> Any:
        """One of its documents; empty where there is none."""
        file = self.folder / f"{name}.json"
        return json.loads(file.read_text()) if file.exists() else {}

    def write(self, name: str, document: Any) -> None:
        """Replace one of its documents in one step."""
        draft = self.folder / f".{name}"
        draft.write_text(json.dumps(document))
        draft.rename(self.folder / f"{name}.json")

    def turn(self, who: str) -> int:
        """How many requests of somebody came before this one."""
        with self._lock:
            self._turns[who] += 1
            return self._turns[who] - 1

    def note(self, row: dict[str, Any]) -> None:
        """Write down a request."""
        with self._lock, (self.folder / "requests").open("a") as file:
            file.write(json.dumps(row) + "\n")

    def requests(self, service: str = "") -> list[dict[str, Any]]:
        """What was asked so far."""
        file = self.folder / "requests"
        rows = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
        return [row for row in rows if row["service"] == service or not service]

    def wrongs(self) -> list[str]:
        """What was wrong about requests so far."""
        return [
            f"{row['service']} {row['method']} {row['path']}: {row['wrong']}" for row in self.requests() if row["wrong"]
        ]

    def identity(self, address: str) -> dict[str, Any]:
        """The identity of the machine at an address, with its rights."""
        machines = self.read("machines")
        return dict(machines.get(address) or machines.get("*") or {})

    def holder(self, bearer: str, audience: str) -> dict[str, Any] | None:
        """The identity whose token for ``audience`` this is."""
        for row in self.read("machines").values():
            if bearer == f"Bearer {token(row['client'], audience)}":
                return dict(row)
        return None


def token(client: str, audience: str) -> str:
    """The token of an identity."""
    return f"{TOKEN}-{client}-{audience.rstrip('/').rpartition('/')[2]}"


def serve(state: State, service: Any, address: str, port: int, tls: Path | None = None) -> ThreadingHTTPServer:
    """Answer requests in threads, as ``service``; ``tls`` is a file with certificate and key."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_one(self) -> None:
            url = urlsplit(self.path)
            query = {key: values[0] for key, values in parse_qs(url.query, keep_blank_values=True).items()}
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            host = (self.headers.get("Host") or "").partition(":")[0]
            request = Request(self.client_address[0], self.command, host, unquote(url.path), query, self.headers, body)
            name = service.name(request) if hasattr(service, "name") else service.NAME
            trouble = state.read("trouble").get(name)
            reply = Reply(trouble) if trouble else service.answer(state, request)
            state.note(
                {"service": name, "from": request.address, "method": request.method, "path": url.path,
                 "query": query, "status": reply.status, "wrong": reply.wrong}
            )  # fmt: skip
            self.send_response(reply.status)
            for key, value in reply.headers.items():
                self.send_header(key, value)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

        do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = handle_one  # noqa: N815

        def log_message(self, *_arguments: Any) -> None:
            return

    server = ThreadingHTTPServer((address, port), Handler)
    server.daemon_threads = True
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(tls)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, args=(POLL,), daemon=True).start()
    return server


def main() -> None:
    """``FOLDER METADATA-ADDRESS ADDRESS``: metadata in clear on the first, vault and storage with TLS on the second."""
    from tests.oracles.azure import metadata, services

    folder, metadata_address, address = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    state = State(folder)
    serve(state, metadata, metadata_address, 80)
    serve(state, services, address, 443, folder / "tls.pem")
    (folder / "ready").touch()
    threading.Event().wait()


if __name__ == "__main__":
    main()
