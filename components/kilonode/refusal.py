"""How a bad value is refused: field, value given, what is allowed, why, and the fix."""

from collections.abc import Iterable
from dataclasses import dataclass

from pydantic_core import PydanticCustomError


@dataclass(frozen=True)
class Refusal:
    """One refused value; ``field`` is the path a person would look for in the stack file."""

    field: str
    given: str
    allowed: str
    why: str
    fix: str
    rule: str = ""
    """The id of the rule (docs/rules.md) that other doors judge by the same, where there is one."""

    def __str__(self) -> str:
        """Five lines, the field first; a sixth names the rule."""
        return (
            f"{self.field}\n"
            f"    given:   {self.given}\n"
            f"    allowed: {self.allowed}\n"
            f"    why:     {self.why}\n"
            f"    fix:     {self.fix}"
        ) + (f"\n    rule:    {self.rule}" if self.rule else "")


class RefusedError(ValueError):
    """Raised with every refusal found, before anything is done; ``undone`` says what was not."""

    def __init__(self, refusals: Iterable[Refusal], undone: str = "nothing was created") -> None:
        self.refusals = tuple(refusals)
        count = len(self.refusals)
        head = f"{count} value{'s' if count > 1 else ''} refused; {undone}.\n\n"
        super().__init__(head + "\n\n".join(str(refusal) for refusal in self.refusals))


def refuse(
    *, allowed: str, why: str, fix: str, field: str = "", given: object = None, rule: str = ""
) -> PydanticCustomError:
    """Make the error a spec's validator raises.

    ``field`` is the path below the model being validated, for rules that compare several fields;
    ``given`` is what to show instead of the validated value itself; ``rule`` the id of the rule this is an invariant of.
    """
    return PydanticCustomError(
        "refused",
        "allowed: {allowed}; why: {why}; fix: {fix}",
        {
            "allowed": allowed,
            "why": why,
            "fix": fix,
            "field": field,
            "given": "" if given is None else str(given),
            "rule": rule,
        },
    )
