"""An exported state (`pulumi stack export`): its rows as resources, each checked, as anybody may have written them."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from kilonode.rules.read.documents import UNREADABLE
from kilonode.rules.read.resource import Resource, plain
from kilonode.rules.shown import called

_URN = re.compile(r"urn:pulumi:[^:]+::[^:]+::.+::", re.DOTALL)
_KEPT = ("protect", "retainOnDelete", "external")
"""Any of these keeps what a row is of, whatever its program says next."""

_REPLACED, _PENDING = "pendingReplacement", "pending_operations"
_GONE = ("delete", _REPLACED)
"""Either says that what a row is of is no more, or only until the next update ends."""

_SHOWN = 60
"""Characters of a value in a message."""

_ROW: dict[str, type] = {
    "inputs": Mapping,
    "outputs": Mapping,
    "ignoreChanges": list,
    "propertyDependencies": Mapping,
    "id": str,
    **dict.fromkeys((*_KEPT, *_GONE, "custom"), bool),
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
    if rows is None and isinstance(deployment, Mapping) and isinstance(deployment.get("manifest"), Mapping):
        # Of a stack without resources the engine leaves them out; under a name in capitals it would find them.
        rows = [] if "resources" not in map(str.lower, deployment) else None
    if not isinstance(rows, list):
        raise ValueError("no exported state: it has no deployment.resources")
    if not isinstance(deployment.get(_PENDING) or [], list):
        raise ValueError(f"{_PENDING} is {_kind(deployment[_PENDING])}, expected a list")
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise ValueError(f"resources[{number}]: a mapping is expected, this is {_kind(row)}")
        try:
            found = _from_row(row)
        except UNREADABLE as fault:
            raise ValueError(f"resources[{number}]: {fault}") from None
        if not any(row.get(key) for key in _GONE):
            yield found


def pending(document: Mapping[str, Any]) -> int:
    """How much had begun when the engine was interrupted: what it was about may be deployed otherwise, be in no row, or be gone."""
    deployment = document.get("deployment", document)
    gone = [each for each in deployment.get("resources") or () if each.get(_REPLACED)]
    return len(gone) + len(deployment.get(_PENDING) or ())


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
    # What a program only reads has no inputs; of a component the outputs are its own words.
    if not own["inputs"] and row.get("custom") is not False:
        own["inputs"] = own["outputs"]
    depends = row.get("propertyDependencies") or {}
    return Resource(
        urn=urn,
        type=kind,
        name=called(urn),
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
