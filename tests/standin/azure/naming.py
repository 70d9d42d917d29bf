"""Names the plugin makes up, and places it infers, for inputs that a program leaves out."""

import hashlib
import uuid
from collections.abc import Mapping
from typing import Any, Final

from .difference import CREATE_BEFORE_DELETE
from .kinds import Kind
from .store import Store

GUIDS: Final = {"authorization:RoleAssignment", "authorization:RoleDefinition"}
SUFFIX: Final = 8


def fill_in(
    kind: Kind,
    name: str,
    seed: bytes,
    olds: Mapping[str, Any],
    news: dict[str, Any],
    store: Store,
    configured: str | None,
) -> None:
    """Add, in place, what the real plugin adds in Check: name, location, version of the API."""
    own = kind.name_input
    if own not in news:
        if own in olds:
            news[own] = olds[own]
            if CREATE_BEFORE_DELETE in olds:
                news[CREATE_BEFORE_DELETE] = olds[CREATE_BEFORE_DELETE]
        else:
            digest = hashlib.sha256(seed + name.encode()).hexdigest()
            news[own] = str(uuid.UUID(digest[:32])) if kind.token in GUIDS else name + digest[:SUFFIX]
            news[CREATE_BEFORE_DELETE] = True
    if "location" in kind_inputs(kind) and "location" not in news:
        place = olds.get("location") or configured or _place_of_group(news, store)
        if place:
            news["location"] = place
    news["azureApiVersion"] = kind.api


def kind_inputs(kind: Kind) -> set[str]:
    """The inputs a type has."""
    from .shapes import shapes

    return {name for name, spec in shapes()[kind.token].items() if not spec.get("readOnly") and not spec.get("dropped")}


def _place_of_group(news: Mapping[str, Any], store: Store) -> str | None:
    group = str(news.get("resourceGroupName", "")).lower()
    found = next((each for each in store.all("resources:ResourceGroup") if each.name.lower() == group), None)
    return found.body.get("location") if found else None
