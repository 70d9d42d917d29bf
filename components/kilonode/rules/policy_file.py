"""The engine's file of what a team decides (`--policy-pack-config`): its text, and where its rows stand."""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from kilonode.explain import shown
from kilonode.refusal import Refusal, RefusedError
from kilonode.rules.row import unlike

SETTINGS = "kilonode-settings"
"""The row of what is decided about several rules."""

VERSION = 2
"""Of the engine's file: its rows stand under `policies`, beside exceptions; a file without a version has them at its top."""

UNDONE = "nothing was judged"


def document(text: str | bytes, place: str) -> Any:
    """What a file's text says; an empty one says nothing, as for the engine. ``place`` is what the file is called.

    Raises:
        RefusedError: when a name stands twice in one mapping.
        ValueError: when it is no JSON.
    """
    twice: list[str] = []

    def mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        count = Counter(name for name, _ in pairs)
        twice.extend(name for name, times in count.items() if times > 1)
        return dict(pairs)

    found = json.loads(text, object_pairs_hook=mapping) if text.strip() else {}
    if twice:
        why = "of two the later holds, and what the earlier decides is silently ignored"
        raise RefusedError(
            [Refusal(place, f"{each} twice", "each name once in a mapping", why, "remove one") for each in twice],
            UNDONE,
        )
    return found


def rows(given: object, place: str, faults: list[Refusal]) -> tuple[str, dict[str, Any]]:
    """The rows of a file, of either version that the engine reads, and where they stand."""
    if not isinstance(given, Mapping):
        faults.append(unlike(place, given, "a mapping of rules to what is decided about them"))
        return place, {}
    found = dict(given)
    found.pop("environments", None)  # of the process, which rules know nothing of
    version = found.get("version")
    # A version is a number; as text it would be the level of a rule of that name.
    if not isinstance(version, int | float) or isinstance(version, bool):
        return place, found
    if version != VERSION:
        faults.append(unlike(f"{place}.version", version, f"{VERSION}, or no version"))
    if found.get("exceptions"):
        why = "an exception of the engine's has no end"
        fix = f"write exemptions, under {SETTINGS}"
        faults.append(Refusal(f"{place}.exceptions", shown(found["exceptions"]), "nothing", why, fix))
    below = f"{place}.policies"
    for key in sorted(found.keys() - {"version", "exceptions", "policies"}):
        why = "in a file with a version the engine reads rows under policies alone: this would be silently ignored"
        faults.append(Refusal(f"{place}.{key}", shown(found[key]), "nothing", why, f"write it under {below}"))
    own = {} if found.get("policies") is None else found["policies"]
    if not isinstance(own, Mapping):
        faults.append(unlike(below, own, "a mapping of rules to what is decided about them"))
        return below, {}
    return below, dict(own)
