"""What a team may decide: weaker for all stacks at once, stricter for some."""

from datetime import date
from typing import Any

import pytest

from kilonode.refusal import Refusal, RefusedError
from kilonode.rules.policy import Policy
from kilonode.rules.registry import RULES

TODAY = date(2026, 5, 4)


def read(document: object) -> Policy:
    return Policy.read(document, "policy", TODAY)


def refused(document: object) -> list[Refusal]:
    with pytest.raises(RefusedError) as found:
        read(document)
    assert "refused; nothing was judged.\n" in str(found.value)
    return list(found.value.refusals)


def overridden(rule: str, row: Any, base: Any = None, stacks: tuple[str, ...] = ("prod-*",)) -> dict[str, Any]:
    rows = {} if base is None else {rule: base}
    return rows | {"kilonode-settings": {"overrides": [{"stacks": list(stacks), "rules": {rule: row}}]}}


@pytest.mark.parametrize(
    ("base", "row"), [("advisory", "mandatory"), ("disabled", "advisory"), ("advisory", "advisory")]
)
def test_a_level_of_some_stacks_may_be_stricter(base: str, row: str) -> None:
    policy = read(overridden("stack-size", row, base))
    assert (policy.level("stack-size", "prod-1"), policy.level("stack-size", "trial")) == (row, base)


@pytest.mark.parametrize(
    ("base", "row", "allowed"),
    [
        (None, "disabled", "mandatory"),
        (None, {"enforcementLevel": "advisory"}, "mandatory"),
        ("advisory", "disabled", "advisory or mandatory"),
    ],
)
def test_a_level_of_some_stacks_that_is_weaker_is_refused(base: Any, row: Any, allowed: str) -> None:
    (found,) = refused(overridden("stack-size", row, base))
    assert found.field == "policy.kilonode-settings.overrides[0].rules.stack-size.enforcementLevel"
    assert found.allowed == f"{allowed}, as for all stacks"
    assert "exemption" in found.fix


@pytest.mark.parametrize(
    ("rule", "base", "row", "limit"),
    [
        ("stack-size", {}, {"most": 2_001}, "at most 2000"),
        ("stack-size", {"most": 10}, {"most": 11}, "at most 10"),
        ("apiserver-audit", {"days": 60}, {"days": 59}, "at least 60"),
        ("required-tags", {"names": ["owner", "team"]}, {"names": ["team"]}, 'all of ["owner", "team"]'),
    ],
)
def test_a_parameter_of_some_stacks_that_is_looser_is_refused(rule: str, base: Any, row: Any, limit: str) -> None:
    (found,) = refused(overridden(rule, row, base))
    assert found.field == f"policy.kilonode-settings.overrides[0].rules.{rule}.{next(iter(row))}"
    assert found.allowed == f"{limit}, as for all stacks"


@pytest.mark.parametrize(
    ("rule", "base", "row"),
    [
        ("stack-size", {"most": 3_000}, {"most": 2_500}),
        ("apiserver-audit", {}, {"days": 30}),
        ("required-tags", {"names": ["owner"]}, {"names": ["team", "owner"]}),
        ("apiserver-always-pull", {}, {"wanted": True}),
        ("gpu-preflight-taint", {}, {"key": "test"}),
    ],
)
def test_a_parameter_of_some_stacks_may_be_stricter_or_have_no_direction(rule: str, base: Any, row: Any) -> None:
    policy = read(overridden(rule, row, base))
    (name,) = row
    assert policy.parameters(rule, "prod-1")[name] == (tuple(row[name]) if name == "names" else row[name])


def test_of_several_that_match_a_stack_the_strictest_holds_in_any_order() -> None:
    rows = [
        {"stacks": ["prod-*"], "rules": {"stack-size": {"most": 10}, "required-tags": {"names": ["owner"]}}},
        {"stacks": ["*-1"], "rules": {"stack-size": {"most": 20}, "required-tags": {"names": ["team"]}}},
        {"stacks": ["*"], "rules": {"stack-size": "mandatory"}},
        {"stacks": ["prod-1"], "rules": {"stack-size": "advisory"}},
    ]
    for each in (rows, rows[::-1]):
        policy = read({"stack-size": "advisory", "kilonode-settings": {"overrides": each}})
        assert policy.parameters("stack-size", "prod-1") == {"most": 10}
        assert set(policy.parameters("required-tags", "prod-1")["names"]) == {"owner", "team"}  # type: ignore[arg-type]
        assert policy.level("stack-size", "prod-1") == "mandatory"


