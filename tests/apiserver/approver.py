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

from kilonode.apiserver.joining import APPROVER_LIMITS

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


requests, requester, judge, certificates, requestqueue, controller, events, api, lease, limits, silence = map(
    module,
    (
        "requests",
        "requester",
        "judge",
        "certificates",
        "requestqueue",
        "controller",
        "events",
        "api",
        "lease",
        "limits",
        "silence",
    ),
)
LIMITS = limits.Limits.read({row.key: str(row.value) for row in APPROVER_LIMITS})

CLIENT, SERVING = requests.CLIENT, requests.SERVING
NODE, POOL, ADDRESS = "west-workers-00007", "workers", "10.66.0.221"
PREFIX, RANGE = "west-workers-", "10.66.0.0/16"
GIVEN = f"{PREFIX}0000000a"
NOW = 1_800_000_000
JOINED = NOW - 90 * 86400
KEY = ec.generate_private_key(ec.SECP256R1())
O, CN = NameOID.ORGANIZATION_NAME, NameOID.COMMON_NAME  # noqa: E741 - X.509's own abbreviations
OTHER_NODE, OTHER_POOL, OTHER_ADDRESS = "west-workers-00008", "wide", "10.66.0.252"
REGISTRATION, SILENCE = LIMITS.registration, LIMITS.silence
GROUPS = ("system:nodes", f"kilonode:pool:{POOL}", f"kilonode:address:{ADDRESS}")


def joining(node: str = NODE, pool: str = POOL, address: str = ADDRESS) -> dict[str, Any]:
    """What the API server writes about a machine that joins."""
    groups = ["kilonode:joining", f"kilonode:pool:{pool}", f"kilonode:address:{address}", "system:authenticated"]
    return {"username": f"kilonode:joining:{node}", "groups": groups}


def joined(node: str = NODE, pool: str = POOL, address: str = ADDRESS, at: int | str = JOINED) -> dict[str, Any]:
    """What it writes about a node."""
    groups = ["system:nodes", f"kilonode:pool:{pool}", f"kilonode:address:{address}", f"kilonode:joined:{at}"]
    return {"username": f"system:node:{node}", "groups": [*groups, "system:authenticated"]}


def joining_pool(pool: str = POOL, prefix: str = PREFIX, addresses: str = RANGE) -> dict[str, Any]:
    """What it writes about a machine whose name and address its cloud has chosen."""
    groups = ["kilonode:joining", f"kilonode:pool:{pool}", f"kilonode:names:{prefix}", f"kilonode:range:{addresses}"]
    return {"username": f"kilonode:joining:{pool}", "groups": [*groups, "system:authenticated"]}


def joined_pool(node: str = GIVEN, pool: str = POOL, addresses: str = RANGE, at: int = JOINED) -> dict[str, Any]:
    """What it writes about such a node."""
    groups = ["system:nodes", f"kilonode:pool:{pool}", f"kilonode:range:{addresses}", f"kilonode:joined:{at}"]
    return {"username": f"system:node:{node}", "groups": [*groups, "system:authenticated"]}


def named(node: str) -> list[tuple[Any, str]]:
    """The subject of a node."""
    return [(O, "system:nodes"), (CN, f"system:node:{node}")]


def csr(
    subject: list[tuple[Any, str]] | None = None,
    names: tuple[str, ...] = (),
    addresses: tuple[str, ...] = (),
    *more: x509.GeneralName,
    key: Any = KEY,
) -> bytes:
    """A request as kubelet makes it, or another."""
    subject = named(NODE) if subject is None else subject
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


def verdict(signer: str, who: dict[str, Any], pem: bytes, *, node_made: int | None = None, **region: Any) -> Any:
    """What is decided: Approve or Refuse."""
    usages = region.pop("usages", None)
    asked = requests.read(spec(signer, who, **({"usages": usages} if usages is not None else {})), pem)
    return judge.judge(asked, judge.Region(region.pop("now", NOW), node_made, **region), LIMITS)


def serving(
    names: tuple[str, ...] = (NODE,), addresses: tuple[str, ...] = (ADDRESS,), *more: x509.GeneralName
) -> bytes:
    """A request for a serving certificate."""
    return csr(None, names, addresses, *more)


def reason(decided: Any, *, passing: bool = False) -> str:
    """Why it was refused, as it must have been."""
    assert isinstance(decided, judge.Refuse), decided
    assert decided.passing == passing
    return str(decided.reason)
