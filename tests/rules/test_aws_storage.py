"""Buckets: what lets anybody read one, what forbids it, and what nobody can tell."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from kilonode.rules.read import aws
from kilonode.rules.read.aws_storage import ACCOUNT_BLOCK
from kilonode.rules.read.facts import read_facts
from kilonode.rules.read.resource import Resource, sealed
from kilonode.rules.registry import BY_ID
from kilonode.rules.rule import Violation
from kilonode.rules.unknown import Unknown
from tests.rules.doors import checked, exported
from tests.rules.written import made

WAYS = ("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets")
CLOSED = dict.fromkeys(WAYS, True)
POLICY, ACL = "aws:s3/bucketPolicy:BucketPolicy", "aws:s3/bucketAcl:BucketAcl"
UNDECIDED = "undecided"


def told(*resources: Resource) -> dict[str, str]:
    """Name of a resource to what is said to open it, or that it is undecided."""
    found = BY_ID["storage-private"].check(read_facts(resources))
    return {
        each.resource.rpartition("::")[2]: each.value if isinstance(each, Violation) else UNDECIDED for each in found
    }


def bucket(**properties: Any) -> Resource:
    return made(aws.BUCKETS[0], "b", {"bucket": "b", **properties}, id="b")


def block(of: Any = "b", **ways: Any) -> Resource:
    return made(aws.BLOCK, "block", {"bucket": of, **CLOSED, **ways})


def account(**ways: Any) -> Resource:
    return made(ACCOUNT_BLOCK, "account", {**CLOSED, **ways})


def policy(*statements: Mapping[str, Any], of: Any = "b") -> Resource:
    return made(POLICY, "policy", {"bucket": of, "policy": json.dumps({"Statement": statements})})


def allow(principal: Any = "*", **more: Any) -> dict[str, Any]:
    return {"Effect": "Allow", "Principal": principal, "Action": "s3:GetObject", "Resource": "*", **more}


PUBLIC = "its policy allows everybody s3:GetObject"


@pytest.mark.parametrize("kind", aws.BUCKETS)
def test_a_bucket_of_which_nothing_is_said_is_private(kind: str) -> None:
    assert told(made(kind, "b", {})) == {}
    assert told(made(kind, "b", {"acl": "private", "website": {"indexDocument": "index.html"}})) == {}


@pytest.mark.parametrize("way", WAYS)
def test_a_block_that_leaves_one_way_open_opens_its_bucket_unless_the_account_closes_it(way: str) -> None:
    for opened in (block(**{way: False}), made(aws.BLOCK, "block", {"bucket": "b", **CLOSED, way: None})):
        assert told(bucket(), opened) == {"b": f"{way} is not true"}
        assert told(bucket(), opened, account()) == {}
        assert told(bucket(), opened, account(**{way: False})) == {"b": f"{way} is not true"}
        assert told(bucket(), opened, account(**{way: Unknown(way)})) == {"b": UNDECIDED}
    assert told(bucket(), block(**{way: Unknown(way)})) == {"b": UNDECIDED}


EVERYBODY = "http://acs.amazonaws.com/groups/global/AllUsers"
LOGS = "http://acs.amazonaws.com/groups/s3/LogDelivery"


@pytest.mark.parametrize(
    ("opener", "said"),
    [
        (made(ACL, "acl", {"bucket": "b", "acl": "public-read"}), "its ACL is public-read"),
        (made(f"{ACL}V2".replace("Acl:", "AclV2:"), "acl", {"bucket": "b", "acl": "public-read-write"}), "its ACL is public-read-write"),
        (made(ACL, "acl", {"bucket": "b", "acl": "authenticated-read"}), "its ACL is authenticated-read"),
        (made("aws:s3/bucketObjectv2:BucketObjectv2", "o", {"bucket": "b", "acl": "public-read"}), "its ACL is public-read"),
        (made(ACL, "acl", {"bucket": "b", "acl": "log-delivery-write"}), ""),
        (made(ACL, "acl", {"bucket": "b", "acl": Unknown("acl")}), UNDECIDED),
        (made(ACL, "acl", {"bucket": "b", "accessControlPolicy": {"grants": [{"grantee": {"uri": LOGS}}, {"grantee": {"uri": EVERYBODY}}]}}), "its ACL grants AllUsers"),
        (made(ACL, "acl", {"bucket": "b", "accessControlPolicy": {"grants": [{"grantee": {"uri": LOGS}}]}}), ""),
        (made(ACL, "acl", {"bucket": "b", "accessControlPolicy": {"grants": [{"grantee": {"uri": Unknown("uri")}}]}}), UNDECIDED),
        (policy(allow()), PUBLIC),
        (made(POLICY, "policy", {"bucket": "b", "policy": {"Statement": allow({"AWS": ["*"]})}}), PUBLIC),
        (made(POLICY, "policy", {"bucket": "b", "policy": Unknown("policy")}), UNDECIDED),
        *((made(POLICY, "policy", {"bucket": "b", "policy": text}), UNDECIDED) for text in ("{", "[]", '{"Statement": [7]}')),
        (policy({**allow(), "Principal": {"AWS": "arn:aws:iam::123456789012:root"}}), ""),
        (policy({**allow(), "Principal": {"Service": "cloudfront.amazonaws.com"}}), ""),
        (policy({**allow(), "Effect": "Deny"}), ""),
        (policy({"Effect": "Allow", "NotPrincipal": {"AWS": "arn:aws:iam::1:root"}, "Action": "s3:GetObject"}), PUBLIC),
    ],
)  # fmt: skip
def test_an_acl_or_a_policy_opens_its_bucket_unless_a_block_forbids_it(opener: Resource, said: str) -> None:
    assert told(bucket(), opener) == ({"b": said} if said else {})
    assert told(bucket(), opener, block()) == {}
    assert told(bucket(), opener, account()) == {}


def test_the_bucket_itself_may_say_what_opens_it() -> None:
    assert told(bucket(acl="public-read")) == {"b": "its ACL is public-read"}
    assert told(bucket(grants=[{"uri": EVERYBODY}])) == {"b": "its ACL grants AllUsers"}
    assert told(bucket(policy=json.dumps({"Statement": [allow()]}))) == {"b": PUBLIC}
    assert told(bucket(acl=Unknown("acl"))) == {"b": UNDECIDED}
    assert told(bucket(grants=Unknown("grants"))) == {"b": UNDECIDED}


def condition(operator: str, key: str, value: Any) -> dict[str, Any]:
    return allow(Condition={operator: {key: value}})


@pytest.mark.parametrize(
    ("statements", "said"),
    [
        ([condition("StringEquals", "aws:SourceVpce", "vpce-1")], ""),
        ([condition("StringEquals", "aws:PrincipalOrgID", ["o-1", "o-2"])], ""),
        ([condition("ForAnyValue:StringLike", "aws:PrincipalOrgPaths", "o-1/r-1/")], ""),
        ([condition("IpAddress", "AWS:SourceIp", ["10.0.0.0/8", "2001:db8::/32"])], ""),
        ([condition("IpAddress", "aws:SourceIp", ["10.0.0.0/8", "0.0.0.0/0"])], PUBLIC),
        ([condition("IpAddress", "aws:SourceIp", "0.0.0.0/1")], PUBLIC),
        ([condition("NotIpAddress", "aws:SourceIp", "10.0.0.0/8")], PUBLIC),
        ([condition("StringEqualsIfExists", "aws:SourceVpce", "vpce-1")], PUBLIC),
        ([condition("Bool", "aws:SecureTransport", "true")], PUBLIC),
        ([condition("StringLike", "aws:Referer", "https://example.com/")], PUBLIC),
        ([condition("StringLike", "aws:PrincipalOrgID", "*")], PUBLIC),
        ([condition("StringEquals", "aws:PrincipalOrgID", [])], PUBLIC),
        ([condition("ArnLike", "aws:PrincipalArn", "arn:aws:iam::1:role/*")], UNDECIDED),
        ([condition("StringEquals", "aws:SourceVpce", "${aws:userid}")], UNDECIDED),
        ([condition("StringEquals", "aws:SourceVpce", 7)], UNDECIDED),
        ([condition("StringEquals", "aws:SourceVpce", None)], PUBLIC),
        ([condition("ArnLike", "aws:PrincipalArn", ["arn:aws:iam::1:role/a", "arn:aws:iam::1:role/*"])], UNDECIDED),
        ([allow(Condition={"StringLike": {"aws:PrincipalOrgID": "*"}, "ArnLike": {"aws:PrincipalArn": "arn:aws:iam::1:*"}})], UNDECIDED),
        ([allow(Condition={"StringEquals": "aws:SourceVpce"})], PUBLIC),
        ([allow(Condition=["StringEquals"])], PUBLIC),
        ([allow(), {**condition("StringNotEquals", "aws:SourceVpce", "vpce-1"), "Effect": "Deny"}], UNDECIDED),
        ([allow(), {**allow(), "Effect": "Deny", "Action": "s3:DeleteObject"}], PUBLIC),
        ([allow({"AWS": "arn:aws:iam::1:root"}), allow()], PUBLIC),
    ],
)  # fmt: skip
def test_a_policy_is_public_unless_it_names_who_asks_or_from_where(statements: list[Any], said: str) -> None:
    assert told(bucket(), policy(*statements)) == ({"b": said} if said else {})


@pytest.mark.parametrize("path", ["Principal", "Condition", "Effect"])
def test_a_part_of_a_policy_that_is_not_known_yet_leaves_its_bucket_undecided(path: str) -> None:
    given = {"Statement": [{**allow(), path: Unknown(path)}]}
    assert told(bucket(), made(POLICY, "policy", {"bucket": "b", "policy": given})) == {"b": UNDECIDED}


def test_whatever_a_policy_allows_everybody_opens_its_bucket() -> None:
    given = {"Statement": [{**allow(), "Action": Unknown("Action")}]}
    said = {"b": "its policy allows everybody something"}
    assert told(bucket(), made(POLICY, "policy", {"bucket": "b", "policy": given})) == said


def test_an_acl_that_one_block_may_close_is_undecided_whatever_another_leaves_open() -> None:
    open_account = account(blockPublicAcls=False, ignorePublicAcls=False)
    perhaps = block(blockPublicAcls=Unknown("b"), ignorePublicAcls=Unknown("i"))
    assert told(bucket(acl="public-read"), open_account, perhaps) == {"b": UNDECIDED}


def test_policies_and_lists_of_what_is_no_bucket_are_not_its_own() -> None:
    given = {"acl": "public-read", "policy": json.dumps({"Statement": [allow()]})}
    assert (
        told(made("aws:sqs/queuePolicy:QueuePolicy", "q", given), made("aws:s3/accessPoint:AccessPoint", "p", given))
        == {}
    )


def test_it_is_the_bucket_that_is_told_wherever_it_stands() -> None:
    own = made(aws.BUCKETS[0], "etcd-backups", {"bucket": "b"}, id="b")
    assert told(policy(allow()), own) == {"etcd-backups": PUBLIC}
    assert [type(each) for each in BY_ID["store-protected"].check(read_facts([policy(), own]))] == [Violation]


def test_what_opens_a_bucket_is_no_store_that_needs_protection() -> None:
    opener = made(POLICY, "etcd-backups", {"bucket": Unknown("bucket"), "policy": "{}"})
    assert list(BY_ID["store-protected"].check(read_facts([opener]))) == []


def test_what_opens_a_bucket_of_another_stack_is_told_by_itself() -> None:
    assert told(policy(allow(), of="elsewhere")) == {"policy": PUBLIC}
    assert told(policy(allow(), of="elsewhere"), block("elsewhere")) == {}
    assert told(bucket(), policy(allow(), of="elsewhere"), block()) == {"policy": PUBLIC}


def test_of_a_bucket_that_is_not_known_yet_only_what_is_open_for_sure_is_told() -> None:
    nowhere = Unknown("bucket")
    assert told(bucket(), block(nowhere)) == {}
    assert told(bucket(acl="public-read"), block(nowhere)) == {"b": UNDECIDED}
    assert told(bucket(acl="public-read"), block(nowhere, blockPublicAcls=False, ignorePublicAcls=None)) == {
        "b": "its ACL is public-read",
        "block": "blockPublicAcls is not true",
    }
    assert told(bucket(), policy(allow(), of=nowhere)) == {"policy": PUBLIC}
    assert told(bucket(), policy(allow(), of=nowhere), block()) == {"policy": PUBLIC}
    assert told(bucket(), policy(allow(), of=nowhere), block(nowhere)) == {"policy": UNDECIDED}


def test_of_a_secret_policy_nothing_is_shown() -> None:
    given = sealed({"bucket": "b", "policy": json.dumps({"Statement": [allow()]})})
    assert told(bucket(), made(POLICY, "policy", given)) == {"b": "a secret that grants it"}
    assert told(made(aws.BUCKETS[0], "b", sealed({"acl": "private"}))) == {}


def test_a_block_is_its_buckets_by_what_it_was_made_from() -> None:
    own = made(aws.BUCKETS[1], "b", {"acl": "public-read"})
    closing = made(aws.BLOCK, "block", {"bucket": Unknown("id"), **CLOSED}, depends={"bucket": (own.urn,)})
    assert told(own, closing) == {}


def test_a_state_of_buckets_alone_is_clean_also_where_nothing_may_be_undecided() -> None:
    rows = [bucket(), block(), account(), made(aws.BUCKETS[1], "plain", {"bucket": "plain"})]
    assert checked(exported(rows), {}, "--strict")[0] == 0
