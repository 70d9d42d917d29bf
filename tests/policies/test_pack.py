"""The pack as the engine talks to it: what it finds, what it cannot know yet, and what it refuses."""

from typing import Any

import grpc
import pytest
from google.protobuf import json_format, struct_pb2
from pulumi.runtime.proto import analyzer_pb2 as proto

from kilonode.rules.policy_file import SETTINGS
from kilonode.rules.read.resource import UNKNOWNS, Resource
from ops.stack import CLONE
from pack.analyzer import Analyzer
from pack.policies import policies
from tests.rules.doors import SOON, sent
from tests.rules.foreign import Foreign


class Context:
    """Stands for a call; an abort is an exception, as in grpc."""

    def abort(self, code: grpc.StatusCode, details: str) -> None:
        raise ValueError(f"{code.name}: {details}")


def struct(value: dict[str, Any]) -> struct_pb2.Struct:
    made = struct_pb2.Struct()
    json_format.ParseDict(value, made)
    return made


def configured(policy: dict[str, Any] | None = None) -> Analyzer:
    pack = Analyzer(lambda: None)
    pack.ConfigureStack(proto.AnalyzerStackConfigureRequest(stack="prod"), Context())
    pack.Configure(proto.ConfigureAnalyzerRequest(policyConfig=sent(policy or {})), Context())
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


@pytest.mark.parametrize(("protect", "kinds"), [(False, [proto.ADVISORY]), (True, [])])
def test_what_a_program_only_reads_is_undecided_where_protection_is_asked_for(protect: bool, kinds: list[int]) -> None:
    kind = "aws:kms/key:Key"
    row = proto.AnalyzerResource(
        urn=f"urn:pulumi:prod::p::{kind}::k",
        type=kind,
        name="k",
        options=proto.AnalyzerResourceOptions(protect=protect),
    )
    found = configured().AnalyzeStack(proto.AnalyzeStackRequest(resources=[row]), Context()).diagnostics
    assert [each.enforcementLevel for each in found if each.policyName == "store-protected"] == kinds


def broken() -> list[Resource]:
    of = Foreign()
    of.balloon, of.image = 0, "registry.example.com/app:latest"
    return of.resources()


def levels(policy: dict[str, Any]) -> dict[str, int]:
    return {each.policyName: each.enforcementLevel for each in judged(configured(policy), broken())}


def test_the_level_of_all_is_honoured_and_a_rules_own_level_is_stronger() -> None:
    assert levels({"all": "advisory"})["balloon-priority"] == proto.ADVISORY
    assert (
        levels({"all": {"enforcementLevel": "advisory"}, "balloon-priority": "mandatory"})["balloon-priority"]
        == proto.MANDATORY
    )
    assert levels({"all": "disabled"}) == {}
    assert levels({"all": "disabled", "balloon-priority": {"enforcementLevel": "advisory"}}) == {
        "balloon-priority": proto.ADVISORY
    }


def test_exemptions_hold_whatever_the_level_of_all() -> None:
    row = {"rule": "balloon-priority", "resource": "*", "reason": "moved next month", "expires": SOON}
    policy = {"all": "mandatory", SETTINGS: {"exemptions": [row]}}
    assert levels(policy)["balloon-priority"] == proto.ADVISORY


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        (
            {"all": {"enforcementLevel": "advisory", "most": 5}},
            r"1 value refused(.|\n)*policy\.all\.most(.|\n)*no parameter",
        ),
        ({"all": "remediate"}, r"1 value refused(.|\n)*policy\.all(.|\n)*mandatory or advisory or disabled"),
        ({"stack-size": "remediate"}, r"policy\.stack-size\.enforcementLevel"),
        ({"no-such-rule": "advisory"}, r"policy\.no-such-rule(.|\n)*the id of a rule"),
        ({SETTINGS: {"overrides": [{"stacks": ["prod"], "rules": {"stack-size": "disabled"}}]}}, r"as for all stacks"),
    ],
)
def test_what_the_pack_does_not_honour_it_refuses(policy: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=rf"INVALID_ARGUMENT(.|\n)*{words}"):
        configured(policy)


def test_an_exemption_without_a_reason_is_refused() -> None:
    row = {"rule": "balloon-priority", "resource": "*", "reason": "", "expires": SOON}
    with pytest.raises(ValueError, match=r"INVALID_ARGUMENT(.|\n)*reason"):
        configured({SETTINGS: {"exemptions": [row]}})


def test_an_exemption_that_has_ended_is_a_violation() -> None:
    of = Foreign()
    of.balloon = 0
    row = {"rule": "balloon-priority", "resource": "*", "reason": "moved next month", "expires": "2020-01-01"}
    (found,) = judged(configured({SETTINGS: {"exemptions": [row]}}), of.resources())
    assert (found.policyName, found.enforcementLevel) == ("balloon-priority", proto.MANDATORY)
    assert "its exemption ended on 2020-01-01" in found.message


def test_an_exemption_that_exempts_nothing_is_told_and_stops_nothing() -> None:
    row = {"rule": "balloon-priority", "resource": "*::rooms", "reason": "moved next month", "expires": SOON}
    (found,) = judged(configured({SETTINGS: {"exemptions": [row]}}), Foreign().resources())
    assert (found.policyName, found.enforcementLevel) == ("balloon-priority", proto.ADVISORY)
    assert (
        "an exemption exempts nothing: *::rooms (moved next month); remove it, or correct the resource" in found.message
    )


def test_the_pack_and_the_clouds_do_not_know_each_other() -> None:
    pack = [path.read_text() for path in (CLONE / "policies").rglob("*.py")]
    clouds = [path.read_text() for path in (CLONE / "components" / "kilonode" / "clouds").rglob("*.py")]
    assert pack
    assert not [text for text in pack if "kilonode.clouds" in text]
    assert not [text for text in clouds if "policies" in text or "kilonode.rules" in text]


def test_the_schema_says_from_where_to_where_a_number_goes_and_what_is_never_empty() -> None:
    own = {each.name: json_format.MessageToDict(each.configSchema)["properties"] for each in policies()}
    percent, names = own["pool-rolling-upgrade"]["percent"], own["required-tags"]["names"]
    assert (percent["type"], percent["minimum"], percent["maximum"]) == ("integer", 1, 100)
    assert own["etcd-members-enough"]["nodes"]["minimum"] == 0
    assert names["items"] == {"type": "string", "minLength": 1}
    assert own["gpu-preflight-taint"]["key"]["minLength"] == 1
    assert own["apiserver-always-pull"]["wanted"] == {
        "type": "boolean",
        "default": False,
        "description": "whether this stack decided for AlwaysPullImages",
    }
