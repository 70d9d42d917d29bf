"""What is decided about one rule: a level, or a mapping of ``enforcementLevel`` and the rule's own parameters."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import cast

from kilonode.explain import shown
from kilonode.refusal import Refusal
from kilonode.rules.parameter import Setting
from kilonode.rules.registry import BY_ID
from kilonode.rules.rule import STRICTER, Level

ALL = "all"
"""The engine's own row: the level of every rule that has none of its own."""

LEVEL = "enforcementLevel"
"""The engine's own word; what else a row has is a parameter."""


@dataclass(frozen=True)
class Row:
    """How one rule is judged, where that is not the rule's own."""

    level: Level | None = None
    parameters: Mapping[str, Setting] = field(default_factory=dict)


def read_row(name: str, given: object, place: str, faults: list[Refusal]) -> Row:
    """A row of the file, without what is refused of it; ``name`` is a rule's, or of all rules."""
    if name not in BY_ID and name != ALL:
        why = "what is set for a rule that is not there is silently ignored"
        faults.append(Refusal(place, written(name), "the id of a rule, as in docs/rules.md", why, "correct the id"))
        return Row()
    if isinstance(given, str):
        return Row(read_level(given, place, faults))
    if not isinstance(given, Mapping):
        faults.append(unlike(place, given, f"a level, or a mapping of {LEVEL} and the rule's parameters"))
        return Row()
    own = dict(given)
    level = read_level(own.pop(LEVEL), f"{place}.{LEVEL}", faults) if LEVEL in own else None
    return Row(level, {key: each for key, value in own.items() for each in _value(name, key, value, place, faults)})


def unlike(place: str, given: object, allowed: str) -> Refusal:
    """The refusal of what has not the form of its place."""
    return Refusal(place, shown(given), allowed, "nothing else is read there", f"write {allowed}")


def written(name: str) -> str:
    """A name of ours as somebody has written it, without letters of other alphabets that look like ours."""
    return name.encode("ascii", "backslashreplace").decode()


def read_level(given: object, place: str, faults: list[Refusal]) -> Level | None:
    """A level, or nothing where it is refused."""
    if given in STRICTER:
        return given
    allowed = " or ".join(reversed(STRICTER))
    why = "a violation stops the update, is only told, or is not looked for; the rules change nothing themselves"
    faults.append(Refusal(place, written(shown(given)), allowed, why, "write one of these three"))
    return None


def _value(name: str, key: str, value: object, place: str, faults: list[Refusal]) -> tuple[Setting, ...]:
    """The value of a parameter, if the rule has such a one."""
    known = BY_ID[name].parameters if name in BY_ID else {}
    given = _plain(value)
    if key in known and known[key].takes(given):
        return (cast(Setting, given),)
    why = "a rule judges by its own parameters only"
    if key in known:
        example = f", such as {shown(own)}" if (own := known[key].value) != () else ""
        fault = Refusal(f"{place}.{key}", shown(value), known[key].allowed + example, why, "correct the value")
    else:
        own_names = ", ".join(f"{each} like {shown(row.value)}" for each, row in known.items()) or "no parameter"
        near = get_close_matches(key.lower(), [LEVEL, *known], n=1)
        fix = f"did you mean {near[0]!r}?" if near else f"remove {written(key)!r}"
        fault = Refusal(f"{place}.{key}", shown(value), f"{LEVEL}, and {own_names}", why, fix)
    faults.append(fault)
    return ()


def _plain(value: object) -> object:
    """The value as rules have it: of the engine every number comes as a float, so a file may have 1000.0 too."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return tuple(value) if isinstance(value, list) else value
