"""A rule: one claim about facts, and what a person is told when it does not hold."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from pydantic_core import PydanticCustomError

from kilonode.refusal import RefusedError
from kilonode.rules import shown
from kilonode.rules.facts.stack import Facts, Unread
from kilonode.rules.parameter import Parameter, Setting
from kilonode.rules.unknown import UndecidedError

Severity = Literal["low", "medium", "high", "critical"]
Door = Literal["invariant", "judgement"]
Level = Literal["mandatory", "advisory", "disabled"]
STRICTER: tuple[Level, ...] = ("disabled", "advisory", "mandatory")
"""Levels, each stricter than those before it."""

Subject = TypeVar("Subject")


@dataclass(frozen=True)
class Fault:
    """What a claim finds; the rule adds why it matters. ``resource`` where it is another than the subject's."""

    field: str
    value: object
    limit: str
    resource: str = ""
    why: str = ""
    fix: str = ""


@dataclass(frozen=True)
class Violation:
    """One broken rule at one resource."""

    rule: str
    severity: Severity
    resource: str
    field: str
    value: str
    limit: str
    why: str
    fix: str

    def __str__(self) -> str:
        """Six lines: resource, field, value, limit, why, fix; a long value is cut, and is whole in the field."""
        rows = {name: getattr(self, name) for name in ("resource", "field", "value", "limit", "why", "fix")}
        rows["value"] = shown.brief(self.value)
        return "\n".join(f"{name + ':':<10}{shown.one_line(text)}" for name, text in rows.items())


@dataclass(frozen=True)
class Undecided:
    """One rule that cannot be judged at one resource before its ``field`` is known."""

    rule: str
    resource: str
    field: str

    def __str__(self) -> str:
        """One line."""
        return shown.one_line(
            f"undecided: {shown.brief(self.field)} of {self.resource} is not known yet; judged when it is"
        )


Finding = Violation | Undecided
Claim = Callable[..., Iterable[Fault]]
Over = Callable[[Facts], Iterable[Any]]


@dataclass(frozen=True)
class Rule:
    """One claim; ``doors`` has ``invariant`` where the components' constructors hold it too."""

    id: str
    claim: Claim
    over: Over
    severity: Severity
    why: str
    source: str
    fix: str
    doors: tuple[Door, ...]
    benchmark: str | None
    level: Level
    parameters: Mapping[str, Parameter]

    @property
    def title(self) -> str:
        """The claim in words: the first line of its function's docstring."""
        return (self.claim.__doc__ or self.id).strip().splitlines()[0].rstrip(".")

    @property
    def benchmarks(self) -> tuple[str, ...]:
        """Ids of the same claim elsewhere: CIS Kubernetes Benchmark 1.12, and checkov's."""
        return tuple(self.benchmark.split(", ")) if self.benchmark else ()

    def check(self, facts: Facts, settings: Mapping[str, Setting] | None = None) -> Iterator[Finding]:
        """Every violation, and every subject that cannot be judged; what machines of one pool have in common is told once."""
        yield from dict.fromkeys(self._findings(facts, settings))

    def _findings(self, facts: Facts, settings: Mapping[str, Setting] | None) -> Iterator[Finding]:
        """Whatever a claim trips over, the others are judged."""
        given = {name: parameter.value for name, parameter in self.parameters.items()} | dict(settings or {})
        try:
            subjects = tuple(self.over(facts))
        except Exception as fault:  # noqa: BLE001 - what a person has written is no reason to judge nothing
            yield Undecided(self.id, facts.stack.resource, shown.tripped(fault))
            return
        for subject in subjects:
            if isinstance(subject, Unread):
                yield self._undecided(subject, subject.field, facts)
                continue
            try:
                for found in self.claim(subject, **given):
                    hidden = _sealed(subject, facts, str(found.value), found.resource)
                    yield self._violation(subject.resource, found, sealed=hidden)
            except UndecidedError as unknown:
                yield self._undecided(subject, unknown.field, facts)
            except Exception as fault:  # noqa: BLE001 - likewise
                yield Undecided(self.id, subject.resource, shown.tripped(fault))

    def _undecided(self, subject: Any, field: str, facts: Facts) -> Undecided:
        return Undecided(self.id, subject.resource, shown.field(field, sealed=_sealed(subject, facts, field)))

    def _violation(self, resource: str, fault: Fault, *, sealed: bool) -> Violation:
        # A fault in a spec's words may name its source by itself.
        source = f" ({self.source})"
        why = (fault.why or self.why).removesuffix(source)
        return Violation(
            self.id,
            self.severity,
            fault.resource or resource,
            fault.field,
            shown.shown(fault.value, sealed=sealed),
            fault.limit,
            why + source,
            fault.fix or self.fix,
        )


def _sealed(subject: Any, facts: Facts, text: str, resource: str = "") -> bool:
    """Whether what a claim says may be a secret: of its subject, of the machines that is made of, or word by word of any other resource."""
    parts = (*getattr(subject, "members", ()), *getattr(subject, "servers", ()), *getattr(subject, "pools", ()))
    read = {subject.resource, resource, *(part.resource for part in parts)}
    return not facts.sealed.isdisjoint(read) or shown.holds(text, facts.secrets)


def rule(
    name: str,
    over: Over,
    *,
    severity: Severity,
    why: str,
    source: str,
    fix: str,
    invariant: bool = False,
    benchmark: str | None = None,
    level: Level = "mandatory",
    **parameters: Parameter,
) -> Callable[[Claim], Rule]:
    """Make a claim a rule; judgements are no invariants, and every invariant is judged in the pack too."""
    doors: tuple[Door, ...] = ("invariant", "judgement") if invariant else ("judgement",)

    def made(claim: Claim) -> Rule:
        return Rule(name, claim, over, severity, why, source, fix, doors, benchmark, level, parameters)

    return made


def refused(field: str, value: object, check: Callable[[Any], object], given: Any) -> Iterator[Fault]:
    """The fault that a spec, or a validator of one, finds in ``given``, in its words; ``value`` is what is shown."""
    try:
        check(given)
    except PydanticCustomError as error:
        said = error.context or {}
        yield Fault(field, value, said["allowed"], why=said["why"], fix=said["fix"])
    except RefusedError as error:
        yield from (Fault(field, value, each.allowed, why=each.why, fix=each.fix) for each in error.refusals)
