"""What a team decides about the rules, in the form of the engine's file (`--policy-pack-config`).

The rows of the file are the team's own decision, in one reviewed place: they may weaken a rule. What some stacks have otherwise is only
ever stricter, so that no stack is let off in silence; that is what an exemption is for, which has a reason and an end.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Annotated, Any

from pydantic import Field, field_validator

from kilonode.explain import EXAMPLE, Allowed, shown
from kilonode.refusal import Refusal, RefusedError
from kilonode.rules.exemption import LONGEST, Exemption, matches, pattern
from kilonode.rules.parameter import Setting
from kilonode.rules.policy_file import SETTINGS, UNDONE, document, rows
from kilonode.rules.registry import BY_ID
from kilonode.rules.row import ALL, LEVEL, Row, read_level, read_row
from kilonode.rules.rule import STRICTER, Level
from kilonode.spec import Spec

DOCUMENT = "as in docs/policy-pack.md"


class Override(Spec):
    """What is judged more strictly in some stacks."""

    stacks: Annotated[
        tuple[str, ...], Field(strict=False, min_length=1), Allowed("a list of names or patterns, at least one")
    ]
    """Names, or patterns with *."""

    rules: Annotated[dict[str, Any], Field(min_length=1), Allowed("a mapping of rules to their rows, at least one")]
    """An override without rules judges nothing more strictly; each has its row there."""

    @field_validator("stacks")
    @classmethod
    def _named(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(map(pattern, value))


class Settings(Spec):
    """What is decided about several rules."""

    overrides: Annotated[tuple[Override, ...], Field(strict=False)] = ()
    """What is judged more strictly in some stacks."""

    exemptions: Annotated[tuple[Exemption, ...], Field(strict=False)] = ()
    """Violations that are accepted until a day."""


@dataclass(frozen=True)
class Stricter:
    """The rows of some stacks."""

    stacks: tuple[str, ...]
    rows: Mapping[str, Row]


@dataclass(frozen=True)
class Policy:
    """Everything a team decides about the rules."""

    everything: Level | None = None
    rows: Mapping[str, Row] = field(default_factory=dict)
    stricter: tuple[Stricter, ...] = ()
    exemptions: tuple[Exemption, ...] = ()

    @classmethod
    def read(cls, content: object, place: str, today: date) -> "Policy":
        """The policy of a file's content; ``place`` is what the file is called.

        Raises:
            RefusedError: with every fault found in it.
        """
        faults: list[Refusal] = []
        place, given = rows(content, place, faults)
        # The engine gives the level of all to each rule: a fault of it is told once.
        everything = read_row(ALL, given.pop(ALL, {}), f"{place}.{ALL}", faults)
        _raise(faults)
        settings = _settings(given.pop(SETTINGS, {}), f"{place}.{SETTINGS}", faults)
        own_rows = {name: read_row(name, each, f"{place}.{name}", faults) for name, each in given.items()}
        base = cls(everything.level, own_rows)
        stricter = []
        for number, each in enumerate(settings.overrides):
            where = f"{place}.{SETTINGS}.overrides[{number}].rules"
            own = {name: read_row(name, row, f"{where}.{name}", faults) for name, row in each.rules.items()}
            for name, row in own.items():
                faults += base._weaker(name, row, f"{where}.{name}", among=own)
            stricter.append(Stricter(each.stacks, own))
        for number, exemption in enumerate(settings.exemptions):
            faults += _endless(exemption, f"{place}.{SETTINGS}.exemptions[{number}].expires", today)
        _raise(faults)
        return cls(everything.level, own_rows, tuple(stricter), settings.exemptions)

    @classmethod
    def parse(cls, text: str | bytes, place: str, today: date) -> "Policy":
        """The policy of a file's text; an empty one decides nothing, as for the engine.

        Raises:
            RefusedError: with every fault found in it.
            ValueError: when it is no JSON.
        """
        return cls.read(document(text, place), place, today)

    def level(self, rule: str, stack: str) -> Level:
        """How ``rule`` is judged in ``stack``: the strictest of what is decided."""
        own = self.rows.get(rule, Row()).level or self.everything or BY_ID[rule].level
        return max((own, *(row.level for row in self._stricter(rule, stack) if row.level)), key=STRICTER.index)

    def parameters(self, rule: str, stack: str) -> dict[str, Setting]:
        """The parameters of ``rule`` in ``stack`` that are not its own defaults."""
        merged = dict(self.rows.get(rule, Row()).parameters)
        for row in self._stricter(rule, stack):
            for name, value in row.parameters.items():
                own = BY_ID[rule].parameters[name]
                merged[name] = own.strictest(merged.get(name, own.value), value)
        return merged

    def exemption(self, rule: str, resource: str) -> Exemption | None:
        """The exemption that covers a violation longest."""
        found = [each for each in self.exemptions if each.covers(rule, resource)]
        return max(found, key=lambda each: each.expires, default=None)

    def _stricter(self, rule: str, stack: str) -> Iterator[Row]:
        for each in self.stricter:
            if any(matches(stack, pattern) for pattern in each.stacks):
                own = each.rows.get(rule, Row())
                yield replace(own, level=own.level or each.rows.get(ALL, Row()).level)

    def _weaker(self, rule: str, row: Row, where: str, among: Mapping[str, Row]) -> Iterator[Refusal]:
        """What a row of some stacks, ``among`` others of theirs, would let pass that all others are stopped by."""
        fix = "set it for all stacks in the rule's own row, or write an exemption for what is accepted"
        why = "a stack that is judged less than the others is let off without a reason and without an end"
        meant = (each for each in BY_ID if not among.get(each, Row()).level) if rule == ALL else (rule,)
        level = max((self.level(each, "") for each in meant if each in BY_ID), key=STRICTER.index, default=STRICTER[0])
        if row.level and STRICTER.index(row.level) < STRICTER.index(level):
            allowed = " or ".join(STRICTER[STRICTER.index(level) :])
            yield Refusal(f"{where}.{LEVEL}", shown(row.level), f"{allowed}, as for all stacks", why, fix)
        if rule not in BY_ID:
            return
        settings = self.parameters(rule, "")
        for name, value in row.parameters.items():
            own = BY_ID[rule].parameters[name]
            base = settings.get(name, own.value)
            if own.strictest(base, value) != value:
                yield Refusal(
                    f"{where}.{name}", shown(value), f"{own.direction} {shown(base)}, as for all stacks", why, fix
                )


def _settings(given: object, place: str, faults: list[Refusal]) -> Settings:
    # The row judges nothing: its level, which every row may have, weighs nothing.
    if isinstance(given, str):
        read_level(given, place, faults)
        return Settings()
    own = given
    if isinstance(given, Mapping) and LEVEL in given:
        read_level(given[LEVEL], f"{place}.{LEVEL}", faults)
        own = {name: each for name, each in given.items() if name != LEVEL}
    try:
        return Settings.read(own, place)
    except RefusedError as refused:
        faults += (replace(each, fix=each.fix.replace(EXAMPLE, DOCUMENT)) for each in refused.refusals)
        return Settings()


def _endless(exemption: Exemption, place: str, today: date) -> Iterator[Refusal]:
    last = today + LONGEST
    if exemption.expires > last:
        yield Refusal(
            place,
            str(exemption.expires),
            f"a day up to {last}, a year from today",
            "what is accepted is looked at again once a year, or it never ends",
            "write an earlier day, or set the rule's level or parameter for all stacks",
        )


def _raise(faults: list[Refusal]) -> None:
    if faults:
        raise RefusedError(faults, UNDONE)
