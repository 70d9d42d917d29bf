"""A resource as rules get it, from a policy pack or an exported state: its properties, some of them unknown."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from kilonode.rules.unknown import Fact, Unknown, first_unknown

T = TypeVar("T")
_WHOLE = re.compile(r"-?\d{1,18}", re.ASCII)
SIGNATURE = "4dabf18193072939515e22adb298388d"
SECRET = "1b47061264138c4ac30d75fd1eb44270"  # noqa: S105 - Pulumi's mark of a secret
UNKNOWNS = frozenset(
    {
        "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
        "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
        "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
        "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
        "030794c1-ac77-496b-92df-f27374a8bd58",
        "e48ece36-62e2-4504-bad9-02848725956a",
        "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
    }
)
"""What the engine sends for values that are not known yet (pulumi/pulumi, sdk/go/common/resource/plugin/rpc.go)."""


class Sealed(str):
    """Text that the engine keeps as a secret: rules read it, and nobody is shown it."""

    __slots__ = ()


@dataclass(frozen=True)
class Resource:
    """One resource: what its program asked for, and how Pulumi is to treat it."""

    urn: str
    type: str
    name: str
    properties: Mapping[str, Any]
    protect: Fact[bool] = False
    """Whether Pulumi deletes it at no edit of its program."""

    ignore: Fact[tuple[str, ...]] = ()
    outputs: Mapping[str, Any] = field(default_factory=dict)
    """What the cloud has answered; empty where nobody has asked yet."""

    id: Fact[str | None] = None
    depends: Mapping[str, Collection[str]] = field(default_factory=dict)
    """Property to the URNs of the resources whose outputs are in it; the engine tells no policy pack an id."""

    external: bool = False
    """Whether its program only reads it: it is another's, and Pulumi neither changes nor deletes it."""

    part_of: str = ""
    """URN of the resource in whose properties it stands, where it is none by itself."""

    def get(self, path: str) -> Any:
        """The value at a dotted path; None when it is absent, Unknown when it or what holds it is unknown."""
        return at(self.properties, path)

    def text(self, path: str) -> Fact[str | None]:
        """The text at a path; what is no text cannot be judged, and so is Unknown."""
        return typed(self.get(path), str, path)

    def number(self, path: str) -> Fact[int | None]:
        """The whole number at a path; text of one is one, as the engine takes it."""
        return whole(self.get(path), path)

    def truth(self, path: str) -> Fact[bool | None]:
        """Whether it is so, at a path; text that says it is taken too, as the engine does."""
        given = self.get(path)
        return typed({"true": True, "false": False}.get(given, given) if isinstance(given, str) else given, bool, path)

    def rows(self, path: str) -> Fact[list[Any]]:
        """The list at a path, empty when it is absent; Unknown as in :meth:`get`."""
        found = typed(self.get(path), list, path)
        return [] if found is None else found

    def named(
        self, path: str, among: Iterable["Resource"], also: str = "id", part: str = ""
    ) -> "Resource | Unknown | None":
        """Which of ``among`` is named at a path, by its id or by its property ``also``.

        Where the id is that of a part, ``part`` is the word between the whole's id and the part's name.
        None when it is none of them, Unknown when that cannot be told.
        """
        given = self.get(path)
        if given is None:
            return None
        candidates = tuple(among)
        text = given.lower() if isinstance(given, str) else ""
        text = text.partition(f"/{part.lower()}/")[0] if part else text
        for each in candidates if text else ():
            names = (each.id, each.get(also), each.outputs.get("arn"))
            if text in {name.lower() for name in names if isinstance(name, str)}:
                return each
        urns = self.depends.get(path.partition(".")[0], ())
        # Whose id is known, and is not what stands there, is not meant.
        own = [
            each
            for each in candidates
            if (each.part_of or each.urn) in urns and not (text and isinstance(each.id, str))
        ]
        if len(own) > 1 and text:  # an id of Azure ends with the name
            own = [each for each in own if str(each.get(also)).lower() == text.rpartition("/")[2]] or own
        if len(own) == 1:
            return own[0]
        return Unknown(path) if own or isinstance(given, Unknown) else None


def urn_of(named: Resource | Unknown | None) -> Fact[str | None]:
    """The URN of what :meth:`Resource.named` has found."""
    return named.urn if isinstance(named, Resource) else named


def any_set(rows: Iterable[Any], key: str) -> Fact[bool]:
    """Whether any row has something at ``key``; Unknown where none has and one may.

    What is still to be made is something, though its id is not known yet.
    """
    found = [at(row, key) for row in rows]
    if any(each is not None and not isinstance(each, Unknown) for each in found):
        return True
    return first_unknown(found) or False


def typed(value: Any, kind: type[T], path: str) -> Fact[T | None]:
    """The value where it is of ``kind``; Unknown where it is of another, as nobody can judge that."""
    if value is None or isinstance(value, kind | Unknown):
        return value
    return Unknown(path)


def whole(value: Any, path: str) -> Fact[int | None]:
    """A whole number, also one written as text."""
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        return int(value)
    return Unknown(path) if isinstance(value, bool) else typed(value, int, path)


def at(value: Any, path: str) -> Any:
    """The value at a dotted path of plain data; numbers are places in lists."""
    for step in path.split("."):
        if isinstance(value, Unknown):
            return value
        if isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        elif isinstance(value, Mapping):
            value = value.get(step)
        else:
            return None
    return value


def plain(value: Any, path: str = "") -> Any:
    """Properties as the engine or a state file writes them, with unknown and sealed values marked and secrets opened."""
    if isinstance(value, str):
        return Unknown(path) if value in UNKNOWNS else value
    if isinstance(value, Mapping):
        if SIGNATURE in value:
            return _special(value, path)
        return {key: plain(item, f"{path}.{key}" if path else str(key)) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, f"{path}[{position}]") for position, item in enumerate(value)]
    if isinstance(value, float) and value.is_integer():
        return int(value)  # every number of the engine's protocol is a float
    return value


def _special(value: Mapping[str, Any], path: str) -> Any:
    if value[SIGNATURE] != SECRET:
        return Unknown(path) if "value" not in value else plain(value["value"], path)
    if "value" in value:
        return sealed(plain(value["value"], path))
    if "plaintext" in value:
        try:
            return sealed(plain(json.loads(value["plaintext"]), path))
        except (ValueError, TypeError, RecursionError):
            return Unknown(path)  # no JSON, which the engine does not write
    return Unknown(f"{path} (a secret; `pulumi stack export --show-secrets` has it)")


def sealed(value: Any) -> Any:
    """``value`` with all its text marked as a secret's."""
    if isinstance(value, str):
        return Sealed(value)
    if isinstance(value, Mapping):
        return {key: sealed(item) for key, item in value.items()}
    return [sealed(item) for item in value] if isinstance(value, list) else value


def holds_secrets(value: Any) -> bool:
    """Whether any text in it is a secret's."""
    return next(secrets(value), None) is not None


def secrets(value: Any) -> Iterator[Sealed]:
    """All text in it that is a secret's."""
    if isinstance(value, Sealed):
        yield value
    elif isinstance(value, Mapping | list):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from secrets(each)
