"""Certificate requests as read, and as the API server keeps them."""

import base64
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from typing import Any

from cryptography import x509
from cryptography.x509.oid import NameOID

CLIENT = "kubernetes.io/kube-apiserver-client-kubelet"
SERVING = "kubernetes.io/kubelet-serving"
BEGIN = b"-----" + b"BEGIN "  # in two, as whoever looks for key material in the image looks for it in one
PEM = BEGIN + b"CERTIFICATE REQUEST-----"
LINE = 120  # characters of foreign text in a sentence
_NODE_NAME = "system:node:"

Address = IPv4Address | IPv6Address


@dataclass(frozen=True)
class Request:
    """A request as read: the signer, what it asks for, and who the API server says has made it."""

    signer: str
    username: str
    groups: frozenset[str]
    usages: frozenset[str]
    seconds: int | None
    key: Any
    subject: tuple[tuple[str, str], ...]
    """Attributes of the name asked for: dotted identifier and text."""

    names: tuple[str, ...]
    addresses: tuple[Address, ...]
    others: tuple[str, ...]
    """Whatever else it asks for: alternative names of other kinds, other extensions."""

    @property
    def node(self) -> str:
        """The node it asks to be; empty when it asks for none, or for several."""
        found = [value for oid, value in self.subject if oid == NameOID.COMMON_NAME.dotted_string]
        return found[0].removeprefix(_NODE_NAME) if len(found) == 1 and found[0].startswith(_NODE_NAME) else ""


class UnreadableError(ValueError):
    """A request that is none; the text is a sentence."""


def read(spec: dict[str, Any], pem: bytes) -> Request:
    """Read the ``spec`` of a CertificateSigningRequest and its decoded ``request``.

    Raises:
        UnreadableError: when the request is damaged, or its signature is not by the key it names.
    """
    if pem.count(BEGIN) != 1 or not pem.lstrip().startswith(PEM):
        raise UnreadableError("it is not one PEM certificate request")
    try:
        asked = x509.load_pem_x509_csr(pem)
        signed = asked.is_signature_valid
        subject = tuple((each.oid.dotted_string, str(each.value)) for each in asked.subject)
        key = asked.public_key()
        names, addresses, others = _extensions(asked)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 - the parser is Rust, whose panics are no Exceptions
        raise UnreadableError(f"it cannot be read: {shown(str(error))}") from None
    if not signed:
        raise UnreadableError("its signature is not by the key it names")
    return Request(
        signer=str(spec.get("signerName")),
        username=str(spec.get("username")),
        groups=frozenset(spec.get("groups") or ()),
        usages=frozenset(spec.get("usages") or ()),
        seconds=spec.get("expirationSeconds"),
        key=key,
        subject=subject,
        names=names,
        addresses=addresses,
        others=others,
    )


def read_document(spec: dict[str, Any]) -> Request:
    """Read the ``spec`` of a CertificateSigningRequest.

    Raises:
        UnreadableError: as :func:`read`.
    """
    try:
        pem = base64.b64decode(spec["request"], validate=True)
    except ValueError as error:
        raise UnreadableError(f"it cannot be read: {shown(str(error))}") from None
    return read(spec, pem)


def shown(text: str) -> str:
    """Text from outside as it may stand in a sentence: escaped, and not long."""
    escaped = ascii(text)
    return escaped if len(escaped) <= LINE else f"{escaped[:LINE]}..."


def _extensions(asked: x509.CertificateSigningRequest) -> tuple[tuple[str, ...], tuple[Address, ...], tuple[str, ...]]:
    names: list[str] = []
    addresses: list[Address] = []
    others: list[str] = []
    for extension in asked.extensions:
        if not isinstance(extension.value, x509.SubjectAlternativeName):
            others.append(f"the extension {extension.oid.dotted_string}")
            continue
        for each in extension.value:
            if isinstance(each, x509.DNSName):
                names.append(each.value)
            elif isinstance(each, x509.IPAddress) and isinstance(each.value, Address):
                addresses.append(each.value)
            else:
                others.append(f"an alternative name of the kind {type(each).__name__}")
    return tuple(names), tuple(addresses), tuple(others)
