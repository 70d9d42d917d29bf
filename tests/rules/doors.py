"""The doors a fault comes to: the pack as the engine asks it, and the command over an exported state."""

import contextlib
import io
import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from google.protobuf import json_format, struct_pb2
from pulumi.runtime.proto import analyzer_pb2 as proto

from kilonode.rules.__main__ import main
from kilonode.rules.read.resource import Resource
from pack.analyzer import Analyzer
from pack.policies import GIVEN

SOON = str((datetime.now(tz=UTC) + timedelta(days=30)).date())
"""A day that an exemption may end on."""


class Told(NamedTuple):
    """One violation as a person reads it."""

    rule: str
    resource: str
    text: str


def by_pack(resources: Iterable[Resource], policy: Mapping[str, Any]) -> list[Told]:
    """What the pack says when the engine hands it every resource, then the stack."""
    given, pack = list(resources), Analyzer(lambda: None)
    pack.ConfigureStack(proto.AnalyzerStackConfigureRequest(stack="prod"), None)
    pack.Configure(proto.ConfigureAnalyzerRequest(policyConfig=sent(policy)), None)
    for each in given:
        pack.Analyze(
            proto.AnalyzeRequest(
                urn=each.urn,
                type=each.type,
                name=each.name,
                properties=_struct(each.properties),
                options=_options(each),
            ),
            None,
        )
    # Of a resource that is still to be made the engine knows no id, only what its properties came from.
    whole = [
        proto.AnalyzerResource(
            urn=each.urn,
            type=each.type,
            name=each.name,
            options=_options(each),
            propertyDependencies={
                name: proto.AnalyzerPropertyDependencies(urns=urns) for name, urns in each.depends.items()
            },
        )
        for each in given
    ]
    said = pack.AnalyzeStack(proto.AnalyzeStackRequest(resources=whole), None).diagnostics
    return sorted(Told(each.policyName, each.urn, each.message.partition("\n")[2]) for each in said)


def sent(policy: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration file as the engine hands it on: every policy, by its own defaults, then by `all`, then by its own row."""
    known = Analyzer(lambda: None).GetAnalyzerInfo(None, None).policies
    every = _row(policy.get("all", {})).get("enforcementLevel")
    made = {}
    for each in known:
        schema = json_format.MessageToDict(each.configSchema.properties)
        defaults = {name: one["default"] for name, one in schema.items() if "default" in one}
        made[each.name] = {"enforcementLevel": every or GIVEN[each.enforcementLevel], **defaults}
    for name, row in policy.items():
        made[name] = made.get(name, {}) | _row(row)
    levels = {name: number for number, name in GIVEN.items()}
    return {
        name: proto.PolicyConfig(
            enforcementLevel=levels[row.pop("enforcementLevel", "advisory")], properties=_struct(row)
        )
        for name, row in made.items()
    }


def _row(given: Any) -> dict[str, Any]:
    return {"enforcementLevel": given} if isinstance(given, str) else dict(given)


def _options(of: Resource) -> Any:
    assert isinstance(of.protect, bool)
    assert isinstance(of.ignore, tuple)
    return proto.AnalyzerResourceOptions(protect=of.protect, ignoreChanges=of.ignore)


def _struct(values: Mapping[str, Any]) -> struct_pb2.Struct:
    made = struct_pb2.Struct()
    json_format.ParseDict(dict(values), made)
    return made


def exported(resources: Iterable[Resource]) -> dict[str, Any]:
    """The state of a stack of these resources, as `pulumi stack export` writes it."""
    rows = [
        {
            "urn": each.urn,
            "type": each.type,
            "id": each.id or f"/{each.name}",
            "inputs": dict(each.properties),
            "protect": each.protect,
            "ignoreChanges": list(each.ignore) if isinstance(each.ignore, tuple) else [],
            "propertyDependencies": {name: list(urns) for name, urns in each.depends.items()},
        }
        for each in resources
    ]
    return {"version": 3, "deployment": {"resources": rows}}


def checked(document: object, policy: object, *words: str) -> tuple[int, str]:
    """The exit code of the command over a state, and what it writes."""
    with TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as written:
        for name, content in (("state.json", document), ("policy.json", policy)):
            (Path(folder) / name).write_text(json.dumps(content))
        code = main(["check", f"{folder}/state.json", "--policy", f"{folder}/policy.json", *words])
    return code, written.getvalue()


def by_table(resources: Iterable[Resource], policy: Mapping[str, Any]) -> list[Told]:
    """What the command's table says."""
    _, written = checked(exported(resources), policy)
    blocks: list[list[str]] = []
    for line in written.splitlines():
        if line.startswith("  "):
            blocks[-1].append(line[2:])
        else:
            blocks.append([line])
    return sorted(Told(head.partition(" ")[0], rows[0].split()[1], "\n".join(rows)) for head, *rows in blocks if rows)


def by_sarif(resources: Iterable[Resource], policy: Mapping[str, Any]) -> list[Told]:
    """What the command's SARIF says."""
    _, written = checked(exported(resources), policy, "--format", "sarif")
    return sorted(
        Told(
            each["ruleId"],
            each["locations"][0]["logicalLocations"][0]["fullyQualifiedName"],
            each["message"]["text"].replace("{{", "{").replace("}}", "}"),
        )
        for each in json.loads(written)["runs"][0]["results"]
    )


DOORS = {"the pack": by_pack, "the state's table": by_table, "the state's SARIF": by_sarif}
