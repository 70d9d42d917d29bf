"""The lease that lets one approver act while the others stand by."""

import secrets
import socket
import time
from datetime import UTC, datetime

from approver.api import CREATED, MISSING, OK, Api, Document, UnavailableError

NAME = "kilonode-node-approver"
COLLECTION = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"

DURATION = 15  # seconds; as the controllers of Kubernetes have it
RENEW = 5
DEADLINE = 10  # seconds without a renewal after which the holder stops, well before another may begin


def now() -> float:
    """Seconds that go on while the machine is asleep."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Lease:
    """One approver's side of the lease."""

    def __init__(self, api: Api) -> None:
        self.api = api
        # A process that starts again is another holder: what the one before it has begun may still land.
        self.identity = f"{socket.gethostname()}_{secrets.token_hex(8)}"
        self.holder = ""
        """Who held it when last asked."""

        self._until = 0.0
        self._seen: tuple[str, str] = ("", "")
        self._seen_at = 0.0

    @property
    def held(self) -> bool:
        """Whether this approver may act now."""
        return now() < self._until

    def take(self) -> bool:
        """Take or renew it; False when another holds it, or the API server does not answer."""
        begin = now()
        try:
            status, lease = self.api.call("GET", f"{COLLECTION}/{NAME}")
            if status == MISSING:
                status, lease = self.api.call("POST", COLLECTION, self._body({"metadata": {"name": NAME}}))
            elif status == OK and self._is_free(lease):
                status, lease = self.api.call("PUT", f"{COLLECTION}/{NAME}", self._body(lease))
            else:
                return False
        except UnavailableError:
            return False
        if status not in (OK, CREATED):
            return False
        self.holder, self._until = self.identity, begin + DEADLINE
        return True

    def give_up(self) -> None:
        """Act no more, and let another begin at once."""
        if not self.held:
            return
        self._until = 0.0
        try:
            status, lease = self.api.call("GET", f"{COLLECTION}/{NAME}")
            if status == OK and lease["spec"].get("holderIdentity") == self.identity:
                lease["spec"].pop("holderIdentity")
                self.api.call("PUT", f"{COLLECTION}/{NAME}", lease)
        except UnavailableError:
            return

    def _is_free(self, lease: Document) -> bool:
        """Whether nobody else holds it: by this machine's clock, since clocks of two machines differ."""
        spec = lease.get("spec", {})
        self.holder = spec.get("holderIdentity") or ""
        seen = (self.holder, spec.get("renewTime") or "")
        if seen != self._seen:
            self._seen, self._seen_at = seen, now()
        return self.holder in ("", self.identity) or now() - self._seen_at > DURATION

    def _body(self, lease: Document) -> Document:
        before, moment = lease.get("spec", {}), f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"
        mine = before.get("holderIdentity") == self.identity
        spec = {
            "holderIdentity": self.identity,
            "leaseDurationSeconds": DURATION,
            "acquireTime": before["acquireTime"] if mine else moment,
            "renewTime": moment,
            "leaseTransitions": before.get("leaseTransitions", 0) + (not mine),
        }
        return lease | {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "spec": spec}
