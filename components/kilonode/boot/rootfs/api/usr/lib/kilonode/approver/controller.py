"""What settles requests: each is judged, and approved and signed, or refused with an Event that says why."""

import base64
import time
import traceback
from datetime import UTC, datetime
from urllib.parse import quote

from cryptography.hazmat.primitives.serialization import Encoding

from approver.api import CONFLICT, MISSING, OK, Api, Document, FailedError, UnavailableError
from approver.certificates import Authority, issue
from approver.events import COMPONENT, Events, say
from approver.judge import Approve, Refuse, Region, Replace, judge, permit
from approver.lease import Lease, now
from approver.requestqueue import RequestQueue, Waiting
from approver.requests import Request, UnreadableError, read_document
from approver.silence import Silences

REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
NODES = "/api/v1/nodes"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"

AGAIN = 10  # seconds until what the region may come to allow is looked at again
RETRY = 1  # seconds after which a step that failed is tried again
PATIENCE = 0.5  # seconds a worker waits for a request before it looks for those that are due again


class Controller:
    """What the workers share."""

    def __init__(self, api: Api, lease: Lease, authority: Authority, queue: RequestQueue) -> None:
        self.api, self.lease, self.authority, self.queue = api, lease, authority, queue
        self.events = Events(api)
        self.silences = Silences()

    def work(self) -> None:
        """Settle one request after another, for ever."""
        while True:
            waiting = self.queue.take(time.monotonic(), PATIENCE)
            if waiting is None:
                continue
            wait, told = None, waiting.told
            try:
                refused = self.settle(waiting)
                if refused is not None:
                    wait = AGAIN if refused.passing else None
                    if told != refused.reason and self.events.tell(waiting.document, refused.reason):
                        told = refused.reason
            except UnavailableError as error:
                say(f"again in {RETRY} s: {error}")
                wait = RETRY
            except (KeyboardInterrupt, SystemExit):
                raise
            except BaseException:  # noqa: BLE001 - one request must not end the others' worker, not by a panic either
                say(traceback.format_exc())
                wait = AGAIN
            self.queue.done(waiting, None if wait is None else time.monotonic() + wait, told)

    def settle(self, waiting: Waiting) -> Refuse | None:
        """Take one request as far as it goes now; why it is refused, if it is."""
        document = waiting.document
        try:
            asked = read_document(document["spec"])
        except UnreadableError as error:
            return Refuse(str(error))
        moment = datetime.now(UTC)
        verdict = self._judged(waiting, asked, int(moment.timestamp()))
        if isinstance(verdict, Refuse):
            return verdict
        try:
            certificate = issue(verdict, self.authority, moment)
        except ValueError as error:
            return Refuse(str(error), passing=True)
        if waiting.approved is None:
            reason = {"type": "Approved", "status": "True", "reason": "NodeCertificateApproved"}
            message = f"{COMPONENT}: {verdict.common_name} asked for by {asked.username}"
            document = self._put(document, "approval", conditions=[reason | {"message": message}])
        text = base64.b64encode(certificate.public_bytes(Encoding.PEM)).decode()
        if document and self._put(document, "status", certificate=text):
            say(f"signed {verdict.common_name} for {asked.signer}, asked for by {asked.username}")
        return None

    def _judged(self, waiting: Waiting, asked: Request, moment: int) -> Approve | Refuse:
        permitted = permit(asked, moment)
        # Most bad requests are bad however the region is, and the API server need not be asked about them.
        # One approved already, by the approver before this one or by hand, is not asked again whether it may be.
        if isinstance(permitted, Refuse) or waiting.approved is not None:
            return permitted
        node, limits = self._node(permitted.node), self.queue.limits
        verdict = judge(asked, self._region(waiting, permitted, node, moment), limits)
        if node is not None and isinstance(verdict, Replace):
            self._remove(node)
            # It may be there still: an object goes when nobody's finalizer holds it any more.
            left = self._node(permitted.node)
            verdict = judge(asked, self._region(waiting, permitted, left, moment), limits)
        return verdict

    def _region(self, waiting: Waiting, permitted: Approve, node: Document | None, moment: int) -> Region:
        joins, made, silent = permitted.joins, None, 0.0
        if node is not None:
            made = int(datetime.fromisoformat(node["metadata"]["creationTimestamp"]).timestamp())
            silent = self.silences.seconds(permitted.node, self._sign(node), now()) if joins else 0
        superseded = joins and self.queue.superseded(waiting)
        free = joins and not superseded and (made is None or silent >= self.queue.limits.silence)
        recent = free and not self.queue.let_in(waiting, time.time())
        return Region(moment, made, silent, recent, superseded)

    def _node(self, name: str) -> Document | None:
        """The Node; None when there is none."""
        return self._read(f"{NODES}/{name}", f"Node {name}")

    def _sign(self, node: Document) -> str:
        """The Node's last sign of life: which state of its Lease, or that it has none; another Node's is another."""
        about = node["metadata"]
        lease = self._read(f"{LEASES}/{about['name']}", f"Lease of {about['name']}")
        return f"{about['uid']} {'' if lease is None else lease['metadata']['resourceVersion']}"

    def _read(self, path: str, called: str) -> Document | None:
        status, answer = self.api.call("GET", path)
        if status == MISSING:
            return None
        if status != OK:
            raise FailedError(f"{called}: {status} {answer.get('message')}")
        return answer

    def _remove(self, node: Document) -> None:
        """Delete this very Node, and none that was made of its name since."""
        name, uid = node["metadata"]["name"], node["metadata"]["uid"]
        only = {"kind": "DeleteOptions", "apiVersion": "v1", "preconditions": {"uid": uid}}
        status, answer = self.api.call("DELETE", f"{NODES}/{name}", only, may=lambda: self.lease.held)
        if status not in (OK, MISSING, CONFLICT):
            raise FailedError(f"Node {name}: {status} {answer.get('message')}")
        if status == OK:
            say(f"removed the Node {name}: silent for {self.queue.limits.silence} s, and a machine asks to join as it")

    def _put(self, document: Document, part: str, **changes: object) -> Document:
        """The request as it is after ``changes`` to its status; empty when it is somebody else's by now."""
        name = document["metadata"]["name"]
        body = document | {"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest"}
        body["status"] = document.get("status", {}) | changes
        path = f"{REQUESTS}/{quote(name, safe='')}/{part}"
        status, answer = self.api.call("PUT", path, body, may=lambda: self.lease.held)
        if status == MISSING:
            self.queue.gone(name)
        if status in (CONFLICT, MISSING):
            return {}
        if status != OK:
            raise FailedError(f"{part} of {name}: {status} {answer.get('message')}")
        self.queue.see(answer)
        return answer
