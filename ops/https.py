"""HTTPS with the operator's credentials, to the region's machines at their planned addresses."""

import http.client
import json
import ssl
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TIMEOUT = 30.0  # seconds; a busy region answers late, and what comes late is an answer


@dataclass(frozen=True)
class Answer:
    """Status 0 means that no answer came; ``text`` says why."""

    status: int
    text: str

    def json(self) -> Any:
        """The parsed body."""
        return json.loads(self.text)


class Client:
    """Trusts one authority, and shows one client certificate if given."""

    def __init__(self, authority: Path | None, certificate: Path | None = None, key: Path | None = None) -> None:
        self._tls = ssl.create_default_context(cafile=str(authority) if authority else None)
        # A proxy that the host's environment names is not for the region's addresses.
        own = urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=self._tls)
        self._opener = urllib.request.build_opener(*own)
        if certificate and key:
            self._tls.load_cert_chain(certificate, key)

    @classmethod
    def trusting_anyone(cls) -> "Client":
        """For servers with a certificate of their own making, when only their refusal is of interest."""
        client = cls(None)
        client._tls.check_hostname, client._tls.verify_mode = False, ssl.CERT_NONE
        return client

    def call(self, url: str, method: str = "GET", body: Any = None, timeout: float = TIMEOUT) -> Answer:
        """Make one request; errors of the network are an :class:`Answer` too."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
        try:
            with self._opener.open(request, timeout=timeout) as reply:
                return Answer(reply.status, reply.read().decode())
        except urllib.error.HTTPError as error:
            return Answer(error.code, error.read().decode(errors="replace"))
        except (OSError, ssl.SSLError, http.client.HTTPException) as error:
            return Answer(0, str(error))
