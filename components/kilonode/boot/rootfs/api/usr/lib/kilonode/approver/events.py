"""Events that say why a request was refused: one for each user and reason in a minute, and few of one user."""

import hashlib
import sys
import time
from datetime import UTC, datetime
from itertools import islice
from threading import Lock

from approver.api import CONFLICT, CREATED, OK, Api, Document, FailedError

EVENTS = "/api/v1/namespaces/default/events"  # where Events about objects without a namespace are kept
COMPONENT = "kilonode-node-approver"
REFUSED = "NodeCertificateRefused"

SPAN = 60  # seconds
MOST = 10  # Events in that time about one user's requests: by what they ask for he could make reasons without end


class Events:
    """What was said lately, and to whom."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self._lock = Lock()
        self._said: dict[str, dict[str, float]] = {}

    def tell(self, request: Document, reason: str) -> bool:
        """Say why ``request`` is refused; False when its user was told the same, or much, a moment ago.

        Raises:
            UnavailableError: when the API server does not answer.
            FailedError: when it refuses the Event.
        """
        user = request["spec"]["username"]
        if not self._may(user, reason, time.monotonic()):
            return False
        try:
            self._make(request, reason)
        except BaseException:
            with self._lock:
                self._said.get(user, {}).pop(reason, None)
            raise
        return True

    def _may(self, user: str, reason: str, now: float) -> bool:
        with self._lock:
            said = {text: moment for text, moment in self._said.pop(user, {}).items() if now - moment < SPAN}
            free = reason not in said and len(said) < MOST
            if free:
                said[reason] = now
            self._said[user] = said  # the last one: who was told nothing for long comes first
            for other in list(islice(self._said, 2)):
                if other != user and now - max(self._said[other].values(), default=0) >= SPAN:
                    del self._said[other]
            return free

    def _make(self, request: Document, reason: str) -> None:
        name, uid = request["metadata"]["name"], request["metadata"]["uid"]
        moment = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
        # Named by what it says: the next holder of the lease, who looks at the request anew, repeats nothing.
        digest = hashlib.sha256(f"{uid} {reason}".encode()).hexdigest()[:20]
        about = {"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest"}
        event = {
            "metadata": {"name": f"{COMPONENT}.{digest}", "namespace": "default"},
            "involvedObject": about | {"name": name, "uid": uid},
            "type": "Warning",
            "reason": REFUSED,
            "message": reason,
            "source": {"component": COMPONENT},
            "firstTimestamp": moment,
            "lastTimestamp": moment,
            "count": 1,
        }
        status, answer = self.api.call("POST", EVENTS, event)
        if status not in (OK, CREATED, CONFLICT):
            raise FailedError(f"Event about {name}: {status} {answer.get('message')}")
        say(f"refused {name}: {reason}")


def say(text: str) -> None:
    """One line to the journal."""
    print(text, file=sys.stderr, flush=True)
