"""Judging facts by all rules, as a team has decided."""

from collections.abc import Iterator
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
    return Verdict(rule, level, tuple(violations), tuple(undecided), tuple(exempted))
