"""Buckets of the AWS provider into facts."""

from collections.abc import Iterable, Sequence

from kilonode.rules.facts.storage import Storage
from kilonode.rules.read.resource import Resource, urn_of
from kilonode.rules.unknown import Fact, Unknown

_BLOCKS = ("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets")

Closing = tuple[Fact[str | None], Fact[bool]]
"""A block: the URN of its bucket, and whether it closes all four ways."""


def closing(blocks: Iterable[Resource], buckets: Sequence[Resource]) -> tuple[Closing, ...]:
    """What each block closes, looked up once for all buckets."""
    return tuple((urn_of(each.named("bucket", buckets, also="bucket")), _closes(each)) for each in blocks)


def storage(resource: Resource, blocks: Iterable[Closing]) -> Storage:
    """A bucket: public unless a block of its own closes all four ways."""
    closed = [_closed(each, resource.urn) for each in blocks]
    unknown = next((each for each in closed if isinstance(each, Unknown)), None)
    public: Fact[bool] = False if True in closed else unknown or True
    return Storage(resource.urn, resource.name, public, resource.protect)


def _closes(block: Resource) -> Fact[bool]:
    ways = [block.truth(way) for way in _BLOCKS]
    if any(not isinstance(way, Unknown) and way is not True for way in ways):
        return False
    return next((each for each in ways if isinstance(each, Unknown)), True)


def _closed(block: Closing, bucket: str) -> Fact[bool]:
    """Whether the block closes the bucket, as far as can be told."""
    named, closes = block
    if closes is False or (not isinstance(named, Unknown) and named != bucket):
        return False
    return named if isinstance(named, Unknown) else closes
