"""What a team may decide: weaker for all stacks at once, stricter for some."""

import json
import time
from datetime import date
from typing import Any

import pytest

from kilonode.refusal import Refusal, RefusedError
from kilonode.rules.policy import Policy
from kilonode.rules.registry import RULES
from kilonode.rules.rule import Rule

TODAY = date(2026, 5, 4)


def read(document: object) -> Policy:
    return Policy.read(document, "policy", TODAY)


def refused(document: object) -> list[Refusal]:
    with pytest.raises(RefusedError) as found:
        read(document)
    assert "refused; nothing was judged.\n" in str(found.value)
    return list(found.value.refusals)


OVERRIDE = "policy.kilonode-settings.overrides[0]"


def overridden(rule: str, row: Any, base: Any = None, stacks: tuple[Any, ...] = ("prod-*",)) -> dict[str, Any]:
    rows = {} if base is None else {rule: base}
    return rows | {"kilonode-settings": {"overrides": [{"stacks": list(stacks), "rules": {rule: row}}]}}


def settings(rules: dict[str, Any]) -> dict[str, Any]:
    return {"kilonode-settings": {"overrides": [{"stacks": ["prod-*"], "rules": rules}]}}


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
        ("stack-size", {}, {"most": 1}),
        ("stack-size", {"most": 2**53 - 1}, {"most": 2**53 - 1}),
        ("pool-rolling-upgrade", {"percent": 100}, {"percent": 100.0}),
        ("etcd-members-enough", {}, {"nodes": 0}),
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
        ({"stack-size": {"most": True}}, "policy.stack-size.most", "a whole number from 1, such as 2000"),
        ({"required-tags": {"names": "owner"}}, "policy.required-tags.names", "a list of texts, none of them empty"),
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
        ({"version": 2, "policies": 0}, "policy.policies", "a mapping of rules"),
        ({"version": 2, "stack-size": {"most": 50}}, "policy.stack-size", "nothing"),
        ({"version": 2, "policies": {}, "all": "disabled"}, "policy.all", "nothing"),
        ({"version": 2, "policies": {}, "Policies": {}}, "policy.Policies", "nothing"),
        ({"version": 2, "policies": {"version": 2}}, "policy.policies.version", "the id of a rule"),
        ({"version": 2, "policies": {"environments": []}}, "policy.policies.environments", "the id of a rule"),
        ({"version": 2, "policies": {"x": "advisory"}}, "policy.policies.x", "the id of a rule"),
        ({"required-tags": {"names": ["owner", 5]}}, "policy.required-tags.names", "a list of texts, none of them empty"),
        ({"required-tags": {"names": ["owner", " "]}}, "policy.required-tags.names", "a list of texts"),
        ({"gpu-preflight-taint": {"key": " "}}, "policy.gpu-preflight-taint.key", "text that is not empty"),
        ({"kilonode-settings": "loud"}, "policy.kilonode-settings", "mandatory or advisory or disabled"),
        ({"kilonode-settings": {"enforcementLevel": 5}}, "policy.kilonode-settings.enforcementLevel", "mandatory or"),
        ({"stack-size": {"EnforcementLevel": "mandatory"}}, "policy.stack-size.EnforcementLevel", "enforcementLevel, and most like 2000"),
        (overridden("stack-size", {}, stacks=("",)), f"{OVERRIDE}.stacks", "a name, or a pattern with *"),
        (overridden("stack-size", {}, stacks=("prod", "*-1 ")), f"{OVERRIDE}.stacks", "a name, or a pattern with *"),
        (overridden("stack-size", {}, stacks=(None,)), f"{OVERRIDE}.stacks[0]", "text"),
        (settings({}), f"{OVERRIDE}.rules", "a mapping of rules to their rows, at least one"),
        ({"required-tags": {"names": [""]}}, "policy.required-tags.names", "a list of texts"),
        ({"required-tags": {"names": [[]]}}, "policy.required-tags.names", "a list of texts"),
        ({"gpu-preflight-taint": {"key": ""}}, "policy.gpu-preflight-taint.key", 'text that is not empty, such as "preflight"'),
        ({"apiserver-always-pull": {"wanted": 1}}, "policy.apiserver-always-pull.wanted", "true or false, such as false"),
        ({"stack-size": {"most": 0}}, "policy.stack-size.most", "a whole number from 1,"),
        ({"stack-size": {"most": 2**53}}, "policy.stack-size.most", "a whole number from 1,"),
        ({"stack-size": {"most": 1.5}}, "policy.stack-size.most", "a whole number from 1,"),
        ({"etcd-local-disk": {"iops": -1}}, "policy.etcd-local-disk.iops", "a whole number from 1,"),
        ({"etcd-members-enough": {"nodes": -1}}, "policy.etcd-members-enough.nodes", "a whole number from 0,"),
        ({"etcd-quota-ceiling": {"bytes": 2**31}}, "policy.etcd-quota-ceiling.bytes", "a whole number from 2147483649,"),
        ({"kubelet-parallel-pulls": {"most": 1}}, "policy.kubelet-parallel-pulls.most", "a whole number from 2,"),
        ({"pool-rolling-upgrade": {"percent": 101}}, "policy.pool-rolling-upgrade.percent", "a whole number from 1 to 100,"),
        ({"autoscaler-unready": {"percent": 101}}, "policy.autoscaler-unready.percent", "from 1 to 100,"),
        ({"version": True}, "policy.version", "the id of a rule"),
        ({"version": "advisory"}, "policy.version", "the id of a rule"),
    ],
)  # fmt: skip
def test_what_no_rule_knows_is_refused_where_it_stands(document: object, field: str, words: str) -> None:
    (found,) = refused(document)
    assert found.field == field
    assert words in found.allowed


