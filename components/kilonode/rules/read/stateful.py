"""Which stores hold what nobody can make anew: told by what they are, what they are called and whether they are immutable."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from kilonode.rules.facts.storage import Storage
from kilonode.rules.read.aws import BUCKETS
from kilonode.rules.read.azure import kinds
from kilonode.rules.read.resource import Resource, urn_of
from kilonode.rules.unknown import Fact, Unknown, first_unknown

_NAMED = re.compile(r"snapshot|backup|checkpoint|velero|(?<![a-z])etcd(?![a-z])", re.IGNORECASE)
_OF_CLUSTER = re.compile(r"(?<![a-z])(?:etcd|pki|kube\w*|cluster|ca)(?![a-z])", re.IGNORECASE)
_LOGS = re.compile(r"(?<![a-z])logs?(?![a-z])|logs$", re.IGNORECASE)
_IMMUTABLE = "storage:BlobContainerImmutabilityPolicy"
_LOCKS = (
    "aws:s3/bucketObjectLockConfiguration:BucketObjectLockConfiguration",
    "aws:s3/bucketObjectLockConfigurationV2:BucketObjectLockConfigurationV2",
)
_VAULTS = ("keyvault:Vault", "keyvault:ManagedHsm")
_KMS, _SECRET = "aws:kms/key:Key", "aws:secretsmanager/secret:Secret"
_NAMES = ("containerName", "accountName", "bucket", "name")


def with_what_they_hold(stores: Iterable[Storage], resources: Sequence[Resource]) -> Iterator[Storage]:
    """The stores, each with what it holds that is not made anew; an account holds what its containers do."""
    of = {kind: [each for each in resources if kinds.kind(each) == kind] for kind in (*kinds.STORES, _IMMUTABLE)}
    locked = {urn_of(each.named("containerName", of[kinds.CONTAINER], "containerName")) for each in of[_IMMUTABLE]}
    buckets = [each for each in resources if each.type in BUCKETS]
    locked |= {urn_of(each.named("bucket", buckets, also="bucket")) for each in resources if each.type in _LOCKS}
    holding: dict[str, Fact[str | None]] = {
        each.urn: "it is immutable" if each.urn in locked else first(_locked(each), _called(each, _NAMED))
        for each in resources
    }
    for each in of[kinds.CONTAINER]:
        account = each.named("accountName", of[kinds.ACCOUNT], "accountName")
        if (
            isinstance(holding[each.urn], str)
            and isinstance(account, Resource)
            and not isinstance(holding[account.urn], str)
        ):
            holding[account.urn] = f"its container {each.name} holds state"
    for store in stores:
        yield replace(store, holds=holding[store.resource])


def first(*reasons: Fact[str | None]) -> Fact[str | None]:
    """The first reason there is; else the first that there may be; None where there is none."""
    known = next((each for each in reasons if isinstance(each, str)), None)
    return known or first_unknown(reasons)


def keepers(resources: Iterable[Resource]) -> Iterator[Storage]:
    """Vaults, keys, and secrets that are called a cluster's; nobody reads one of them without a right to it."""
    for each in resources:
        if kinds.kind(each) in _VAULTS:
            yield _keeper(each, "it is a vault")
        elif each.type == _KMS:
            yield _keeper(each, "what it has encrypted is lost with it")
        elif each.type == _SECRET and (called := _called(each, _OF_CLUSTER)):
            yield _keeper(each, called)


def _keeper(resource: Resource, holds: Fact[str | None]) -> Storage:
    return Storage(resource.urn, resource.name, opened=None, protected=resource.protect, holds=holds)


def _called(resource: Resource, words: re.Pattern[str]) -> Fact[str | None]:
    """By its name in the cloud or in its program; what is called a log is none."""
    given = [resource.name, *(resource.text(path) for path in _NAMES)]
    names = [name for name in given if isinstance(name, str)]
    if any(_LOGS.search(name) for name in names):
        return None
    called = [f"it is called {name}" for name in names if words.search(name)]
    return first(*called, *(name for name in given if isinstance(name, Unknown)))


def _locked(resource: Resource) -> Fact[str | None]:
    """Whether nobody may change what is in it, by its own properties."""
    found = [resource.truth(path) for path in ("objectLockEnabled", "immutableStorageWithVersioning.enabled")]
    return first(*("it is immutable" if each is True else each for each in found if each))
