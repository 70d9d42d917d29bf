"""Buckets of the AWS provider into facts: what lets anybody read one, and what forbids that."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kilonode.rules.facts.storage import Storage
from kilonode.rules.read.aws import BLOCK, BUCKETS
from kilonode.rules.read.aws_policy import open_to_all
from kilonode.rules.read.resource import Resource, at, holds_secrets
from kilonode.rules.read.stateful import first
from kilonode.rules.unknown import Fact, Unknown, first_unknown

ACCOUNT_BLOCK = "aws:s3/accountPublicAccessBlock:AccountPublicAccessBlock"
_BLOCKS = ("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets")
_OF_ACLS, _OF_POLICIES = ("blockPublicAcls", "ignorePublicAcls"), ("blockPublicPolicy", "restrictPublicBuckets")
_POLICIES = (*BUCKETS, "aws:s3/bucketPolicy:BucketPolicy")
_ACLS = (
    *BUCKETS,
    "aws:s3/bucketAcl:BucketAcl",
    "aws:s3/bucketAclV2:BucketAclV2",
    "aws:s3/bucketObject:BucketObject",
    "aws:s3/bucketObjectv2:BucketObjectv2",
    "aws:s3/objectCopy:ObjectCopy",
)
_PUBLIC_ACLS = frozenset({"public-read", "public-read-write", "authenticated-read"})
_PUBLIC_GROUPS = ("/AllUsers", "/AuthenticatedUsers")
"""Of all accounts, not of one's own (Amazon S3 user guide, the meaning of public)."""

Ways = Mapping[str, Fact[bool]]
"""Whether each way of a block is closed."""


@dataclass(frozen=True)
class _Opening:
    """What may let anybody in, and the ways of a block of which each would forbid it."""

    how: Fact[str | None]
    forbidden_by: tuple[str, ...]

    def within(self, ways: Ways) -> Fact[str | None]:
        """What lets anybody in, in spite of the ways that are closed."""
        closed = [ways[each] for each in self.forbidden_by]
        if self.how is None or True in closed:
            return None
        return next((each for each in closed if isinstance(each, Unknown)), self.how)


def stores(resources: Sequence[Resource]) -> Iterator[Storage]:
    """Each bucket, by what lets anybody read it, and whatever opens one that is not in this stack or not known yet.

    A bucket of which nothing is said is closed: all four ways are, of every bucket made since April 2023, and before
    that too nobody could read one without a right to it (Amazon S3 user guide, blocking public access).
    """
    buckets = _Buckets([each for each in resources if each.type in BUCKETS])
    blocks = [(buckets.of(each), each) for each in resources if each.type == BLOCK]
    everywhere = [each for each in resources if each.type == ACCOUNT_BLOCK]
    nowhere = [block for where, block in blocks if isinstance(where, Unknown)]
    own: dict[str, list[Resource]] = {}
    for where, block in blocks:
        own.setdefault(_key(where, block), []).append(block)
    openings: dict[str, tuple[Resource, list[_Opening]]] = {}
    for each in resources:
        found = list(_openings(each))
        if holds_secrets(each.properties):  # what is said of a bucket may be another resource's, and that one's secret
            found = [replace(one, how="a secret that grants it") if isinstance(one.how, str) else one for one in found]
        if found:
            openings.setdefault(_key(buckets.of(each), each), (each, []))[1].extend(found)
    by_urn = {each.urn: each for each in resources if each.type in BUCKETS}
    for key, (opener, found) in openings.items():
        bucket = by_urn.get(key)
        ways = _ways([*everywhere, *own.get(key, ())], nowhere)
        opened = first(*(each.within(ways) for each in found))
        store = bucket or opener
        yield Storage(store.urn, store.name, opened, bucket.protect if bucket else True)


class _Buckets:
    """The buckets of a stack by what they are called, so that many are told from each other in one look."""

    def __init__(self, buckets: Sequence[Resource]) -> None:
        self._all = buckets
        named = [(name, each) for each in buckets for name in (each.outputs.get("arn"), each.get("bucket"), each.id)]
        self._names = {name.lower(): each for name, each in named if isinstance(name, str)}

    def of(self, each: Resource) -> Fact[str | None]:
        """The URN of the bucket that a resource is, or is of; its name where that is not in this stack."""
        if each.type in BUCKETS:
            return each.urn
        given = each.get("bucket")
        found = self._names.get(given.lower()) if isinstance(given, str) else None
        bucket = found or each.named("bucket", self._all, also="bucket")
        if isinstance(bucket, Resource):
            return bucket.urn
        return bucket or (given if isinstance(given, str) else None)


def _key(where: Fact[str | None], each: Resource) -> str:
    return where if isinstance(where, str) else each.urn


def _ways(blocks: Sequence[Resource], maybe: Sequence[Resource]) -> dict[str, Fact[bool]]:
    """Of the bucket's and the account's blocks the stricter counts; one of which nobody knows whose it is may be this one's."""
    found: dict[str, Fact[bool]] = {}
    for way in _BLOCKS:
        said = [each.truth(way) for each in blocks]
        unknown = first_unknown(said)
        perhaps = next((Unknown("bucket") for each in maybe if each.truth(way) not in {None, False}), None)
        found[way] = True if True in said else unknown or perhaps or False
    return found


def _openings(each: Resource) -> Iterator[_Opening]:
    if each.type == BLOCK:
        for way in _BLOCKS:
            yield _Opening(f"{way} is not true", (way,))
    if each.type in _ACLS:
        yield _Opening(_acl(each), _OF_ACLS)
    if each.type in _POLICIES:
        yield _Opening(open_to_all(each.get("policy")), _OF_POLICIES)


def _acl(each: Resource) -> Fact[str | None]:
    """What an access control list, a canned one or one of grants, gives to more than this account."""
    canned = each.text("acl")
    if isinstance(canned, Unknown) or canned in _PUBLIC_ACLS:
        return canned if isinstance(canned, Unknown) else f"its ACL is {canned}"
    found: list[Fact[str | None]] = []
    for path, uri in (("grants", "uri"), ("accessControlPolicy.grants", "grantee.uri")):
        rows = each.rows(path)
        found += [rows] if isinstance(rows, Unknown) else [at(row, uri) for row in rows]
    named = [uri for uri in found if isinstance(uri, str) and uri.endswith(_PUBLIC_GROUPS)]
    groups = (f"its ACL grants {uri.rpartition('/')[2]}" for uri in named)
    return first(*groups, *(uri for uri in found if isinstance(uri, Unknown)))
