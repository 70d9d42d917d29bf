"""Tags that a team asks for: those of a program, and on AWS those that its provider adds."""

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

PROVIDER = made("pulumi:providers:aws", "default", {"defaultTags": '{"tags":{"owner":"x"}}'})
PLAIN = made("pulumi:providers:aws", "plain", {"region": "us-east-1"})
HIDDEN = Unknown("tags")


def told(*resources: Resource) -> dict[str, type]:
    """Name of each resource that is told of."""
    rule = BY_ID["required-tags"]
    found = rule.check(read_facts(resources), {"names": ("owner",)})
    return {each.resource.rpartition("::")[2]: type(each) for each in found}


def instance(tags: Any = None, answer: Any = None, **options: Any) -> Resource:
    return made(aws.INSTANCE, "one", {"tags": tags}, outputs={} if answer is None else {"tagsAll": answer}, **options)


@pytest.mark.parametrize(
    ("one", "provider", "kind"),
    [
        (instance(), PLAIN, Violation),
        (instance({"owner": "x"}), PLAIN, None),
        (instance(answer={"owner": "x"}), PLAIN, None),
        (instance(HIDDEN, {"owner": "x"}), PROVIDER, None),
        (instance({"owner": "x"}, {"team": "y"}), PROVIDER, None),
        (instance(answer={"team": "y"}), PROVIDER, Violation),
        (instance(), PROVIDER, Undecided),
        (instance(answer=HIDDEN), PROVIDER, Undecided),
        (instance(HIDDEN), PLAIN, Undecided),
        (instance({"owner": "x"}), PROVIDER, None),
        (instance(external=True), PLAIN, None),
    ],
)
def test_what_a_provider_adds_counts_once_it_has_answered(one: Resource, provider: Resource, kind: type | None) -> None:
    assert list(told(provider, one).values()) == ([kind] if kind else [])


def test_a_provider_adds_nothing_to_another_clouds_resources() -> None:
    assert told(PROVIDER, made(f"{NATIVE}keyvault:Vault", "vault", {})) == {"vault": Violation}


def test_what_cannot_be_told_hides_no_fault() -> None:
    other = made(aws.INSTANCE, "other", {})
    assert told(PLAIN, instance(HIDDEN), other) == {"other": Violation, "the stack": Undecided}


@pytest.mark.parametrize(
    ("kind", "tags", "said"),
    [
        (f"{NATIVE}keyvault:Vault", {"Owner": "x"}, None),
        (f"{NATIVE}keyvault:Vault", {"OWNER": Unknown("x")}, None),
        (f"{NATIVE}keyvault:Vault", {"owner": ""}, None),
        (f"{NATIVE}keyvault:Vault", {"owner": None}, Violation),
        (f"{NATIVE}keyvault:Vault", {"owners": "x"}, Violation),
        (f"{NATIVE}keyvault:Vault", HIDDEN, Undecided),
        (aws.INSTANCE, {"Owner": "x"}, Violation),
        (aws.INSTANCE, {"owner": None}, Violation),
    ],
)
def test_azure_takes_names_of_tags_in_any_case_and_aws_does_not(kind: str, tags: Any, said: type | None) -> None:
    assert list(told(made(kind, "one", {"tags": tags})).values()) == ([said] if said else [])
