"""The API server of this machine: requests, lists and watches, and nothing about what they are for."""

import json
import select
import ssl
from collections.abc import Callable, Iterator
from http.client import HTTPException, HTTPSConnection
from pathlib import Path
from socket import socket
from threading import local
from typing import Any
from urllib.parse import quote

Document = dict[str, Any]

TIMEOUT = 4  # seconds; what was sent at the last moment of a lease has landed, or never will, before another's begins
PAGE = 500
WATCH = 60  # seconds after which the API server ends a watch, which then begins again where it was
SILENCE = WATCH + 15  # seconds after which a watch is dead

OK, CREATED, MISSING, CONFLICT, GONE, TOO_MANY, BROKEN = 200, 201, 404, 409, 410, 429, 500


class UnavailableError(Exception):
    """The API server did not answer, or not now; a later try may do better."""


class FailedError(Exception):
    """The API server refused a step; the text says which."""


class Api:
    """One HTTPS connection per thread, as the client whose credentials lie in ``folder``."""

    def __init__(self, host: str, folder: Path) -> None:
        self.host = host
        self.tls = ssl.create_default_context(cafile=folder / "ca.crt")
        self.tls.load_cert_chain(folder / "client.crt", folder / "client.key")
        self.mine = local()

    def call(
        self, method: str, path: str, body: Document | None = None, may: Callable[[], bool] = lambda: True
    ) -> tuple[int, Document]:
        """Return status and document of an answer; ``may`` is asked at the last moment before the request is sent.

        Nothing is sent twice: who got no answer cannot know whether the first has been, or is yet to be, acted upon.

        Raises:
            UnavailableError: when there is no answer, when it may not be sent, or the API server is too busy.
        """
        text = None if body is None else json.dumps(body)
        connection = self._connection()
        try:
            if connection.sock is None:
                connection.connect()
            if not may():
                raise UnavailableError(f"{method} {path}: too late")
            # The API server itself gives up a write that waits for longer, also when nobody listens any more.
            url = path if method == "GET" else f"{path}?timeout={TIMEOUT}s"
            connection.request(method, url, text, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            status, document = answer.status, json.loads(answer.read())
        except (OSError, HTTPException, ValueError) as error:
            connection.close()
            raise UnavailableError(f"{method} {path}: {error!r}") from None
        if status == TOO_MANY or status >= BROKEN:
            raise UnavailableError(f"{method} {path}: {status}")
        return status, document

    def _connection(self) -> HTTPSConnection:
        """This thread's; a new one when the server has ended it, as it does with those that are idle."""
        mine: HTTPSConnection | None = getattr(self.mine, "connection", None)
        if mine is None or (mine.sock is not None and _has_news(mine.sock)):
            if mine is not None:
                mine.close()
            mine = self.mine.connection = HTTPSConnection(self.host, context=self.tls, timeout=TIMEOUT)
        return mine

    def listed(self, path: str, selector: str, see: Callable[[Document], None]) -> str:
        """Give every object of a collection to ``see``; the version at which to begin to watch it.

        Raises:
            UnavailableError: also when the list grew old between two pages.
        """
        following = ""
        while True:
            query = f"limit={PAGE}&fieldSelector={quote(selector)}&continue={quote(following)}"
            status, page = self.call("GET", f"{path}?{query}")
            if status != OK:
                raise UnavailableError(f"GET {path}: {status} {page.get('message')}")
            for each in page["items"]:
                see(each)
            following = page["metadata"].get("continue", "")
            if not following:
                version: str = page["metadata"]["resourceVersion"]
                return version

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


def _has_news(connection: socket) -> bool:
    """Whether there is something to read where nothing was asked: the end of it."""
    waiting = select.poll()
    waiting.register(connection, select.POLLIN)
    return bool(waiting.poll(0))
