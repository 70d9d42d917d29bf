"""Requests for nodes' certificates made through the API of a running region, and what becomes of them."""

import base64
import secrets
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec

from ops.claims.api import get
from ops.https import Client
from ops.ready import OK, Region
from tests.apiserver.approver import CLIENT, CN, O, csr
from tests.clouds.local.conftest import PATIENCE
from tests.regions.node import Node, until

REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
EVENTS = "/api/v1/namespaces/default/events"
REFUSED = "NodeCertificateRefused"
CURRENT = "/var/lib/kubelet/pki/kubelet-client-current.pem"


def joining(node: Node) -> Client:
    """The API as the machine that has not joined yet."""
    folder = node.secrets / "kubelet"
    return Client(folder / "ca.crt", folder / "bootstrap.crt", folder / "bootstrap.key")


def joined(node: Node, folder: Path) -> Client:
    """The API as the node, with the certificate its kubelet was given; ``folder`` takes a copy."""
    copy = folder / f"{secrets.token_hex(4)}.pem"
    copy.write_text(node.inside("cat", CURRENT))
    return Client(node.secrets / "kubelet" / "ca.crt", copy, copy)


def ask(region: Region, who: Client, signer: str, name: str, *addresses: str) -> str:
    """Request the certificate of the node ``name`` with a key of our own; the request's name."""
    purpose = "client auth" if signer == CLIENT else "server auth"
    subject = [(O, "system:nodes"), (CN, f"system:node:{name}")]
    pem = csr(subject, (), addresses, key=ec.generate_private_key(ec.SECP256R1()))
    made = f"test-{secrets.token_hex(6)}"
    spec = {
        "request": base64.b64encode(pem).decode(),
        "signerName": signer,
        "usages": ["digital signature", purpose],
    }
    answer = who.call(f"{region.plan.endpoint}{REQUESTS}", "POST", {"metadata": {"name": made}, "spec": spec}, PATIENCE)
    assert answer.status == 201, answer.text
    return made


def refusals(region: Region, request: str) -> list[Any]:
    """The Events that say why a request was refused."""
    selector = f"involvedObject.name={request},reason={REFUSED}"
    return list(get(region, f"{EVENTS}?fieldSelector={selector}")["items"])


def status(region: Region, request: str) -> Any:
    """What a request was given: nothing, or conditions and a certificate."""
    return get(region, f"{REQUESTS}/{request}")["status"]


def refused(region: Region, request: str) -> str:
    """Wait until a request is refused; the reason given."""
    until(lambda: bool(refusals(region, request) or status(region, request)))
    assert status(region, request) == {}, status(region, request)
    return str(refusals(region, request)[0]["message"])


def signed(region: Region, request: str) -> None:
    """Wait until a request has its certificate."""
    until(lambda: "certificate" in status(region, request))


def withdraw(region: Region, request: str) -> None:
    """Delete a request."""
    url = f"{region.plan.endpoint}{REQUESTS}/{request}"
    assert region.api.call(url, "DELETE", timeout=PATIENCE).status == OK


def joins(region: Region) -> set[str]:
    """Names of all requests that machines have made to join."""
    found = get(region, REQUESTS)["items"]
    return {each["metadata"]["name"] for each in found if each["spec"]["username"].startswith("kilonode:joining:")}
