"""Requests as the API server tells of them, and what a queue makes of them."""

import base64
from dataclasses import replace
from functools import cache
from itertools import count
from typing import Any

from tests.apiserver.approver import (
    CLIENT,
    LIMITS,
    csr,
    named,
    requestqueue,
    spec,
)

VERSIONS = count(1)
SOON = 0.0  # seconds to wait for what is there already
MOMENT = 1_767_225_610  # 2026-01-01T00:00:10Z


@cache
def encoded(node: str) -> str:
    return base64.b64encode(csr(named(node))).decode()


def request(
    name: str, who: dict[str, Any], signer: str = CLIENT, created: int = 0, node: str = "", **status: Any
) -> dict[str, Any]:
    moment = f"2026-01-01T00:{created // 60:02}:{created % 60:02}Z"
    metadata = {"name": name, "uid": name, "resourceVersion": str(next(VERSIONS)), "creationTimestamp": moment}
    asked = encoded(node or who["username"].rpartition(":")[2])
    return {"metadata": metadata, "spec": spec(signer, who, request=asked), "status": status}


def approved(moment: str = "2026-01-01T00:00:00Z") -> list[dict[str, str]]:
    return [{"type": "Approved", "status": "True", "lastUpdateTime": moment}]


def queue(*seen: dict[str, Any], **limits: int) -> Any:
    made = requestqueue.RequestQueue(replace(LIMITS, **limits))
    for each in seen:
        made.see(each)
    return made


def taken(kept: Any, moment: float = 100) -> str | None:
    found = kept.take(moment, SOON)
    return None if found is None else str(found.name)


def left(kept: Any) -> set[str]:
    """Names of all that are due."""
    return set(iter(lambda: taken(kept), None))


def done(kept: Any, document: dict[str, Any], due: float | None, told: str = "") -> None:
    kept.done(waiting(document), due, told)


def waiting(document: dict[str, Any]) -> Any:
    return requestqueue.Waiting.of(document)
