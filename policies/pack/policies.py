"""Rules as the engine's policies: names, levels, and the schema of what a team may set."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from google.protobuf import json_format, struct_pb2  # type: ignore[import-untyped]
from pulumi.runtime.proto import analyzer_pb2 as proto

from kilonode.rules.parameter import Parameter
from kilonode.rules.policy import Policy
from kilonode.rules.policy_file import SETTINGS
from kilonode.rules.registry import RULES
from kilonode.rules.row import LEVEL
from kilonode.rules.rule import Rule

NAME, VERSION = "kilonode", "0.1.0"

LEVELS = {"advisory": proto.ADVISORY, "mandatory": proto.MANDATORY, "disabled": proto.DISABLED}
GIVEN = {number: name for name, number in LEVELS.items()} | {proto.REMEDIATE: "remediate"}
"""What the engine may send; the rules know no remedy, and refuse the last."""

SEVERITIES = {
    "low": proto.POLICY_SEVERITY_LOW,
    "medium": proto.POLICY_SEVERITY_MEDIUM,
    "high": proto.POLICY_SEVERITY_HIGH,
    "critical": proto.POLICY_SEVERITY_CRITICAL,
}
_TEXT = {"type": "string"}
_SAID = _TEXT | {"minLength": 1}


def _texts(*names: str) -> dict[str, Any]:
    return dict.fromkeys(names, _TEXT)


SETTINGS_SCHEMA: dict[str, Any] = {
    "exemptions": {
        "type": "array",
        "items": {"type": "object", "properties": _texts("rule", "resource", "reason", "expires")},
    },
    "overrides": {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"stacks": {"type": "array", "items": _TEXT}, "rules": {"type": "object"}},
        },
    },
}
"""What there is to set. What is wrong with it the pack says, every fault at once and as the command says it; the engine, which reads
this first, would name one fault in words of its own."""


def policies() -> list[Any]:
    """A policy for each rule, and the one for settings."""
    settings = proto.PolicyInfo(
        name=SETTINGS,
        displayName=SETTINGS,
        description="Exemptions with a reason and an end, and what is judged more strictly in some stacks",
        enforcementLevel=proto.ADVISORY,
        configSchema=proto.PolicyConfigSchema(properties=_struct(SETTINGS_SCHEMA)),
        policy_type=proto.POLICY_TYPE_STACK,
    )
    return [*map(_policy, RULES), settings]


def _policy(rule: Rule) -> Any:
    return proto.PolicyInfo(
        name=rule.id,
        displayName=rule.id,
        description=rule.title,
        message=f"{rule.why} ({rule.source})",
        enforcementLevel=LEVELS[rule.level],
        configSchema=proto.PolicyConfigSchema(
            properties=_struct({name: _schema(each) for name, each in rule.parameters.items()})
        ),
        policy_type=proto.POLICY_TYPE_STACK,
        severity=SEVERITIES[rule.severity],
        remediation_steps=rule.fix,
    )


def _schema(parameter: Parameter) -> dict[str, Any]:
    """The JSON schema of one parameter."""
    value = parameter.value
    if isinstance(value, tuple):
        return {"type": "array", "items": _SAID, "default": list(value), "description": parameter.words}
    own: dict[str, Any] = {"default": value, "description": parameter.words}
    if isinstance(value, bool):
        return own | {"type": "boolean"}
    if isinstance(value, str):
        return own | _SAID
    return own | {"type": "integer", "minimum": parameter.least, "maximum": parameter.most}


def policy_of(given: Mapping[str, Any], today: date) -> Policy:
    """What the engine was told about the rules: the rows of its file, and the defaults of every policy that has none.

    A level of all policies it gives to each that has none of its own, and hands on as a row of that name too.

    Raises:
        RefusedError: with every fault found in it.
    """
    rows = {
        name: {LEVEL: GIVEN[each.enforcementLevel], **_whole(json_format.MessageToDict(each.properties))}
        for name, each in given.items()
    }
    return Policy.read(rows, "policy", today)


def _whole(value: Any) -> Any:
    """Every number of the protocol is a float; parameters are whole."""
    if isinstance(value, dict):
        return {key: _whole(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_whole(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _struct(value: dict[str, Any]) -> struct_pb2.Struct:
    made = struct_pb2.Struct()
    json_format.ParseDict(value, made)
    return made