def test_why_a_row_of_a_list_is_refused_is_what_the_list_is_for() -> None:
    (found,) = refused(overridden("stack-size", {}, stacks=(None,)))
    assert found.why == "names, or patterns with *"


@pytest.mark.parametrize(
    ("document", "given"),
    [
        ({"\u0435tcd-quota": "disabled"}, r"\u0435tcd-quota"),
        ({"etcd-quota": "m\u0430ndatory"}, r'"m\u0430ndatory"'),
        (overridden("\u0435tcd-quota", "mandatory"), r"\u0435tcd-quota"),
        (
            {
                "kilonode-settings": {
                    "exemptions": [
                        {"rule": "\u0435tcd-quota", "resource": "*", "reason": "moved in May", "expires": "2026-05-05"}
                    ]
                }
            },
            r'"\u0435tcd-quota"',
        ),
    ],
)
def test_a_letter_that_only_looks_like_one_of_ours_is_written_out(document: object, given: str) -> None:
    (found,) = refused(document)
    assert found.given == given


@pytest.mark.parametrize(
    ("key", "fix"),
    [("EnforcementLevel", "did you mean 'enforcementLevel'?"), ("Most", "did you mean 'most'?"), ("x", "remove 'x'")],
)
def test_a_name_that_is_nearly_a_rules_own_is_told_so(key: str, fix: str) -> None:
    (found,) = refused({"stack-size": {key: 5}})
    assert found.fix == fix


def test_a_file_of_many_names_is_read_in_no_time() -> None:
    text = json.dumps({f"k{number}": "advisory" for number in range(20_000)})
    begun = time.process_time()
    with pytest.raises(RefusedError):
        Policy.parse(text, "policy", TODAY)
    assert time.process_time() - begun < 3


def test_the_files_second_version_and_what_is_the_engines_own_are_read() -> None:
    policy = read({"version": 2, "environments": ["team/prod"], "policies": {"all": "advisory"}})
    assert policy == read({"environments": ["team/prod"], "all": "advisory", "kilonode-settings": "advisory"})
    assert policy.level("etcd-quota", "any") == "advisory"
    assert read({"version": 2, "policies": None, "exceptions": {}}) == read({})


@pytest.mark.parametrize("rule", [each for each in RULES if each.parameters], ids=lambda each: each.id)
def test_every_default_is_one_that_a_team_may_set(rule: Rule) -> None:
    own = {
        name: list(each.value) if isinstance(each.value, tuple) else each.value
        for name, each in rule.parameters.items()
    }
    assert read({rule.id: own}).parameters(rule.id, "any") == {
        name: each.value for name, each in rule.parameters.items()
    }


def test_the_level_of_all_in_some_stacks_is_that_of_each_rule_that_has_none_there() -> None:
    document = {"all": "advisory", "image-digest": "disabled"}
    rows = {"all": "mandatory", "image-digest": "advisory", "stack-size": {"most": 5}}
    policy = read(document | settings(rows))
    assert {policy.level(rule.id, "prod-1") for rule in RULES if rule.id != "image-digest"} == {"mandatory"}
    assert policy.level("image-digest", "prod-1") == "advisory"
    assert policy.parameters("stack-size", "prod-1") == {"most": 5}
    assert policy.level("stack-size", "trial") == "advisory"


def test_a_level_of_all_in_some_stacks_that_is_weaker_for_one_is_refused() -> None:
    weaker = {"all": "advisory"}
    (found,) = refused(settings(weaker))
    assert found.field == "policy.kilonode-settings.overrides[0].rules.all.enforcementLevel"
    assert found.allowed == "mandatory, as for all stacks"
    strict = {"all": "disabled", "stack-size": "mandatory"}
    assert read(strict | settings(weaker | {"stack-size": "mandatory"})).level("etcd-quota", "prod-1") == "advisory"
    assert len(refused(strict | settings(weaker | {"stack-size": {"most": 1}}))) == 1


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('{"stack-size": "mandatory", "stack-size": "disabled"}', ["stack-size"]),
        ('{"stack-size": {"most": 5, "most": 9, "most": 7}, "all": "advisory", "all": "mandatory"}', ["most", "all"]),
    ],
)
def test_a_name_that_stands_twice_is_refused(text: str, names: list[str]) -> None:
    with pytest.raises(RefusedError) as found:
        Policy.parse(text, "policy.json", TODAY)
    assert [(each.field, each.given) for each in found.value.refusals] == [
        ("policy.json", f"{name} twice") for name in names
    ]
    assert "nothing was judged" in str(found.value)


def test_names_alike_in_two_mappings_are_two_and_an_empty_file_decides_nothing() -> None:
    text = '{"stack-size": {"enforcementLevel": "advisory"}, "etcd-quota": {"enforcementLevel": "advisory"}}'
    assert Policy.parse(text, "policy.json", TODAY).level("etcd-quota", "any") == "advisory"
    assert Policy.parse(" \n", "policy.json", TODAY) == Policy()


def test_every_fault_is_told_at_once() -> None:
    row = {"rule": "balloon-priority", "resource": "*", "reason": "", "expires": "soon"}
    document = {"stack-size": "loud", "x": "advisory", "kilonode-settings": {"exemptions": [row]}}
    assert {each.field for each in refused(document)} == {
        "policy.stack-size",
        "policy.x",
        "policy.kilonode-settings.exemptions[0].reason",
        "policy.kilonode-settings.exemptions[0].expires",
    }
