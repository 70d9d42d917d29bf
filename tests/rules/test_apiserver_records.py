"""Files of kube-apiserver that user data has are judged by what stands in them."""

from typing import Any

import pytest
import yaml

from kilonode.rules.facts.controlplane import ApiServer
from kilonode.rules.rule import Undecided, Violation
from tests.rules.arithmetic import machine
from tests.rules.test_arithmetic import findings

FLAGS = {"audit-policy-file": "/a", "audit-log-path": "/l", "encryption-provider-config": "/e"}


def judged(rule: str, path: str, content: Any) -> str | None:
    """The violation's value, empty where nothing is broken; None where it is undecided."""
    text = content if isinstance(content, str) else yaml.safe_dump(content)
    found = findings(rule, ApiServer(machine(), FLAGS, {path: text}))
    if any(isinstance(each, Undecided) for each in found):
        return None
    return "".join(each.value for each in found if isinstance(each, Violation))


def policy(*rows: Any, **more: Any) -> dict[str, Any]:
    return {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "rules": list(rows), **more}


NONE, SOME = {"level": "None"}, {"level": "None", "users": ["kubelet"]}
METADATA = {"level": "Metadata"}
EVERY_STAGE = ["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"]


@pytest.mark.parametrize(
    "content",
    [
        policy(),
        policy(NONE),
        policy(SOME, {**SOME, "verbs": ["get"]}),
        policy(NONE, METADATA),
        policy({**NONE, "omitStages": ["Panic"]}, METADATA),
        policy({**NONE, "omitStages": ["Panic"], "omitManagedFields": True}, METADATA),
        policy(METADATA, omitStages=EVERY_STAGE),
        policy({**METADATA, "omitStages": EVERY_STAGE}),
        policy({}),
        policy("odd"),
        {"rules": None},
        "",
    ],
)
def test_apiserver_audit_is_broken_by_a_policy_that_logs_nothing(content: Any) -> None:
    assert judged("apiserver-audit", "/a", content) == "a policy that logs nothing"


@pytest.mark.parametrize(
    "content",
    [
        policy(METADATA),
        policy(SOME, METADATA),
        policy({**METADATA, "verbs": ["delete"]}, NONE),
        policy(METADATA, omitStages=EVERY_STAGE[:1]),
    ],
)
def test_apiserver_audit_is_kept_by_a_policy_that_logs_something(content: Any) -> None:
    assert judged("apiserver-audit", "/a", content) == ""


def test_apiserver_audit_looks_at_the_policy_where_logs_go_to_a_webhook() -> None:
    server = ApiServer(machine(), {"audit-policy-file": "/a", "audit-webhook-config-file": "/w"}, {"/a": "rules: []"})
    assert [type(each) for each in findings("apiserver-audit", server)] == [Violation]


def providers(*rows: tuple[list[str], list[Any]]) -> dict[str, Any]:
    kinds = {"kind": "EncryptionConfiguration", "apiVersion": "apiserver.config.k8s.io/v1"}
    return kinds | {"resources": [{"resources": names, "providers": each} for names, each in rows]}


IDENTITY, AES = {"identity": {}}, {"aescbc": {"keys": []}}


@pytest.mark.parametrize(
    ("content", "first"),
    [
        (providers((["secrets"], [IDENTITY, AES])), "identity"),
        (providers((["*.*"], [IDENTITY])), "identity"),
        (providers((["secrets"], [IDENTITY]), (["*."], [AES])), "identity"),
        (providers((["configmaps"], [AES])), "no provider"),
        (providers((["*.apps"], [AES])), "no provider"),
        (providers((["secrets"], [])), "no provider"),
        (providers((["secrets"], ["odd"])), "no provider"),
        ({"resources": ["odd"]}, "no provider"),
        ("", "no provider"),
    ],
)
def test_apiserver_encryption_is_broken_by_a_file_that_encrypts_no_secrets(content: Any, first: str) -> None:
    assert judged("apiserver-encryption", "/e", content) == f"secrets: {first}"


@pytest.mark.parametrize(
    "content",
    [
        providers((["secrets"], [AES, IDENTITY])),
        providers((["configmaps"], [IDENTITY]), (["configmaps", "secrets"], [{"kms": {}}])),
        providers((["*."], [AES])),
        providers((["secrets"], [AES]), (["*.*"], [IDENTITY])),
    ],
)
def test_apiserver_encryption_is_kept_by_a_file_that_encrypts_secrets(content: Any) -> None:
    assert judged("apiserver-encryption", "/e", content) == ""


@pytest.mark.parametrize(("rule", "path"), [("apiserver-audit", "/a"), ("apiserver-encryption", "/e")])
def test_a_file_that_user_data_does_not_have_is_as_good_as_it_is(rule: str, path: str) -> None:
    assert judged(rule, f"{path}.other", "") == ""


@pytest.mark.parametrize(("rule", "path"), [("apiserver-audit", "/a"), ("apiserver-encryption", "/e")])
@pytest.mark.parametrize("content", ["{", "- a"])
def test_a_file_that_nobody_can_read_is_undecided(rule: str, path: str, content: str) -> None:
    assert judged(rule, path, content) is None


@pytest.mark.parametrize(
    ("files", "field"),
    [
        ({}, "authentication-config /a"),
        (
            {"/a": "anonymous: {enabled: true, conditions: [{}]}"},
            "authentication-config, where a condition has no path,",
        ),
        ({"/a": "{"}, "authentication-config, which is no YAML,"),
        ({"/a": "- a"}, "authentication-config, which is no mapping,"),
    ],
)
def test_apiserver_anonymous_is_undecided_and_says_what_nobody_can_tell(files: dict[str, str], field: str) -> None:
    (found,) = findings("apiserver-anonymous", ApiServer(machine(), {"authentication-config": "/a"}, files))
    assert isinstance(found, Undecided)
    assert found.field == field


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "authorization-config /a"),
        ({"/a": "authorizers: [{}]"}, "authorization-config, where an authorizer has no type,"),
        ({"/a": "{"}, "authorization-config, which is no YAML,"),
        ({"/a": "authorizers: [{type: RBAC}, {type: AlwaysAllow}]"}, "RBAC, AlwaysAllow"),
        ({"/a": "authorizers: []"}, "nothing"),
    ],
)
def test_apiserver_authorization_says_which_authorizers_there_are_or_what_nobody_can_tell(
    files: dict[str, str], said: str
) -> None:
    (found,) = findings("apiserver-authorization", ApiServer(machine(), {"authorization-config": "/a"}, files))
    assert (found.field if isinstance(found, Undecided) else found.value) == said
