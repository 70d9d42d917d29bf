"""A violation that a team knows and accepts for a while."""

import re
from datetime import date, timedelta
from fnmatch import fnmatchcase
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, field_validator

from kilonode.explain import Allowed, shown
from kilonode.refusal import refuse
from kilonode.rules.registry import BY_ID
from kilonode.rules.row import written
from kilonode.spec import Spec

REASON_LENGTH = 10
"""Letters and digits; less says nothing."""

LONGEST = timedelta(days=366)
"""From today to an exemption's last day: accepted again once a year, by somebody who has looked, or it is no exemption but a decision."""

_URN = "urn:pulumi:"
A_DAY = "a date such as 2027-01-31"
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def matches(text: str, pattern: str) -> bool:
    """Whether a pattern covers all of a text; ``*`` stands for anything, every other character for itself."""
    return fnmatchcase(text, pattern.replace("[", "[[]").replace("?", "[?]"))


def pattern(text: str) -> str:
    """A name, or a pattern of names.

    Raises:
        PydanticCustomError: when it has blanks around it, or is nothing: so it would cover nothing.
    """
    if not text or text != text.strip():
        raise refuse(
            allowed="a name, or a pattern with *, without blanks around it",
            why="nothing is called so, and what covers nothing is silently ignored",
            fix="correct the name",
        )
    return text


def _day(value: object) -> object:
    """Python reads weeks and days without dashes too; whoever reviews the file does not."""
    try:
        if isinstance(value, str) and _DAY.fullmatch(value):
            return date.fromisoformat(value)
    except ValueError:
        pass  # a day that no month has
    raise refuse(allowed=A_DAY, why="an exemption ends", fix="write YYYY-MM-DD, in quotes")


class Exemption(Spec):
    """A violation that is known and accepted for a while."""

    rule: str
    """The rule's id."""

    resource: Annotated[str, AfterValidator(pattern)]
    """The resource's URN, or a pattern with * of it."""

    reason: str
    """Why it is accepted; it stands in the report."""

    expires: Annotated[date, BeforeValidator(_day), Allowed(A_DAY)]
    """The last day it holds, by UTC."""

    @field_validator("rule")
    @classmethod
    def _known(cls, value: str) -> str:
        if value not in BY_ID:
            raise refuse(
                allowed="the id of a rule, as in docs/rules.md",
                why="an exemption of what is not there is silently ignored",
                fix="correct the id",
                given=written(shown(value)),
            )
        return value

    @field_validator("reason")
    @classmethod
    def _said(cls, value: str) -> str:
        said = value.strip()
        if sum(map(str.isalnum, said)) < REASON_LENGTH:
            raise refuse(
                allowed=f"a sentence with at least {REASON_LENGTH} letters and digits",
                why="whoever finds the exemption in a year must know whether it still holds",
                fix="write why it is accepted",
            )
        if not said.isprintable():
            raise refuse(
                allowed="one line of printable characters",
                why="it stands in reports, and must not look like lines of theirs",
                fix="write it on one line",
            )
        return said

    def covers(self, rule: str, resource: str) -> bool:
        """Whether it is about this violation."""
        return rule == self.rule and matches(resource, self.resource)

    def may_be_of(self, stack: str) -> bool:
        """Whether it may be about a stack: one whose resource begins with the URN of another's is that one's."""
        head, own = self.resource.partition("*")[0], f"{_URN}{stack}::"
        return not head.startswith(_URN) or head.startswith(own) or own.startswith(head)
