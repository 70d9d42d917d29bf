"""The API server's side of the approver, as data, and an approver without threads."""

import base64
from copy import deepcopy
from datetime import UTC, datetime
from typing import Any

from kilonode.pki.issue import new_authority
from tests.apiserver.approver import CLIENT, LIMITS, api, certificates, controller, csr, named, requestqueue, spec

PAIR = new_authority("west-nodes")
AUTHORITY = certificates.Authority.load(PAIR.certificate.encode(), PAIR.key.encode())
ACTED = datetime.now(UTC).replace(microsecond=0)


class Cluster:
    """The API server's side: requests, Nodes, Events; and the lease, which is held."""

    def __init__(self) -> None:
        self.requests: dict[str, Any] = {}
        self.nodes: dict[str, Any] = {}
        self.leases: dict[str, int] = {}
        """Version of each Node's Lease."""
        self.events: list[Any] = []
        self.version = 0
        self.held = True
        self.away = False
        self.before_delete: Any = lambda: None

    def ask(self, name: str, who: dict[str, Any], signer: str = CLIENT, pem: bytes = b"", **status: Any) -> Any:
        self.version += 1
        moment = f"{ACTED:%Y-%m-%dT%H:%M:%SZ}"
        metadata = {"name": name, "uid": name, "resourceVersion": str(self.version), "creationTimestamp": moment}
        request = base64.b64encode(pem or csr(named(who["username"].rpartition(":")[2]))).decode()
        self.requests[name] = {"metadata": metadata, "spec": spec(signer, who, request=request), "status": status}
        return deepcopy(self.requests[name])

    def make_node(self, name: str, made: datetime) -> None:
        """Another one of its name, if there is one."""
        self.version += 1
        about = {"name": name, "uid": f"uid {self.version}", "creationTimestamp": f"{made:%Y-%m-%dT%H:%M:%SZ}"}
        self.nodes[name] = {"metadata": about}

    def renew(self, name: str) -> None:
        """As a kubelet that lives."""
        self.version += 1
        self.leases[name] = self.version

    def call(self, method: str, path: str, body: Any = None, may: Any = lambda: True) -> tuple[int, Any]:
        if self.away:
            raise api.UnavailableError("away")
        if not may():
            raise api.UnavailableError("too late")
        match method:
            case "GET":
                return self._get(path)
            case "DELETE":
                return self._delete(path.removeprefix(f"{controller.NODES}/"), body)
            case "POST":
                self.events.append(body)
                return 201, body
        name = path.split("/")[-2]
        if self.requests[name]["metadata"]["resourceVersion"] != body["metadata"]["resourceVersion"]:
            return 409, {}
        self.version += 1
        stored = self.requests[name] = deepcopy(body)
        stored["metadata"]["resourceVersion"] = str(self.version)
        for condition in stored["status"].get("conditions", []):
            condition.setdefault("lastUpdateTime", f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}")
        return 200, deepcopy(stored)

    def _get(self, path: str) -> tuple[int, Any]:
        name = path.rpartition("/")[2]
        if path.startswith(controller.LEASES):
            version = self.leases.get(name)
            return (200, {"metadata": {"name": name, "resourceVersion": str(version)}}) if version else (404, {})
        assert path == f"{controller.NODES}/{name}"
        return (200, deepcopy(self.nodes[name])) if name in self.nodes else (404, {})

    def _delete(self, name: str, options: Any) -> tuple[int, Any]:
        self.before_delete()
        about = self.nodes[name]["metadata"]
        if about["uid"] != options["preconditions"]["uid"]:
            return 409, {}
        if "finalizers" in about:
            return 200, deepcopy(self.nodes[name])
        del self.nodes[name]
        return 200, {}

    def signed(self, name: str) -> bool:
        return "certificate" in self.requests[name]["status"]

    def reasons(self) -> list[str]:
        return [event["message"] for event in self.events]


class Leader:
    """An approver without threads: what is due is settled when told so."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.queue = requestqueue.RequestQueue(LIMITS)
        self.controller = controller.Controller(cluster, cluster, AUTHORITY, self.queue)

    def lists(self, signer: str = CLIENT) -> None:
        listed = requestqueue.RequestQueue(LIMITS)
        for name in sorted(self.cluster.requests):
            if self.cluster.requests[name]["spec"]["signerName"] == signer:
                listed.see(deepcopy(self.cluster.requests[name]))
        self.queue.load(signer, listed)

    def settles(self, later: float = 0) -> None:
        """Settle what is due after ``later`` seconds, each request once."""

        class Enough(BaseException):
            pass

        take, had = self.queue.take, set()

        def once(moment: float, _: float) -> Any:
            found = take(moment + later, 0)
            if found is None or found.name in had:
                if found is not None:
                    self.queue.done(found, 0, found.told)
                raise Enough
            had.add(found.name)
            return found

        self.queue.take = once
        try:
            self.controller.work()
        except Enough:
            self.queue.take = take
