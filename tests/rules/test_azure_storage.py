"""Storage accounts of Azure: what lets anybody read one, and what keeps the internet out."""

from dataclasses import replace
from typing import Any

import pytest

from kilonode.rules.read.azure.kinds import ACCOUNT, CONTAINER, WEBSITE
from kilonode.rules.read.resource import Resource
from kilonode.rules.unknown import Unknown
from tests.rules.foreign import NATIVE
from tests.rules.test_aws_storage import UNDECIDED, told
from tests.rules.written import made

OPEN = "allowBlobPublicAccess is true"
DENY = {"defaultAction": "Deny"}


def account(**properties: Any) -> Resource:
    return made(f"{NATIVE}{ACCOUNT}", "a", {"accountName": "a", **properties})


def container(access: Any, of: Any = "a") -> Resource:
    return made(f"{NATIVE}{CONTAINER}", "c", {"accountName": of, "publicAccess": access})


WEB = made(f"{NATIVE}{WEBSITE}", "web", {"accountName": "a"})
SITE = "a static website serves $web to anybody"


@pytest.mark.parametrize(
    ("properties", "said"),
    [
        ({}, None),
        ({"allowBlobPublicAccess": False}, None),
        ({"allowBlobPublicAccess": "true"}, OPEN),
        ({"allowBlobPublicAccess": Unknown("a")}, UNDECIDED),
    ],
)
def test_an_account_is_open_if_it_says_so(properties: dict[str, Any], said: str | None) -> None:
    assert told(account(**properties)) == ({"a": said} if said else {})


def test_of_an_account_that_says_nothing_the_clouds_answer_counts() -> None:
    assert told(replace(account(), outputs={"allowBlobPublicAccess": True})) == {"a": OPEN}
    assert told(replace(account(), outputs={"allowBlobPublicAccess": False}), container("Blob")) == {}
    assert told(replace(account(allowBlobPublicAccess=False), outputs={"allowBlobPublicAccess": True})) == {}


@pytest.mark.parametrize(
    ("network", "said"),
    [
        ({"publicNetworkAccess": "Disabled"}, None),
        ({"publicNetworkAccess": "Enabled"}, OPEN),
        ({"publicNetworkAccess": "SecuredByPerimeter"}, UNDECIDED),
        ({"publicNetworkAccess": Unknown("p")}, UNDECIDED),
        ({"networkRuleSet": DENY}, None),
        ({"networkRuleSet": {**DENY, "virtualNetworkRules": [{"virtualNetworkResourceId": "/s"}]}}, None),
        ({"networkRuleSet": {**DENY, "ipRules": [{"iPAddressOrRange": "192.0.2.0/24"}]}}, OPEN),
        ({"networkRuleSet": {"defaultAction": "Allow"}}, OPEN),
        ({"networkRuleSet": Unknown("n")}, UNDECIDED),
    ],
)
def test_nobody_on_the_internet_reads_an_account_that_it_does_not_reach(
    network: dict[str, Any], said: str | None
) -> None:
    assert told(account(allowBlobPublicAccess=True, **network)) == ({"a": said} if said else {})
    assert told(account(**network), WEB) == ({"web": UNDECIDED if said == UNDECIDED else SITE} if said else {})


@pytest.mark.parametrize(
    ("access", "properties", "said"),
    [
        (None, {}, None),
        ("None", {}, None),
        ("Blob", {}, "publicAccess is Blob"),
        ("Container", {"allowBlobPublicAccess": False}, None),
        ("Container", {"publicNetworkAccess": "Disabled"}, None),
        ("Container", {"allowBlobPublicAccess": Unknown("a")}, UNDECIDED),
        (Unknown("p"), {}, UNDECIDED),
        (Unknown("p"), {"allowBlobPublicAccess": False}, None),
    ],
)
def test_a_container_is_open_if_it_says_so_and_its_account_does_not_forbid_it(
    access: Any, properties: dict[str, Any], said: str | None
) -> None:
    found = told(container(access), account(**properties), made(f"{NATIVE}storage:Queue", "q", {"accountName": "a"}))
    assert found.pop("c", None) == said
    assert set(found.values()) <= {UNDECIDED}


def test_a_website_is_public_whatever_its_account_allows_of_blobs() -> None:
    assert told(account(allowBlobPublicAccess=False), WEB) == {"web": SITE}


def test_a_container_is_judged_by_its_own_words_where_its_account_is_elsewhere() -> None:
    assert told(container("Blob")) == {"c": "publicAccess is Blob"}
    assert told(account(), container("Blob", Unknown("accountName"))) == {"c": UNDECIDED}
    depends = {"accountName": (account().urn,)}
    assert told(account(), replace(container("Blob", Unknown("accountName")), depends=depends)) == {
        "c": "publicAccess is Blob"
    }
