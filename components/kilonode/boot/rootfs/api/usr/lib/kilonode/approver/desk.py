"""Where requests are settled: each is judged, and approved and signed, or refused with an Event that says why."""

import base64
import hashlib
import sys
import time
import traceback
from datetime import UTC, datetime
from urllib.parse import quote

from cryptography.hazmat.primitives.serialization import Encoding

from approver.api import CONFLICT, CREATED, MISSING, OK, Api, Document, UnavailableError
from approver.book import Book, joins
from approver.certificates import Authority, issue
from approver.judge import NODE_USER, Approve, Refuse, judge
from approver.lease import Lease
from approver.requests import CLIENT, Request, UnreadableError, read

REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
EVENTS = "/api/v1/namespaces/default/events"  # where Events about objects without a namespace are kept
COMPONENT = "kilonode-node-approver"
REFUSED = "NodeCertificateRefused"

AGAIN = 10  # seconds until what the region may come to allow is looked at again
RETRY = 1  # seconds after which a step that failed is tried again
PATIENCE = 0.5  # seconds a worker waits for a request before it looks for those that are due again


class FailedError(Exception):
    """The API server refused a step; the text says which."""


class Desk:
    """What the workers share."""

    def __init__(self, api: Api, lease: Lease, authority: Authority, book: Book) -> None:
        self.api, self.lease, self.authority, self.book = api, lease, authority, book
        self._told: dict[str, str] = {}

    def work(self) -> None:
        """Settle one request after another, for ever."""
        while True:
            request = self.book.take(time.monotonic(), PATIENCE)
            if request is None:
                continue
            wait = None
            try:
                wait = self.settle(request)
            except UnavailableError as error:
                say(f"again in {RETRY} s: {error}")
                wait = RETRY
            except Exception:  # noqa: BLE001 - one request must not end the others' worker
                say(traceback.format_exc())
                wait = AGAIN
            self.book.done(request["metadata"]["name"], None if wait is None else time.monotonic() + wait)

    def settle(self, request: Document) -> float | None:
        """Take one request as far as it goes now; seconds until it is to be looked at again, if ever."""
        try:
            asked = read(request["spec"], base64.b64decode(request["spec"]["request"]))
        except UnreadableError as error:
            return self._refuse(request, Refuse(str(error)))
        verdict = self._judged(request, asked)
        if isinstance(verdict, Refuse):
            return self._refuse(request, verdict)
        now = datetime.now(UTC)
        try:
            certificate = issue(verdict, self.authority, now)
        except ValueError as error:
            return self._refuse(request, Refuse(str(error), passing=True))
        if not _approved(request):
            reason = {"type": "Approved", "status": "True", "reason": "NodeCertificateApproved"}
            message = f"{COMPONENT}: {verdict.common_name} asked for by {asked.username}"
            request = self._put(request, "approval", conditions=[reason | {"message": message}])
        text = base64.b64encode(certificate.public_bytes(Encoding.PEM)).decode()
        if request and self._put(request, "status", certificate=text):
            say(f"signed {verdict.common_name} for {asked.signer}, asked for by {asked.username}")
        return None

    def _judged(self, request: Document, asked: Request) -> Approve | Refuse:
        joining = joins(request)
        # At best: most bad requests are bad however the region is, and the API server need not be asked about them.
        # One approved already, by the approver before this one or by hand, is not asked again whether it may be.
        verdict = judge(asked, node_exists=not joining, recent=False)
        if isinstance(verdict, Refuse) or asked.signer != CLIENT or _approved(request):
            return verdict
        exists = self._node_exists(verdict.common_name.removeprefix(NODE_USER))
        superseded = joining and self.book.superseded(request)
        free = joining and not exists and not superseded
        recent = free and not self.book.let_in(request, time.time())
        return judge(asked, node_exists=exists, recent=recent, superseded=superseded)

    def _node_exists(self, name: str) -> bool:
        status, answer = self.api.call("GET", f"/api/v1/nodes/{name}")
        if status not in (OK, MISSING):
            raise FailedError(f"Node {name}: {status} {answer.get('message')}")
        return status == OK

    def _put(self, request: Document, part: str, **changes: object) -> Document:
        """The request as it is after ``changes`` to its status; empty when it is somebody else's by now."""
        if not self.lease.held:
            raise UnavailableError("the lease is not held")
        name = request["metadata"]["name"]
        body = request | {"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest"}
        body["status"] = request.get("status", {}) | changes
        status, answer = self.api.call("PUT", f"{REQUESTS}/{quote(name, safe='')}/{part}", body)
        if status == MISSING:
            self.book.gone(name)
        if status in (CONFLICT, MISSING):
            return {}
        if status != OK:
            raise FailedError(f"{part} of {name}: {status} {answer.get('message')}")
        self.book.see(answer)
        return answer

    def _refuse(self, request: Document, verdict: Refuse) -> float | None:
        """Say once why; what may pass is looked at again."""
        name, uid = request["metadata"]["name"], request["metadata"]["uid"]
        if self._told.get(name) != verdict.reason:
            moment = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
            # Named by what it says: the next holder of the lease, who looks at the request anew, repeats nothing.
            digest = hashlib.sha256(f"{uid} {verdict.reason}".encode()).hexdigest()[:20]
            about = {"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest"}
            event = {
                "metadata": {"name": f"{COMPONENT}.{digest}", "namespace": "default"},
                "involvedObject": about | {"name": name, "uid": uid},
                "type": "Warning",
                "reason": REFUSED,
                "message": verdict.reason,
                "source": {"component": COMPONENT},
                "firstTimestamp": moment,
                "lastTimestamp": moment,
                "count": 1,
            }
            status, answer = self.api.call("POST", EVENTS, event)
            if status not in (OK, CREATED, CONFLICT):
                raise FailedError(f"Event about {name}: {status} {answer.get('message')}")
            self._told[name] = verdict.reason
            say(f"refused {name}: {verdict.reason}")
        return AGAIN if verdict.passing else None


def say(text: str) -> None:
    """One line to the journal."""
    print(text, file=sys.stderr, flush=True)


def _approved(request: Document) -> bool:
    return any(each["type"] == "Approved" for each in request.get("status", {}).get("conditions", []))
