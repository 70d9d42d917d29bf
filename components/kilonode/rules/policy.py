"""What a team decides about the rules: levels, parameters, stricter ones for some stacks, and exemptions that end."""

from datetime import date
from fnmatch import fnmatchcase
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, field_validator, model_validator

from kilonode.refusal import refuse
from kilonode.rules.registry import BY_ID
from kilonode.rules.rule import Level, Setting
from kilonode.spec import Spec

REASON_LENGTH = 10
"""Characters; shorter ones say nothing."""


def _date(value: object) -> object:
    """YAML reads a date as one, JSON as text."""
    if isinstance(value, str):
        try:
            return date.fromisoformat(value)
        except ValueError:
            raise refuse(allowed="a date such as 2027-01-31", why="an exemption ends", fix="write YYYY-MM-DD") from None
    return value


def _rule_id(value: str, place: str = "") -> str:
    """The id, refused where no rule has it; ``place`` is the path to it from the model being read, if it is no field."""
    if value not in BY_ID:
        raise refuse(
            field=place,
            given=value,
            allowed="the id of a rule, as in docs/rules.md",
            why="what is set for a rule that is not there is silently ignored",
            fix="correct the id",
        )
    return value


class RuleSettings(Spec):
    """How one rule is judged."""

    level: Level | None = None
    """Whether a violation stops the update, is only told, or is not looked for."""

    parameters: dict[str, Any] = Field(default_factory=dict)
    """The rule's own figures, by name."""


class Exemption(Spec):
    """A violation that is known and accepted for a while."""

    rule: str
    """The rule's id."""

    resource: str
    """The resource's URN, or a pattern with * of it."""

    reason: str
    """Why it is accepted; it stands in the report."""

    expires: Annotated[date, BeforeValidator(_date)]
    """The last day it holds."""

    @field_validator("rule")
    @classmethod
    def _known(cls, value: str) -> str:
        return _rule_id(value)

    @field_validator("reason")
    @classmethod
    def _said(cls, value: str) -> str:
        if len(value.strip()) < REASON_LENGTH:
            raise refuse(
                allowed=f"a sentence of at least {REASON_LENGTH} characters",
                why="whoever finds the exemption in a year must know whether it still holds",
                fix="write why it is accepted",
            )
        return value

    def covers(self, rule: str, resource: str) -> bool:
        """Whether it is about this violation."""
        return rule == self.rule and fnmatchcase(resource, self.resource)


class StackSettings(Spec):
    """What is judged otherwise in some stacks."""

    stacks: Annotated[tuple[str, ...], Field(strict=False)]
    """Names, or patterns with *."""

    rules: dict[str, RuleSettings] = Field(default_factory=dict)
    """Rule to its settings there."""


class Policy(Spec):
    """Everything a team decides about the rules."""

    rules: dict[str, RuleSettings] = Field(default_factory=dict)
    """Rule to its settings."""

    overrides: Annotated[tuple[StackSettings, ...], Field(strict=False)] = ()
    """What is judged otherwise in some stacks; of two rows that match the later holds."""

    exemptions: Annotated[tuple[Exemption, ...], Field(strict=False)] = ()
    """Violations that are accepted until a day."""

    @model_validator(mode="after")
    def _known(self) -> "Policy":
        for place, rows in (
            ("rules", self.rules),
            *((f"overrides[{n}].rules", each.rules) for n, each in enumerate(self.overrides)),
        ):
            for name, settings in rows.items():
                self._check(f"{place}.{name}", name, settings)
        return self

    @staticmethod
    def _check(place: str, name: str, settings: RuleSettings) -> None:
        own = BY_ID[_rule_id(name, place)].parameters
        for key, value in settings.parameters.items():
            if key not in own or not _like(value, own[key].value):
                raise refuse(
                    field=f"{place}.parameters.{key}",
                    given=value,
                    allowed=", ".join(f"{each} like {row.value!r}" for each, row in own.items()) or "no parameter",
                    why="a rule judges by its own parameters only",
                    fix="correct the name or the value",
                )

    def level(self, rule: str, stack: str) -> Level:
        """How ``rule`` is judged in ``stack``."""
        found = [each.level for each in self._rows(rule, stack) if each.level is not None]
        return found[-1] if found else BY_ID[rule].level

    def parameters(self, rule: str, stack: str) -> dict[str, Setting]:
        """The parameters of ``rule`` in ``stack`` that are not its own defaults."""
        merged: dict[str, Any] = {}
        for each in self._rows(rule, stack):
            merged |= each.parameters
        return {key: tuple(value) if isinstance(value, list) else value for key, value in merged.items()}

    def exemption(self, rule: str, resource: str) -> Exemption | None:
        """The exemption that covers a violation longest."""
        found = [each for each in self.exemptions if each.covers(rule, resource)]
        return max(found, key=lambda each: each.expires, default=None)

    def _rows(self, rule: str, stack: str) -> list[RuleSettings]:
        own = [self.rules[rule]] if rule in self.rules else []
        own += [
            each.rules[rule]
            for each in self.overrides
            if rule in each.rules and any(fnmatchcase(stack, pattern) for pattern in each.stacks)
        ]
        return own


def _like(value: object, default: Setting) -> bool:
    if isinstance(default, tuple):
        return isinstance(value, list | tuple) and all(isinstance(each, str) for each in value)
    return type(value) is type(default)
