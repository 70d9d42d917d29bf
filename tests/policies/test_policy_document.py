"""What docs/policy-pack.md gives to copy is read, and its two forms decide the same."""

import json
import re
import sys
from typing import Any

import pulumi.runtime.proto.analyzer_pb2 as proto
import yaml
from google.protobuf import json_format, struct_pb2

from kilonode.rules.policy import Policy
from ops.stack import CLONE

sys.path.insert(0, str(CLONE / "policies"))
from pack.policies import LEVELS, policy_of

TEXT = (CLONE / "docs" / "policy-pack.md").read_text()


def block(language: str) -> str:
    (found,) = re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)
    return str(found)


def config(row: Any) -> Any:
    """A row of the engine's file as the engine hands it on."""
    given = {"enforcementLevel": row} if isinstance(row, str) else dict(row)
    properties = struct_pb2.Struct()
    level = given.pop("enforcementLevel", "mandatory")
    json_format.ParseDict(given, properties)
    return proto.PolicyConfig(enforcementLevel=LEVELS[level], properties=properties)


def test_the_file_of_the_pack_decides_what_it_says() -> None:
    policy = policy_of({name: config(row) for name, row in json.loads(block("json")).items()})
    assert policy.parameters("required-tags", "any") == {"names": ("owner",)}
    assert policy.level("gpu-preflight-taint", "any") == "mandatory"
    assert (policy.level("stack-size", "trial"), policy.level("stack-size", "prod-1")) == ("advisory", "mandatory")
    assert policy.parameters("stack-size", "trial") == {"most": 1000}


def test_the_file_of_the_command_decides_the_same_of_what_both_have() -> None:
    policy = policy_of({name: config(row) for name, row in json.loads(block("json")).items()})
    command = Policy.read(yaml.safe_load(block("yaml")), "policy")
    assert command.overrides == policy.overrides
    assert command.exemptions == policy.exemptions
    assert command.rules["stack-size"] == policy.rules["stack-size"]
