"""Every shipped Azure stack breaks no rule, and with everything the engine is told nothing is undecided."""

from datetime import date

import pytest
from google.protobuf import json_format

from kilonode.rules.judge import judge
from kilonode.rules.policy import Policy
from kilonode.rules.read.facts import read_facts
from kilonode.rules.read.resource import Resource, plain
from tests.wiring.azure_monitor import SHIPPED, Recorder, shipped


def registered(stack: str) -> list[Resource]:
    """What the program asks for, with each cloud id made up."""
    return [
        Resource(
            f"urn:pulumi:{stack}::kilonode::{each.type}::{each.name}",
            each.type,
            each.name,
            plain(json_format.MessageToDict(each.object)),
            protect=each.protect,
            ignore=tuple(each.ignoreChanges),
            id=f"/{each.name}",
        )
        for each in shipped(stack, Recorder).registered
    ]


@pytest.mark.parametrize("stack", SHIPPED)
def test_a_shipped_stack_breaks_no_rule(stack: str) -> None:
    facts = read_facts(registered(stack))
    assert [len(cluster.members) for cluster in facts.clusters] in ([5, 5], [3, 3])
    assert len(facts.api_servers) == 1
    assert facts.pools
    verdicts = list(judge(facts, Policy(), stack, date(2026, 1, 1)))
    assert [violation for verdict in verdicts for violation in verdict.violations] == []
    assert [undecided for verdict in verdicts for undecided in verdict.undecided] == []
