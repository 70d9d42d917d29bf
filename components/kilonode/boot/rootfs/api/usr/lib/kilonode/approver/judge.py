"""Who may have which certificate of a node; a pure decision.

Both signers are Kubernetes' own, and what may be asked of them is its definition (Kubernetes docs, Certificates and
Certificate Signing Requests, Kubernetes signers). What is added: a request is for its requester's own name and address.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

from approver.requests import CLIENT, SERVING, Address, Request, shown

JOINING = "kilonode:joining"
NODE_USER = "system:node:"
NODES = "system:nodes"
POOL_GROUP = "kilonode:pool:"
ADDRESS_GROUP = "kilonode:address:"
EVERYBODY = "system:authenticated"

RSA_BITS = range(2048, 8192 + 1)  # Go refuses larger keys in a handshake
CURVES = ("secp256r1", "secp384r1", "secp521r1")

_PURPOSES = {CLIENT: "client auth", SERVING: "server auth"}
_NODE = re.compile(r"[a-z]([a-z0-9-]*[a-z0-9])?")


@dataclass(frozen=True)
class Requester:
    """Whose request it is, as the API server found by the credential: a machine that joins, or a node that has."""

    node: str
    pool: str
    address: Address
    joining: bool

    @classmethod
    def of(cls, username: str, groups: frozenset[str]) -> "Requester | None":
        """Read the user's name and groups; None for whoever has not exactly those of a credential for a node."""
        joining = username.startswith(f"{JOINING}:")
        own, prefix = (JOINING, f"{JOINING}:") if joining else (NODES, NODE_USER)
        pools = [group.removeprefix(POOL_GROUP) for group in groups if group.startswith(POOL_GROUP)]
        addresses = [group.removeprefix(ADDRESS_GROUP) for group in groups if group.startswith(ADDRESS_GROUP)]
        if not username.startswith(prefix) or len(pools) != 1 or len(addresses) != 1:
            return None
        if groups != {own, POOL_GROUP + pools[0], ADDRESS_GROUP + addresses[0], EVERYBODY}:
            return None
        node = username.removeprefix(prefix)
        of_pool, _, number = node.rpartition("-")
        if not (_NODE.fullmatch(node) and of_pool.endswith(f"-{pools[0]}") and re.fullmatch("[0-9]+", number)):
            return None
        try:
            return cls(node, pools[0], ip_address(addresses[0]), joining)
        except ValueError:
            return None


@dataclass(frozen=True)
class Approve:
    """What to sign: all but key, usages and alternative names is made from the requester, whatever the request says."""

    common_name: str
    organizations: tuple[str, ...]
    names: tuple[str, ...]
    addresses: tuple[Address, ...]
    usages: frozenset[str]
    seconds: int | None
    key: Any


@dataclass(frozen=True)
class Refuse:
    """Why not, as a sentence; ``passing`` when the region may change so that the same request is approved."""

    reason: str
    passing: bool = False


def judge(request: Request, *, node_exists: bool, recent: bool, superseded: bool = False) -> Approve | Refuse:
    """Decide about ``request``.

    ``node_exists``: there is a Node of the requester's name. ``recent``: a machine of this name was approved so lately
    that its Node may not be there yet. ``superseded``: a later request of the same machine waits.
    """
    requester = Requester.of(request.username, request.groups)
    if requester is None:
        return Refuse(
            f"{shown(request.username)} is neither a machine that joins nor a node with one pool and one address"
        )
    fault = next(_faults(request, requester), "")
    if fault:
        return Refuse(fault)
    client = request.signer == CLIENT
    unmet = _unmet(requester, node_exists=node_exists, recent=recent, superseded=superseded) if client else ""
    if unmet:
        return Refuse(unmet, passing=True)
    groups = (f"{POOL_GROUP}{requester.pool}", f"{ADDRESS_GROUP}{requester.address}")
    return Approve(
        common_name=f"{NODE_USER}{requester.node}",
        organizations=(NODES, *groups) if client else (NODES,),
        names=request.names,
        addresses=request.addresses,
        usages=request.usages,
        seconds=request.seconds,
        key=request.key,
    )


def _faults(request: Request, requester: Requester) -> Iterator[str]:
    """What is wrong with a request, whatever the region is like."""
    purpose = _PURPOSES.get(request.signer)
    if purpose is None:
        yield f"the signer {shown(request.signer)} is not for nodes"
    name = f"{NODE_USER}{requester.node}"
    right = [(NameOID.COMMON_NAME.dotted_string, name), (NameOID.ORGANIZATION_NAME.dotted_string, NODES)]
    if sorted(request.subject) != sorted(right):
        asked = ", ".join(value for _, value in request.subject)
        yield f"this credential is for {name} of {NODES} alone, and the request is for {shown(asked)}"
    if request.others:
        yield f"it asks for {request.others[0]}, which no certificate of a node has"
    if request.usages - {"key encipherment"} != {"digital signature", purpose}:
        asked = ", ".join(sorted(request.usages))
        yield f"this signer's usages are digital signature and {purpose}, and it asks for {shown(asked)}"
    if not _is_strong(request.key):
        yield "its key is none of EC P-256, P-384, P-521 and RSA from 2048 to 8192 bits"
    asked = shown(", ".join([*request.names, *map(str, request.addresses)]))
    if request.signer == CLIENT:
        if request.names or request.addresses:
            yield f"a node's client certificate has no alternative names, and it asks for {asked}"
        return
    if requester.joining:
        yield "a machine that has not joined serves nothing"
    if set(request.addresses) != {requester.address} or not set(request.names) <= {requester.node}:
        yield f"{requester.node} serves at {requester.address} under its own name, and it asks for {asked}"


def _unmet(requester: Requester, *, node_exists: bool, recent: bool, superseded: bool) -> str:
    """What stands against a client certificate now; nothing when it may be issued."""
    node = requester.node
    if not requester.joining:
        return "" if node_exists else f"there is no Node {node}, and a node that was removed gets no new certificate"
    if node_exists:
        return (
            f"the Node {node} exists, so its credential for joining is used up; if its machine was replaced, delete it"
        )
    if recent:
        return f"a machine was let in as {node} within two minutes, and its Node may still come"
    if superseded:
        return f"a later request to join as {node} waits, and only the latest is answered"
    return ""


def _is_strong(key: object) -> bool:
    if isinstance(key, ec.EllipticCurvePublicKey):
        return key.curve.name in CURVES
    return isinstance(key, rsa.RSAPublicKey) and key.key_size in RSA_BITS
