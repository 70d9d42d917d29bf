"""A resource as rules get it, from a policy pack or an exported state: its properties, some of them unknown."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from kilonode.rules.unknown import Fact, Unknown

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


@dataclass(frozen=True)
class Resource:
    """One resource: what its program asked for, and how Pulumi is to treat it."""

    urn: str
    type: str
    name: str
    properties: Mapping[str, Any]
    protect: Fact[bool] = False
    ignore: Fact[tuple[str, ...]] = ()
    outputs: Mapping[str, Any] = field(default_factory=dict)
    """What the cloud has answered; empty where nobody has asked yet."""

    id: Fact[str | None] = None
    depends: Mapping[str, Collection[str]] = field(default_factory=dict)
    """Property to the URNs of the resources whose outputs are in it; the engine tells no policy pack an id."""

    def get(self, path: str) -> Any:
        """The value at a dotted path; None when it is absent, Unknown when it or what holds it is unknown."""
        return at(self.properties, path)

    def rows(self, path: str) -> Any:
        """The list at a path, empty when it is absent; Unknown as in :meth:`get`."""
        found = self.get(path)
        return found if isinstance(found, list | Unknown) else []

    def named(self, path: str, among: Iterable["Resource"], also: str = "id") -> "Resource | Unknown | None":
        """Which of ``among`` is named at a path, by its id or by its property ``also``.

        None when it is none of them, Unknown when that cannot be told.
        """
        given = self.get(path)
        if given is None:
            return None
        candidates = tuple(among)
        if isinstance(given, str):
            for each in candidates:
                names = (each.id, each.get(also), each.outputs.get("arn"))
                if given.lower() in {name.lower() for name in names if isinstance(name, str)}:
                    return each
        urns = self.depends.get(path.partition(".")[0], ())
        own = [each for each in candidates if each.urn in urns]
        if len(own) == 1:
            return own[0]
        return Unknown(path) if own or isinstance(given, Unknown) else None


def urn_of(named: Resource | Unknown | None) -> Fact[str | None]:
    """The URN of what :meth:`Resource.named` has found."""
    return named.urn if isinstance(named, Resource) else named


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
        return plain(value["value"], path)
    if "plaintext" in value:
        return plain(json.loads(value["plaintext"]), path)
    return Unknown(path)


def from_state(document: Mapping[str, Any]) -> Iterator[Resource]:
    """The resources of an exported state (``pulumi stack export``), by their inputs.

    Raises:
        ValueError: when it is none.
    """
    deployment = document.get("deployment", document) if isinstance(document, Mapping) else None
    rows: Iterable[Mapping[str, Any]] | None = deployment.get("resources") if isinstance(deployment, Mapping) else None
    if not isinstance(rows, list):
        raise ValueError("no exported state: it has no deployment.resources")
    for row in rows:
        if not row.get("delete"):
            yield Resource(
                urn=row["urn"],
                type=row["type"],
                name=row["urn"].rpartition("::")[2],
                properties=plain(row.get("inputs", {})),
                protect=bool(row.get("protect")),
                ignore=tuple(row.get("ignoreChanges", ())),
                outputs=plain(row.get("outputs", {})),
                id=row.get("id"),
                depends=row.get("propertyDependencies") or {},
            )
