"""What docs/policy-pack.md gives to copy is read, and decides the same at both doors."""

import json
import re
from datetime import date

from kilonode.rules.policy import Policy
from ops.stack import CLONE
from pack.policies import policy_of
from tests.rules.doors import sent

TODAY = date(2027, 1, 31)
(BLOCK,) = re.findall(r"```json\n(.*?)```", (CLONE / "docs" / "policy-pack.md").read_text(), re.DOTALL)


def test_the_file_decides_what_the_text_says() -> None:
    policy = Policy.read(json.loads(BLOCK), "policy", TODAY)
    assert policy.parameters("required-tags", "any") == {"names": ("owner",)}
    assert policy.level("gpu-preflight-taint", "any") == "mandatory"
    assert (policy.level("stack-size", "trial"), policy.level("stack-size", "prod-1")) == ("advisory", "mandatory")
    assert policy.parameters("stack-size", "trial") == {"most": 1000}
    assert policy.parameters("stack-size", "prod-1") == {"most": 500}
    (found,) = policy.exemptions
    assert found.covers("balloon-priority", "urn:pulumi:prod::a::b::balloon")


def test_the_pack_is_handed_the_same_decisions_by_the_engine() -> None:
    own, handed = Policy.read(json.loads(BLOCK), "policy", TODAY), policy_of(sent(json.loads(BLOCK)), TODAY)
    assert (handed.stricter, handed.exemptions) == (own.stricter, own.exemptions)
    for stack in ("prod-1", "trial"):
        for rule in handed.rows.keys() - {"kilonode-settings"}:
            assert handed.level(rule, stack) == own.level(rule, stack)
            assert own.parameters(rule, stack).items() <= handed.parameters(rule, stack).items()
