"""The region's birth record: a resource that refuses edits a living region cannot take, before anything else moves.

The provider class is pickled by reference: its module path and name are part of every stack's state.
"""

from typing import Any

import pulumi
from pulumi import dynamic

from kilonode.region.birth import birth_facts, refusals
from kilonode.region.spec import RegionSpec


class BirthProvider(dynamic.ResourceProvider):
    """Keeps the facts of birth; every other resource of the region depends on it."""

    serialize_as_secret_always = False

    def check(self, olds: dict[str, Any], news: dict[str, Any]) -> dynamic.CheckResult:
        """Refuse when the facts differ from those the region was made with."""
        born = olds.get("facts")
        found = refusals(born, news["facts"]) if born else []
        return dynamic.CheckResult(news, [dynamic.CheckFailure("facts", f"refused: {refusal}") for refusal in found])

    def create(self, props: dict[str, Any]) -> dynamic.CreateResult:
        """Record the facts."""
        return dynamic.CreateResult(props["facts"]["name"], {"facts": props["facts"]})

    def diff(self, _id: str, _olds: dict[str, Any], _news: dict[str, Any]) -> dynamic.DiffResult:
        """Never: what differs was refused by :meth:`check`."""
        return dynamic.DiffResult(changes=False)


class BirthRecord(dynamic.Resource, module="region", name="BirthRecord"):
    """What was decided when the region was made."""

    facts: pulumi.Output[dict[str, Any]]

    def __init__(self, name: str, *, spec: RegionSpec, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(BirthProvider(), name, {"facts": birth_facts(spec)}, opts)
