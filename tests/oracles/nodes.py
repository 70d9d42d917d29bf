"""Machines that ask a living API server to be nodes, as kubelet would."""

import base64
import json
from collections.abc import Sequence
from ipaddress import IPv4Address
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from kilonode.boot.machine import File
from kilonode.limits import RESERVED_AT_START
from kilonode.pki.credentials import node_credentials, unplanned_pool_credentials
from kilonode.pki.kinds import Certificate, Credential
from kilonode.pki.users import NODES as AUTHORITY
from tests.oracles.control_plane import ControlPlane
from tests.oracles.machine import wait_for

REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
EVENTS = "/api/v1/namespaces/default/events"
NODES = "/api/v1/nodes"
CLIENT = "kubernetes.io/kube-apiserver-client-kubelet"
SERVING = "kubernetes.io/kubelet-serving"
PURPOSES = {CLIENT: "client auth", SERVING: "server auth"}
POOL = "workers"
LABEL = "node.kubernetes.io/pool"


class Identity:
    """A client certificate with its key, and the requests made with it."""

    def __init__(self, plane: ControlPlane, name: str, certificate: str, key: str) -> None:
        self.plane, self.name = plane, name
        plane.network.write([File(f"/{name}.crt", certificate), File(f"/{name}.key", key)])
        self.tls = ("--cacert", "ca.crt", "--cert", f"{name}.crt", "--key", f"{name}.key")

    def call(self, method: str, path: str, body: Any = None, kind: str = "application/json") -> Any:
        """The answer, be it an object or a Status that refuses."""
        words = ("-X", method, "-H", f"Content-Type: {kind}")
        text = () if body is None else ("-d", json.dumps(body))
        return json.loads(self.plane.curl(path, *words, *text, tls=self.tls))

    def who(self) -> tuple[str, set[str]]:
        """Name and groups as the API server has them."""
        review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
        user = self.call("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", review)["status"]["userInfo"]
        return user["username"], set(user["groups"])

    def ask(self, signer: str, pem: str, **changes: Any) -> Any:
        """Make a request; the object, or the Status that refuses it."""
        spec = {
            "signerName": signer,
            "request": base64.b64encode(pem.encode()).decode(),
            "usages": ["digital signature", PURPOSES.get(signer, "client auth")],
        }
        body = {"metadata": {"generateName": "csr-"}, "spec": spec | changes}
        return self.call(
            "POST", REQUESTS, body | {"kind": "CertificateSigningRequest", "apiVersion": "certificates.k8s.io/v1"}
        )


