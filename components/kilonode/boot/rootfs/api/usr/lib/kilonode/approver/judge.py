"""Who may have which certificate of a node; a pure decision.

Both signers are Kubernetes' own, and what may be asked of them is its definition (Kubernetes docs, Certificates and
Certificate Signing Requests, Kubernetes signers). What is added: a request is for its requester's own name and address,
and a node that was removed gets nothing more, whoever has made a Node of its name since.

A machine that was given a new disk under its old name (a reimage, a batch of a rolling upgrade) has lost its certificate
and asks to join while its Node exists. It is let in once that Node has been silent for five minutes, and the Node goes
first. So whoever holds a credential for joining can take the name of a node that is silent, beside those that are not
there; by then the node's pods are evicted anyway, and what its own certificate renews ends with its Node. The name of a
node that renews its Lease is safe.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

from approver.limits import Limits
from approver.requester import JOINED_GROUP, NODE_USER, NODES, Requester
from approver.requests import CLIENT, SERVING, Address, Request, shown

RSA_BITS = range(2048, 8192 + 1)  # Go refuses larger keys in a handshake
CURVES = ("secp256r1", "secp384r1", "secp521r1")

_PURPOSES = {CLIENT: "client auth", SERVING: "server auth"}


@dataclass(frozen=True)
class Approve:
    """What to sign: all but key, usages and alternative names is made from the requester, whatever the request says."""

    node: str
    organizations: tuple[str, ...]
    names: tuple[str, ...]
    addresses: tuple[Address, ...]
    usages: frozenset[str]
    seconds: int | None
    key: Any
    joins: bool

    @property
    def common_name(self) -> str:
        """The node as a user of the API."""
        return f"{NODE_USER}{self.node}"


@dataclass(frozen=True)
class Refuse:
    """Why not, as a sentence; ``passing`` when the region may change so that the same request is approved."""

    reason: str
    passing: bool = False


@dataclass(frozen=True)
class Replace(Refuse):
    """Not before the Node of its name, which is silent, is removed; then the request is to be judged again."""


@dataclass(frozen=True)
class Region:
    """What a decision rests on beside the request; moments are seconds of Unix time."""

    now: int
    node_made: int | None
    """When the Node of the requester's name was made, by its creationTimestamp; None when there is none."""

    silent: float = 0
    """For how many seconds nothing was heard of that Node."""

    recent: bool = False
    """A machine of this name was approved so lately that its Node may not be there yet."""

    superseded: bool = False
    """A later request of the same machine waits."""


def permit(request: Request, now: int) -> Approve | Refuse:
    """Decide by the request alone, made at the best of times."""
    requester = Requester.of(request)
    if requester is None:
        return Refuse(
            f"{shown(request.username)} is neither a machine that joins nor a node with one pool and one address or range"
        )
    fault = next(_faults(request, requester), "")
    if fault:
        return Refuse(fault)
    groups: tuple[str, ...] = ()
    if request.signer == CLIENT:
        joined = now if requester.joined is None else requester.joined
        groups = (*requester.groups, f"{JOINED_GROUP}{joined}")
    return Approve(
        node=requester.node,
        organizations=(NODES, *groups),
        names=request.names,
        addresses=request.addresses,
        usages=request.usages,
        seconds=request.seconds,
        key=request.key,
        joins=requester.joined is None,
    )


def judge(request: Request, region: Region, limits: Limits) -> Approve | Refuse:
    """Decide about ``request`` as the region is."""
    permitted, requester = permit(request, region.now), Requester.of(request)
    if isinstance(permitted, Refuse) or requester is None:
        return permitted
    if requester.joined is None:
        unmet = _unmet_joining(requester.node, region, limits.silence)
        if not unmet and region.node_made is not None:
            return Replace(f"the Node {requester.node} is silent, and is being removed", passing=True)
        return Refuse(unmet, passing=True) if unmet else permitted
    end = requester.joined + limits.registration
    unmet = _unmet_joined(requester.node, region, end, serves=request.signer == SERVING)
    return Refuse(unmet, passing=region.now <= end) if unmet else permitted


def _faults(request: Request, requester: Requester) -> Iterator[str]:
    """What is wrong with a request, whatever the region is like."""
    purpose = _PURPOSES.get(request.signer)
    if purpose is None:
        yield f"the signer {shown(request.signer)} is not for nodes"
    name = f"{NODE_USER}{requester.node}"
    right = [(NameOID.COMMON_NAME.dotted_string, name), (NameOID.ORGANIZATION_NAME.dotted_string, NODES)]
    if not requester.node or sorted(request.subject) != sorted(right):
        asked = ", ".join(value for _, value in request.subject)
        own = f"{NODE_USER}{requester.called}"
        yield f"this credential is for {own} of {NODES} alone, and the request is for {shown(asked)}"
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
    if requester.joined is None:
        yield "a machine that has not joined serves nothing"
    if not requester.is_at(request.addresses) or not set(request.names) <= {requester.node}:
        where = f"{requester.place}" if isinstance(requester.place, Address) else f"one address of {requester.place}"
        yield f"{requester.node} serves at {where} under its own name, and it asks for {asked}"


def _unmet_joining(node: str, region: Region, silence: int) -> str:
    """What stands against letting a machine in now; nothing when it may be, in place of a Node that is silent too."""
    if region.node_made is not None and region.silent < silence:
        return (
            f"the Node {node} exists, so its credential for joining is used up; if its machine was replaced, "
            f"the new one is let in when nothing was heard of the old for {silence} s, or when the Node is deleted"
        )
    if region.recent:
        return f"a machine was let in as {node} within two minutes, and its Node may still come"
    if region.superseded:
        return f"a later request to join as {node} waits, and only the latest is answered"
    return ""


def _unmet_joined(node: str, region: Region, end: int, *, serves: bool) -> str:
    """What stands against a next certificate now: a Node that came after ``end`` was made with an old certificate."""
    if region.node_made is None:
        if serves and region.now <= end:
            return ""  # kubelet may ask before it has registered
        return (
            f"there is no Node {node}, and a node that was removed gets no new certificate; its machine can join anew"
        )
    if region.node_made > end:
        return f"the Node {node} was made long after this credential's machine had joined; delete it and join anew"
    return ""


def _is_strong(key: object) -> bool:
    if isinstance(key, ec.EllipticCurvePublicKey):
        return key.curve.name in CURVES
    return isinstance(key, rsa.RSAPublicKey) and key.key_size in RSA_BITS
