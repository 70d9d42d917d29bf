"""One fault of a clean stack, and every word that is said of it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from kilonode.rules.read.resource import Resource
from kilonode.rules.registry import BY_ID
from tests.rules.changes import Change
from tests.rules.doors import Told
from tests.rules.foreign import Foreign


@dataclass(frozen=True)
class Break:
    """One fault, and every word that is said of it; ``settings`` are parameters of the rule."""

    rule: str
    change: Change
    where: tuple[str, ...]
    """Names of the resources it is said of."""

    field: str
    value: str
    limit: str
    why: str = ""
    """The rule's own where it is left out; so is the fix."""

    fix: str = ""
    settings: tuple[tuple[str, Any], ...] = ()
    large: bool = False

    def broken(self) -> Foreign:
        """The stack with the fault."""
        of = Foreign(large=self.large)
        self.change(of)
        return of

    def policy(self) -> dict[str, Any]:
        """What a team has to decide for the rule to be judged."""
        return {self.rule: {"enforcementLevel": "mandatory", **dict(self.settings)}}

    def told(self, resources: Iterable[Resource]) -> list[Told]:
        """All that is said of ``resources``, word for word."""
        rule, urns = BY_ID[self.rule], {each.name: each.urn for each in resources}
        # A spec's own words may name the source; it is said once.
        why = (self.why or rule.why).removesuffix(f" ({rule.source})")
        return sorted(
            Told(
                self.rule,
                urns[name],
                f"resource: {urns[name]}\n"
                f"field:    {self.field}\n"
                f"value:    {self.value}\n"
                f"limit:    {self.limit}\n"
                f"why:      {why} ({rule.source})\n"
                f"fix:      {self.fix or rule.fix}",
            )
            for name in self.where
        )