class Node:
    """Node ``index`` of a pool, however many it has: its bootstrap identity, and once it has joined its own."""

    def __init__(self, plane: ControlPlane, index: int) -> None:
        pool = next(each for each in plane.rendered.plan.machine_pools if each.spec.name == POOL)
        self.plane, self.name = plane, f"{plane.rendered.plan.spec.name}-{POOL}-{index:05d}"
        self.address: IPv4Address = pool.spec.range[RESERVED_AT_START.value + index]
        rows = node_credentials(POOL, self.name, self.address)
        files = issued(plane, rows)
        self.bootstrap = Identity(plane, f"joining-{index}", files["bootstrap.crt"], files["bootstrap.key"])
        self.key = ec.generate_private_key(ec.SECP256R1())

    @property
    def place(self) -> str:
        """The group that says where it is."""
        return f"kilonode:address:{self.address}"

    def groups(self, joined: int) -> set[str]:
        """The groups of its own identity; ``joined`` in seconds of Unix time."""
        own = {"system:nodes", f"kilonode:pool:{POOL}", self.place, f"kilonode:joined:{joined}"}
        return own | {"system:authenticated"}

    def csr(
        self,
        *,
        name: str = "",
        organization: str = "system:nodes",
        names: tuple[str, ...] = (),
        addresses: tuple[IPv4Address, ...] = (),
    ) -> str:
        """A request with its key."""
        subject = [
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization),
            x509.NameAttribute(NameOID.COMMON_NAME, name or f"system:node:{self.name}"),
        ]
        builder = x509.CertificateSigningRequestBuilder().subject_name(x509.Name(subject))
        alternatives = [*map(x509.DNSName, names), *map(x509.IPAddress, addresses)]
        if alternatives:
            builder = builder.add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
        return builder.sign(self.key, SHA256()).public_bytes(Encoding.PEM).decode()

    def identity(self, certificate: str) -> Identity:
        """Itself, with an issued certificate."""
        key = self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
        return Identity(self.plane, self.name, certificate, key)

    def join(self) -> Identity:
        """Ask to be the node, and wait until it is."""
        asked = self.bootstrap.ask(CLIENT, self.csr())
        assert asked["kind"] == "CertificateSigningRequest", asked
        return self.identity(signed(self.plane, asked))

    def stolen(self, joined: int) -> Identity:
        """Itself as it was when it joined, in the hands of somebody else."""
        groups = tuple(self.groups(joined) - {"system:authenticated"})
        rows = (Certificate("kubelet", "stolen", AUTHORITY, f"system:node:{self.name}", ("client",), groups),)
        files = issued(self.plane, rows)
        return Identity(self.plane, f"stolen-{self.name}", files["stolen.crt"], files["stolen.key"])

    def document(self, pool: str = POOL) -> dict[str, Any]:
        """Its Node as it registers."""
        labels = {LABEL: pool} if pool else {}
        return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": self.name, "labels": labels}}


class Unplanned(Node):
    """A machine whose cloud has chosen its name and address: its identity for joining is its pool's."""

    def __init__(self, plane: ControlPlane, given: str) -> None:
        super().__init__(plane, 0)
        self.name, prefix = f"small-{POOL}-{given}", f"small-{POOL}-"
        self.range = next(each.spec.range for each in plane.rendered.plan.machine_pools if each.spec.name == POOL)
        files = issued(plane, unplanned_pool_credentials(POOL, prefix, self.range))
        self.bootstrap = Identity(plane, f"joining-{POOL}", files["bootstrap.crt"], files["bootstrap.key"])

    @property
    def place(self) -> str:
        """The group that says where it may be."""
        return f"kilonode:range:{self.range}"


def issued(plane: ControlPlane, rows: Sequence[Credential]) -> dict[str, str]:
    """kubelet's files of a machine's credentials."""
    return {file.path.rpartition("kubelet/")[2]: file.content for file in plane.rendered.issued(rows)}


def state(plane: ControlPlane, request: Any) -> Any:
    """The request as it is now."""
    found = plane.get(f"{REQUESTS}/{request['metadata']['name']}")
    assert found["kind"] == "CertificateSigningRequest", found
    return found


def signed(plane: ControlPlane, request: Any) -> str:
    """Wait for its certificate."""
    wait_for(
        lambda: "certificate" in state(plane, request)["status"], "the certificate", lambda: str(said(plane, request))
    )
    return base64.b64decode(state(plane, request)["status"]["certificate"]).decode()


def said(plane: ControlPlane, request: Any) -> list[str]:
    """What the Events about a request say."""
    about = f"involvedObject.uid={request['metadata']['uid']}"
    events = plane.get(f"{EVENTS}?fieldSelector={about}")["items"]
    assert {(each["type"], each["reason"]) for each in events} <= {("Warning", "NodeCertificateRefused")}
    return [each["message"] for each in events]


def refused(plane: ControlPlane, request: Any) -> str:
    """Wait for the Event that says why; the request has to be as it was made."""
    assert request["kind"] == "CertificateSigningRequest", request
    wait_for(lambda: bool(said(plane, request)), "an Event", lambda: str(state(plane, request)["status"]))
    assert state(plane, request)["status"] == {}
    (reason,) = said(plane, request)
    return reason
