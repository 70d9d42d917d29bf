"""Every shipped Azure stack breaks no rule, and with everything the engine is told nothing is undecided."""

from collections.abc import Iterator
from datetime import date

import pulumi
import pytest
from google.protobuf import json_format
from pulumi.runtime import mocks, settings

from kilonode.region.region import Region
from kilonode.rules.judge import judge
from kilonode.rules.policy import Policy
from kilonode.rules.read.facts import read_facts
from kilonode.rules.read.resource import Resource, plain
from ops.stack import CLONE
from ops.stackfile import read_stack
from tests.wiring.test_azure_region import Monitor

STACKS = sorted(path.stem.removeprefix("Pulumi.") for path in (CLONE / "stacks").glob("Pulumi.azure-*.yaml"))


@pytest.fixture(autouse=True)
def _settings() -> Iterator[None]:
    before = settings.SETTINGS
    yield
    settings.configure(before)


def registered(stack: str) -> list[Resource]:
    """What the program asks for, with each cloud id made up."""
    spec = read_stack(CLONE / "stacks" / f"Pulumi.{stack}.yaml")
    monitor = Monitor()
    mocks.set_mocks(monitor.mocks, monitor=monitor)

    @pulumi.runtime.test
    def program() -> None:
        Region(spec.name, spec)

    program()
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
        for each in monitor.registered
    ]


@pytest.mark.parametrize("stack", STACKS)
def test_a_shipped_stack_breaks_no_rule(stack: str) -> None:
    facts = read_facts(registered(stack))
    assert [len(cluster.members) for cluster in facts.clusters] in ([5, 5], [3, 3])
    assert facts.api_servers is not None
    assert facts.pools
    verdicts = list(judge(facts, Policy(), stack, date(2026, 1, 1)))
    assert [violation for verdict in verdicts for violation in verdict.violations] == []
    assert [undecided for verdict in verdicts for undecided in verdict.undecided] == []