def test_every_parameter_with_a_direction_is_a_number_or_a_list_of_names() -> None:
    free = {
        f"{rule.id}.{name}" for rule in RULES for name, each in rule.parameters.items() if each.stricter is None
    }  # fmt: skip
    assert free == {"apiserver-always-pull.wanted", "gpu-preflight-taint.key"}
    for rule in RULES:
        for each in rule.parameters.values():
            assert each.stricter is None or type(each.value) in {int, tuple}


def test_the_level_of_all_is_that_of_each_rule_without_its_own() -> None:
    policy = read({"all": "advisory", "stack-size": "mandatory", "required-tags": {"names": ["owner"]}})
    assert policy.level("stack-size", "any") == "mandatory"
    assert {policy.level(rule.id, "any") for rule in RULES if rule.id != "stack-size"} == {"advisory"}
    assert read({"all": {"enforcementLevel": "disabled"}}).level("etcd-quota", "any") == "disabled"


@pytest.mark.parametrize(
    ("document", "field", "words"),
    [
        ({"all": {"most": 3}}, "policy.all.most", "no parameter"),
        ({"all": "remediate"}, "policy.all", "mandatory or advisory or disabled"),
        ({"stack-size": "loud"}, "policy.stack-size", "mandatory or advisory or disabled"),
        ({"stack-size": {"enforcementLevel": 5}}, "policy.stack-size.enforcementLevel", "mandatory"),
        ({"stack-size": 5}, "policy.stack-size", "a level, or a mapping"),
        ({"stack-size": {"least": 3}}, "policy.stack-size.least", "most like 2000"),
        ({"stack-size": {"most": True}}, "policy.stack-size.most", "most like 2000"),
        ({"required-tags": {"names": "owner"}}, "policy.required-tags.names", "names like []"),
        ({"stack-sizes": "advisory"}, "policy.stack-sizes", "the id of a rule"),
        (overridden("stack-sizes", "mandatory"), "policy.kilonode-settings.overrides[0].rules.stack-sizes", "the id of"),
        (overridden("stack-size", {"x": 1}), "policy.kilonode-settings.overrides[0].rules.stack-size.x", "most like"),
        (overridden("stack-size", {}, stacks=()), "policy.kilonode-settings.overrides[0].stacks", "a list"),
        ({"kilonode-settings": []}, "policy.kilonode-settings", "exemptions, overrides"),
        ({"kilonode-settings": {"excuses": []}}, "policy.kilonode-settings.excuses", "exemptions, overrides"),
        ([], "policy", "a mapping of rules"),
        ({"version": 3, "policies": {}}, "policy.version", "2, or no version"),
        ({"version": 2, "policies": []}, "policy.policies", "a mapping of rules"),
        ({"version": 2, "policies": {}, "exceptions": {"a": {}}}, "policy.exceptions", "nothing"),
        ({"version": 2, "policies": {"x": "advisory"}}, "policy.policies.x", "the id of a rule"),
        ({"required-tags": {"names": ["owner", 5]}}, "policy.required-tags.names", "names like []"),
        ({"version": True}, "policy.version", "the id of a rule"),
        ({"version": "advisory"}, "policy.version", "the id of a rule"),
    ],
)  # fmt: skip
def test_what_no_rule_knows_is_refused_where_it_stands(document: object, field: str, words: str) -> None:
    (found,) = refused(document)
    assert found.field == field
    assert words in found.allowed


def test_the_files_second_version_and_what_is_the_engines_own_are_read() -> None:
    policy = read({"version": 2, "environments": ["team/prod"], "policies": {"all": "advisory"}})
    assert policy == read({"environments": ["team/prod"], "all": "advisory", "kilonode-settings": "advisory"})
    assert policy.level("etcd-quota", "any") == "advisory"


def test_every_fault_is_told_at_once() -> None:
    row = {"rule": "balloon-priority", "resource": "*", "reason": "", "expires": "soon"}
    document = {"stack-size": "loud", "x": "advisory", "kilonode-settings": {"exemptions": [row]}}
    assert {each.field for each in refused(document)} == {
        "policy.stack-size",
        "policy.x",
        "policy.kilonode-settings.exemptions[0].reason",
        "policy.kilonode-settings.exemptions[0].expires",
    }
