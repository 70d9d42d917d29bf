"""Judging facts by all rules, as a team has decided."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date

from kilonode.rules.exemption import Exemption
from kilonode.rules.facts.stack import Facts
from kilonode.rules.policy import Policy
from kilonode.rules.registry import RULES
from kilonode.rules.rule import Level, Rule, Undecided, Violation


@dataclass(frozen=True)
class Exempted:
    """A violation that is accepted for a while."""

    violation: Violation
    exemption: Exemption


@dataclass(frozen=True)
class Verdict:
    """What one rule found; ``level`` is how much it weighs."""

    rule: Rule
    level: Level
    violations: tuple[Violation, ...] = ()
    undecided: tuple[Undecided, ...] = ()
    exempted: tuple[Exempted, ...] = ()
    idle: tuple[Exemption, ...] = ()
    """Those that cover nothing of the stack, whether they have ended or not."""


def judge(facts: Facts, policy: Policy, stack: str, today: date) -> Iterator[Verdict]:
    """The verdict of every rule that is not disabled in ``stack``."""
    for rule in RULES:
        level = policy.level(rule.id, stack)
        if level != "disabled":
            yield _verdict(rule, level, facts, policy, stack, today)


def _verdict(rule: Rule, level: Level, facts: Facts, policy: Policy, stack: str, today: date) -> Verdict:
    violations: list[Violation] = []
    undecided: list[Undecided] = []
    exempted: list[Exempted] = []
    for finding in rule.check(facts, policy.parameters(rule.id, stack)):
        if isinstance(finding, Undecided):
            undecided.append(finding)
            continue
        exemption = policy.exemption(rule.id, finding.resource)
        if exemption is None:
            violations.append(finding)
        elif exemption.expires < today:
            ended = f"{finding.why}; its exemption ended on {exemption.expires}: {exemption.reason}"
            violations.append(replace(finding, why=ended))
        else:
            exempted.append(Exempted(finding, exemption))
    # What is undecided may yet be a violation, and at another resource than the one it is told of.
    found = [*violations, *(each.violation for each in exempted)]
    idle = () if undecided else _idle(rule, found, policy, stack)
    return Verdict(rule, level, tuple(violations), tuple(undecided), tuple(exempted), tuple(idle))


def _idle(rule: Rule, found: Iterable[Violation], policy: Policy, stack: str) -> Iterator[Exemption]:
    """The rule's exemptions that are about this stack and cover no violation of it."""
    resources = {each.resource for each in found}
    for each in policy.exemptions:
        if each.rule == rule.id and each.may_be_of(stack) and not any(each.covers(rule.id, urn) for urn in resources):
            yield each
