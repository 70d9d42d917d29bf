"""An exported state (`pulumi stack export`): its rows as resources, each checked, as anybody may have written them."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from kilonode.rules.read.documents import UNREADABLE
from kilonode.rules.read.resource import Resource, plain

_URN = re.compile(r"urn:pulumi:[^:]+::[^:]+::.+::", re.DOTALL)
_KEPT = ("protect", "retainOnDelete", "external")
"""Any of these keeps what a row is of, whatever its program says next."""

_SHOWN = 60
"""Characters of a value in a message."""

_ROW: dict[str, type] = {
    "inputs": Mapping,
    "outputs": Mapping,
    "ignoreChanges": list,
    "propertyDependencies": Mapping,
    "id": str,
}
"""What a row may leave out, and what it is else."""

_KINDS = {Mapping: "a mapping", list: "a list", str: "text", bool: "a truth", type(None): "nothing"}


def from_state(document: Mapping[str, Any]) -> Iterator[Resource]:
    """The resources of an exported state (``pulumi stack export``), by their inputs.

    Raises:
        ValueError: when it is none; of a row it says which, and what is wrong with it.
    """
    deployment = document.get("deployment", document) if isinstance(document, Mapping) else None
    rows = deployment.get("resources") if isinstance(deployment, Mapping) else None
    if rows is None and isinstance(deployment, Mapping) and "manifest" in deployment:
        rows = []  # of a stack without resources the engine leaves them out
    if not isinstance(rows, list):
        raise ValueError("no exported state: it has no deployment.resources")
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise ValueError(f"resources[{number}]: a mapping is expected, this is {_kind(row)}")
        if not row.get("delete"):
            try:
                yield _from_row(row)
            except UNREADABLE as fault:
                raise ValueError(f"resources[{number}]: {fault}") from None


def _from_row(row: Mapping[str, Any]) -> Resource:
    urn, kind = row.get("urn"), row.get("type")
    if not isinstance(urn, str) or not _URN.match(urn):
        raise ValueError(f"urn is {_shown(urn)}, expected urn:pulumi:<stack>::<project>::<type>::<name>")
    if not isinstance(kind, str):
        raise ValueError(f"type is {_shown(kind)}, expected text")
    for key, kinds in _ROW.items():
        if row.get(key) is not None and not isinstance(row[key], kinds):
            raise ValueError(f"{key} is {_kind(row[key])}, expected {_KINDS[kinds]}")
    # The engine seals value by value; what is sealed as a whole may be no mapping, whatever holds it.
    own = {key: plain(row.get(key) or {}) for key in ("inputs", "outputs")}
    for key, found in own.items():
        if not isinstance(found, Mapping):
            raise ValueError(f"{key} is a secret or an output as a whole, expected a mapping of such")
    depends = row.get("propertyDependencies") or {}
    return Resource(
        urn=urn,
        type=kind,
        name=urn.rpartition("::")[2],
        properties=own["inputs"],
        protect=any(bool(row.get(key)) for key in _KEPT),
        external=bool(row.get("external")),
        ignore=tuple(each for each in row.get("ignoreChanges") or () if isinstance(each, str)),
        outputs=own["outputs"],
        id=row.get("id"),
        depends={
            key: [urn for urn in urns if isinstance(urn, str)]
            for key, urns in depends.items()
            if isinstance(urns, list)
        },
    )


def _kind(value: object) -> str:
    """What somebody has written instead, without the text itself: it may be what a secret was to stand in."""
    return next((words for kind, words in _KINDS.items() if isinstance(value, kind)), "a number")


def _shown(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
