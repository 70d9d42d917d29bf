"""HTTP to what the machine's cloud offers: straight, without a proxy, and never on to where an answer points."""

import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError

TIMEOUT = 10.0  # seconds without a byte
OK, CREATED, TOO_MANY, BROKEN = 200, 201, 429, 500


@dataclass(frozen=True)
class Answer:
    """What came back, whatever its status; headers are found whatever their case."""

    status: int
    headers: "Message | Mapping[str, str]"
    body: bytes


class _Straight(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the machine's token to whoever it names."""

    def redirect_request(self, *_arguments: Any, **_more: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}), _Straight)


def call(method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> Answer:
    """Send a request.

    Raises:
        OSError: when no answer came.
    """
    request = urllib.request.Request(url, data=body, headers=dict(headers), method=method)
    try:
        with _OPENER.open(request, timeout=TIMEOUT) as response:
            return Answer(response.status, response.headers, response.read())
    except HTTPError as answered:
        with answered:
            return Answer(answered.code, answered.headers, answered.read())
    except HTTPException as broken:
        raise ConnectionError(f"the answer broke off: {broken!r}") from None
