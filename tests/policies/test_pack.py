"""The pack as the engine talks to it: what it finds, what it cannot know yet, and what it refuses."""

import sys
from typing import Any

import grpc
import pytest
from google.protobuf import json_format, struct_pb2
from pulumi.runtime.proto import analyzer_pb2 as proto

from kilonode.rules.read.resource import UNKNOWNS, Resource
from ops.stack import CLONE
from tests.rules.breaks import BREAKS, Break
from tests.rules.foreign import Foreign

sys.path.insert(0, str(CLONE / "policies"))
from pack.analyzer import Analyzer
from pack.policies import SETTINGS


class Context:
    """Stands for a call; an abort is an exception, as in grpc."""

    def abort(self, code: grpc.StatusCode, details: str) -> None:
        raise ValueError(f"{code.name}: {details}")


def struct(value: dict[str, Any]) -> struct_pb2.Struct:
    made = struct_pb2.Struct()
    json_format.ParseDict(value, made)
    return made


def configured(**policies: dict[str, Any]) -> Analyzer:
    pack = Analyzer(lambda: None)
    pack.ConfigureStack(proto.AnalyzerStackConfigureRequest(stack="prod"), Context())
    rows = {
        name.replace("_", "-"): proto.PolicyConfig(
            enforcementLevel=given.pop("enforcementLevel", proto.MANDATORY), properties=struct(given)
        )
        for name, given in policies.items()
    }
    pack.Configure(proto.ConfigureAnalyzerRequest(policyConfig=rows), Context())
    return pack


def judged(pack: Analyzer, resources: list[Resource]) -> list[Any]:
    for each in resources:
        options = proto.AnalyzerResourceOptions(protect=bool(each.protect), ignoreChanges=list(each.ignore))
        pack.Analyze(
            proto.AnalyzeRequest(
                urn=each.urn, type=each.type, name=each.name, properties=struct(dict(each.properties)), options=options
            ),
            Context(),
        )
    # What the engine sends of a cloud's answer has neither user data nor an id in it.
    rows = [
        proto.AnalyzerResource(
            urn=each.urn,
            type=each.type,
            name=each.name,
            propertyDependencies={
                name: proto.AnalyzerPropertyDependencies(urns=urns) for name, urns in each.depends.items()
            },
        )
        for each in resources
    ]
    return list(pack.AnalyzeStack(proto.AnalyzeStackRequest(resources=rows), Context()).diagnostics)


def test_a_clean_stack_has_no_diagnostic() -> None:
    assert judged(configured(), Foreign().resources()) == []


@pytest.mark.parametrize("case", BREAKS, ids=[case.rule for case in BREAKS])
def test_one_fault_is_one_rules_mandatory_diagnostic_at_its_resource(case: Break) -> None:
    of = Foreign(large=case.large)
    case.change(of)
    settings = {name: list(value) if isinstance(value, tuple) else value for name, value in case.settings}
    found = judged(configured(**{case.rule: settings}), of.resources())
    assert {each.policyName for each in found} == {case.rule}
    assert found[0].enforcementLevel == proto.MANDATORY
    assert found[0].urn
    for word in (f"field:    {case.field}", f"value:    {case.value}", "limit:", "why:", "fix:"):
        assert word in found[0].message


def test_a_preview_that_knows_nothing_has_a_line_for_each_rule_and_stops_nothing() -> None:
    unknown = sorted(UNKNOWNS)[0]
    resources = [
        Resource(each.urn, each.type, each.name, dict.fromkeys(each.properties, unknown), each.protect, each.ignore)
        for each in Foreign().resources()
    ]
    found = judged(configured(), resources)
    assert {each.enforcementLevel for each in found} == {proto.ADVISORY}
    assert len(found) == len({each.policyName for each in found})
    assert all("undecided" in each.message for each in found)
    assert {"etcd-quota", "apiserver-audit", "scale-set-size", "image-digest"} <= {each.policyName for each in found}


def test_a_fault_is_found_beside_what_is_unknown() -> None:
    of = Foreign()
    of.balloon, of.image = 0, sorted(UNKNOWNS)[0]
    found = {each.policyName: each.enforcementLevel for each in judged(configured(), of.resources())}
    assert found["balloon-priority"] == proto.MANDATORY
    assert found["image-digest"] == proto.ADVISORY


def test_an_exemption_without_a_reason_is_refused() -> None:
    row = {"rule": "balloon-priority", "resource": "*", "reason": "", "expires": "2999-01-01"}
    with pytest.raises(ValueError, match=r"INVALID_ARGUMENT(.|\n)*reason"):
        configured(**{SETTINGS: {"exemptions": [row]}})


def test_an_exemption_that_has_ended_is_a_violation() -> None:
    of = Foreign()
    of.balloon = 0
    row = {"rule": "balloon-priority", "resource": "*", "reason": "moved next month", "expires": "2020-01-01"}
    (found,) = judged(configured(**{SETTINGS: {"exemptions": [row]}}), of.resources())
    assert (found.policyName, found.enforcementLevel) == ("balloon-priority", proto.MANDATORY)
    assert "its exemption ended on 2020-01-01" in found.message


def test_the_pack_and_the_clouds_do_not_know_each_other() -> None:
    pack = [path.read_text() for path in (CLONE / "policies").rglob("*.py")]
    clouds = [path.read_text() for path in (CLONE / "components" / "kilonode" / "clouds").rglob("*.py")]
    assert pack
    assert not [text for text in pack if "kilonode.clouds" in text]
    assert not [text for text in clouds if "policies" in text or "kilonode.rules" in text]
