"""The API server of this machine: requests, lists and watches, and nothing about what they are for."""

import json
import ssl
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from threading import local
from typing import Any
from urllib.parse import quote

Document = dict[str, Any]

TIMEOUT = 5  # seconds; shorter than what is left of the lease when it is renewed late
PAGE = 500
WATCH = 60  # seconds after which the API server ends a watch, which then begins again where it was
SILENCE = WATCH + 15  # seconds after which a watch is dead

OK, CREATED, MISSING, CONFLICT, GONE, TOO_MANY, BROKEN = 200, 201, 404, 409, 410, 429, 500


class UnavailableError(Exception):
    """The API server did not answer, or not now; a later try may do better."""


class Api:
    """One HTTPS connection per thread, as the client whose credentials lie in ``folder``."""

    def __init__(self, host: str, folder: Path) -> None:
        self.host = host
        self.tls = ssl.create_default_context(cafile=folder / "ca.crt")
        self.tls.load_cert_chain(folder / "client.crt", folder / "client.key")
        self.mine = local()

    def call(self, method: str, path: str, body: Document | None = None) -> tuple[int, Document]:
        """Return status and document of an answer.

        Raises:
            UnavailableError: when there is none, or the API server is too busy.
        """
        text = None if body is None else json.dumps(body)
        for again in (True, False):
            used: HTTPConnection | None = getattr(self.mine, "connection", None)
            connection = self.mine.connection = used or HTTPSConnection(self.host, context=self.tls, timeout=TIMEOUT)
            try:
                connection.request(method, path, text, {"Content-Type": "application/json"})
                answer = connection.getresponse()
                status, document = answer.status, json.loads(answer.read())
            except (OSError, HTTPException, ValueError) as error:
                connection.close()
                self.mine.connection = None
                if used and again:
                    continue  # the server ends connections that have been idle, and says so only now
                raise UnavailableError(f"{method} {path}: {error!r}") from None
            if status == TOO_MANY or status >= BROKEN:
                raise UnavailableError(f"{method} {path}: {status}")
            return status, document
        raise AssertionError("unreachable")

    def listed(self, path: str, selector: str) -> tuple[list[Document], str]:
        """Every object of a collection, and the version at which to begin to watch it.

        Raises:
            UnavailableError: also when the list grew old between two pages.
        """
        found: list[Document] = []
        following = ""
        while True:
            query = f"limit={PAGE}&fieldSelector={quote(selector)}&continue={quote(following)}"
            status, page = self.call("GET", f"{path}?{query}")
            if status != OK:
                raise UnavailableError(f"GET {path}: {status} {page.get('message')}")
            found += page["items"]
            following = page["metadata"].get("continue", "")
            if not following:
                return found, page["metadata"]["resourceVersion"]

    def watched(self, path: str, selector: str, version: str) -> Iterator[tuple[str, Document]]:
        """Changes after ``version``, as type and object, until the API server ends the watch.

        Raises:
            UnavailableError: also when ``version`` is too old, so that a list has to come first.
        """
        query = f"watch=1&allowWatchBookmarks=true&timeoutSeconds={WATCH}&resourceVersion={version}"
        connection = HTTPSConnection(self.host, context=self.tls, timeout=SILENCE)
        try:
            connection.request("GET", f"{path}?{query}&fieldSelector={quote(selector)}")
            answer = connection.getresponse()
            if answer.status != OK:
                raise UnavailableError(f"watch {path}: {answer.status}")
            for line in answer:
                event = json.loads(line)
                if event["type"] == "ERROR":
                    raise UnavailableError(f"watch {path}: {event['object'].get('message')}")
                yield event["type"], event["object"]
        except (OSError, HTTPException, ValueError) as error:
            raise UnavailableError(f"watch {path}: {error!r}") from None
        finally:
            connection.close()
