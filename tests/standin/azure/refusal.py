"""How the stand-in says no: before a request, with the value and what is allowed; or as Azure's API answers."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

LONGEST = 120


@dataclass(frozen=True)
class Refusal:
    """One refused value of one resource's inputs."""

    resource: str
    path: str
    given: Any
    allowed: str

    def __str__(self) -> str:
        shown = json.dumps(self.given, default=str)
        if len(shown) > LONGEST:
            shown = shown[:LONGEST] + "…"
        return f"{self.resource}: {self.path} is {shown}; allowed: {self.allowed}"


class ArmError(Exception):
    """An error answer of the cloud, in the words the real plugin prints it with."""

    def __init__(self, status: int, code: str, message: str) -> None:
        self.status = status
        self.code = code
        super().__init__(f'Status={status} Code="{code}" Message="{message}"')


class HalfMadeError(ArmError):
    """The cloud made or changed the resource `identifier` and then reported a failure."""

    def __init__(self, identifier: str) -> None:
        self.identifier = identifier
        super().__init__(409, "AllocationFailed", f"Allocation failed for '{identifier}'.")


def raise_all(code: str, refusals: Iterable[Refusal]) -> None:
    """Answer as the cloud does to a request it finds fault with."""
    found = list(refusals)
    if found:
        raise ArmError(400, code, "; ".join(map(str, found)))
