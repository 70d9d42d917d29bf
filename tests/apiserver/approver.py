"""The approver's own modules, imported from where they lie in the image's tree, and requests to give to them."""

import sys
from importlib import import_module, resources
from ipaddress import ip_address
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

FOLDER = str(resources.files("kilonode.boot") / "rootfs" / "api" / "usr" / "lib" / "kilonode")


def module(name: str) -> Any:
    """``name`` of the package that the image carries; compiled files beside the source would land in the image."""
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    sys.path.insert(0, FOLDER)
    try:
        return import_module(f"approver.{name}")
    finally:
        sys.path.remove(FOLDER)
        sys.dont_write_bytecode = before


requests, judge, certificates, book, api, lease = map(
    module, ("requests", "judge", "certificates", "book", "api", "lease")
)

CLIENT, SERVING = requests.CLIENT, requests.SERVING
NODE, POOL, ADDRESS = "west-workers-00007", "workers", "10.66.0.221"
KEY = ec.generate_private_key(ec.SECP256R1())
O, CN = NameOID.ORGANIZATION_NAME, NameOID.COMMON_NAME  # noqa: E741 - X.509's own abbreviations


def joining(node: str = NODE, pool: str = POOL, address: str = ADDRESS) -> dict[str, Any]:
    """What the API server writes about a machine that joins."""
    groups = ["kilonode:joining", f"kilonode:pool:{pool}", f"kilonode:address:{address}", "system:authenticated"]
    return {"username": f"kilonode:joining:{node}", "groups": groups}


def joined(node: str = NODE, pool: str = POOL, address: str = ADDRESS) -> dict[str, Any]:
    """What it writes about a node."""
    groups = ["system:nodes", f"kilonode:pool:{pool}", f"kilonode:address:{address}", "system:authenticated"]
    return {"username": f"system:node:{node}", "groups": groups}


def csr(
    subject: list[tuple[Any, str]] | None = None,
    names: tuple[str, ...] = (),
    addresses: tuple[str, ...] = (),
    *more: x509.GeneralName,
    key: Any = KEY,
) -> bytes:
    """A request as kubelet makes it, or another."""
    subject = [(O, "system:nodes"), (CN, f"system:node:{NODE}")] if subject is None else subject
    builder = x509.CertificateSigningRequestBuilder().subject_name(
        x509.Name([x509.NameAttribute(oid, value) for oid, value in subject])
    )
    alternatives = [*map(x509.DNSName, names), *(x509.IPAddress(ip_address(each)) for each in addresses), *more]
    if alternatives:
        builder = builder.add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
    return builder.sign(key, SHA256()).public_bytes(Encoding.PEM)


def spec(signer: str, who: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The spec of a request, without the request itself."""
    purpose = "client auth" if signer == CLIENT else "server auth"
    return {"signerName": signer, "usages": ["digital signature", purpose], **who, **changes}


def verdict(signer: str, who: dict[str, Any], pem: bytes, *, node_exists: bool = False, **region: Any) -> Any:
    """What is decided: Approve or Refuse."""
    usages = region.pop("usages", None)
    asked = requests.read(spec(signer, who, **({"usages": usages} if usages is not None else {})), pem)
    return judge.judge(asked, node_exists=node_exists, recent=region.pop("recent", False), **region)
