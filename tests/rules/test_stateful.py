"""Vaults, and stores of what nobody makes anew, are protected; other stores need not be."""

from typing import Any

import pytest

from kilonode.rules.read import aws
from kilonode.rules.read.facts import read_facts
from kilonode.rules.read.resource import Resource
from kilonode.rules.registry import BY_ID
from kilonode.rules.rule import Undecided, Violation
from kilonode.rules.unknown import Unknown
from tests.rules.foreign import NATIVE
from tests.rules.written import made

VAULT, ACCOUNT, CONTAINER = (
    f"{NATIVE}keyvault:Vault",
    f"{NATIVE}storage:StorageAccount",
    f"{NATIVE}storage:BlobContainer",
)
POLICY = f"{NATIVE}storage:BlobContainerImmutabilityPolicy"
BUCKET, KMS, SECRET = aws.BUCKETS[0], "aws:kms/key:Key", "aws:secretsmanager/secret:Secret"


def told(*resources: Resource) -> dict[str, str]:
    """Name of a resource that should be protected to what is said of it."""
    found = list(BY_ID["store-protected"].check(read_facts(resources)))
    assert all(isinstance(each, Violation) for each in found)
    return {each.resource.rpartition("::")[2]: each.value for each in found if isinstance(each, Violation)}


@pytest.mark.parametrize(
    ("kind", "properties", "why"),
    [
        (VAULT, {}, "it is a vault"),
        (f"{NATIVE}keyvault/v20230701:Vault", {}, "it is a vault"),
        (KMS, {}, "what it has encrypted is lost with it"),
        (SECRET, {"name": "prod/etcd/ca"}, "it is called prod/etcd/ca"),
        (ACCOUNT, {"accountName": "westbackups"}, "it is called westbackups"),
        (CONTAINER, {"containerName": "checkpoints"}, "it is called checkpoints"),
        (CONTAINER, {"immutableStorageWithVersioning": {"enabled": True}}, "it is immutable"),
        (BUCKET, {"bucket": "team-velero"}, "it is called team-velero"),
        (BUCKET, {"bucket": "data", "objectLockEnabled": True}, "it is immutable"),
    ],
)
def test_what_nobody_makes_anew_is_protected(kind: str, properties: dict[str, Any], why: str) -> None:
    assert told(made(kind, "store", properties)) == {"store": f"false; {why}"}
    assert told(made(kind, "store", properties, protect=True)) == {}


@pytest.mark.parametrize(
    ("kind", "properties"),
    [
        (ACCOUNT, {"accountName": "bootdiagnostics"}),
        (CONTAINER, {"containerName": "images"}),
        (BUCKET, {"bucket": "backup-logs"}),
        (BUCKET, {"bucket": "etcd-access-logs"}),
        (BUCKET, {"bucket": "assets", "objectLockEnabled": False}),
        (SECRET, {"name": "billing/api"}),
    ],
)
def test_a_store_of_which_nothing_says_so_need_not_be(kind: str, properties: dict[str, Any]) -> None:
    assert told(made(kind, "store", properties)) == {}


def test_a_container_with_an_immutability_policy_makes_its_account_stateful_too() -> None:
    resources = [
        made(ACCOUNT, "one", {"accountName": "one"}),
        made(ACCOUNT, "two", {"accountName": "two"}),
        made(CONTAINER, "kept", {"accountName": "one", "containerName": "kept"}),
        made(CONTAINER, "other", {"accountName": "two", "containerName": "other"}),
        made(POLICY, "window", {"accountName": "one", "containerName": "kept"}),
    ]
    assert told(*resources) == {"one": "false; its container kept holds state", "kept": "false; it is immutable"}


@pytest.mark.parametrize("version", ["", "V2"])
def test_a_bucket_whose_lock_is_a_resource_of_its_own_is_immutable(version: str) -> None:
    name = f"ObjectLockConfiguration{version}"
    lock = made(f"aws:s3/bucket{name}:Bucket{name}", "lock", {"bucket": "kept"})
    buckets = [made(BUCKET, each, {"bucket": each}) for each in ("kept", "other")]
    assert told(lock, *buckets) == {"kept": "false; it is immutable"}


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        (CONTAINER, "containerName"),
        (BUCKET, "bucket"),
        (SECRET, "name"),
        (BUCKET, "objectLockEnabled"),
        (CONTAINER, "immutableStorageWithVersioning"),
    ],
)
def test_what_an_unprotected_store_holds_is_undecided_before_its_name_and_lock_are_known(kind: str, path: str) -> None:
    def found(name: str, *, protect: bool) -> list[type]:
        facts = read_facts([made(kind, name, {path: Unknown(path)}, protect=protect)])
        return [type(each) for each in BY_ID["store-protected"].check(facts)]

    assert found("store", protect=False) == [Undecided]
    assert found("etcd-backups", protect=False) == [Violation]
    assert found("store", protect=True) == []


def test_protection_that_is_not_known_is_undecided() -> None:
    (found,) = BY_ID["store-protected"].check(read_facts([made(VAULT, "v", {}, protect=Unknown("protect"))]))
    assert isinstance(found, Undecided)
