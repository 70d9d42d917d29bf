"""Faults that a test orders: the n-th request of a type and verb is answered otherwise, as often as asked.

What the plugin does about them: of a request answered 429 it makes three more attempts, so an ordered 429 stands for the
last of them. A creation that the cloud took and then failed comes back with the state so far ("half-made"), and the
engine keeps the resource; one whose answer was lost leaves the engine without it ("lost"). The build of an image template
is a verb of its own, "build", which can only be "failed".
"""

import json
from pathlib import Path
from typing import Any, Final

from .refusal import ArmError

ANSWERS: Final = ("throttled", "half-made", "lost", "refused", "failed")


class Faults:
    """The orders in a file of the cloud's folder: token, verb, which request of those, how often, and the answer."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "faults.json"

    def order(
        self, answer: str, token: str, verb: str = "create", *, request: int = 1, times: int = 1, name: str = ""
    ) -> None:
        """Order a fault; `name` narrows it to one resource, `request` counts from now, from 1."""
        assert answer in ANSWERS, answer
        row = {"answer": answer, "token": token, "verb": verb, "name": name, "from": request, "times": times, "seen": 0}
        self._path.write_text(json.dumps([*self._rows(), row]))

    def due(self, token: str, verb: str, name: str) -> str | None:
        """Count this request, and the answer it gets if it is one that was ordered."""
        rows, answer = self._rows(), None
        for row in rows:
            if (row["token"], row["verb"]) == (token, verb) and row["name"] in {"", name}:
                row["seen"] += 1
                if row["from"] <= row["seen"] < row["from"] + row["times"]:
                    answer = str(row["answer"])
        if rows:
            self._path.write_text(json.dumps(rows))
        return answer

    def _rows(self) -> list[dict[str, Any]]:
        return list(json.loads(self._path.read_text())) if self._path.exists() else []


def throttled() -> ArmError:
    """What a subscription over its rate answers."""
    return ArmError(
        429, "TooManyRequests", "The request is being throttled as the limit has been reached for operation type."
    )


def failed(identifier: str) -> ArmError:
    """What a failed allocation answers."""
    return ArmError(
        409, "AllocationFailed", f"Allocation failed for '{identifier}'. We do not have sufficient capacity."
    )
