"""Resource ids of Azure: made from inputs, compared without regard to case, as Azure compares them."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from . import paths
from .kinds import KINDS, Kind

SUBSCRIPTION: Final = "5b0d2a10-0000-4000-8000-00000000a2e1"
TENANT: Final = "5b0d2a10-0000-4000-8000-0000000007e4"
PRINCIPAL: Final = "5b0d2a10-0000-4000-8000-000000000b1d"
CLIENT: Final = "5b0d2a10-0000-4000-8000-000000000c1e"
WHOLE: Final = re.compile(r"/subscriptions/[^/]+(/.*)?")


def make(kind: Kind, inputs: Mapping[str, Any], subscription: str = SUBSCRIPTION) -> str:
    """The id of a resource with these inputs."""
    made = kind.path.replace("{subscriptionId}", subscription)
    for name in kind.parameters:
        made = made.replace(f"{{{name}}}", str(inputs[name]).strip("/"))
    return made


def key(identifier: str) -> str:
    """What two ids of the same thing have in common."""
    return identifier.rstrip("/").lower()


def parse(identifier: str) -> tuple[Kind, dict[str, str]] | None:
    """The row of the resource that an id names and the inputs it is made of, or None if no type has such ids."""
    for kind in KINDS.values():
        pattern = re.sub(
            r"\{(\w+)\}", lambda found: f"(?P<{found[1]}>{'.+' if found[1] == 'scope' else '[^/]+'})", kind.path
        )
        found = re.fullmatch(pattern, identifier, re.IGNORECASE)
        if found:
            return kind, {name: found[name] for name in kind.parameters}
    return None


def parent(identifier: str) -> str | None:
    """The id of the resource that this one lies in, or None for a resource group and for what lies at a scope."""
    if "/providers/microsoft.authorization/" in identifier.lower() or "/providers/" not in identifier:
        return None
    head, _, tail = identifier.rpartition("/providers/")
    namespace, *parts = tail.split("/")
    above = parts[:-2]
    # A container's service is no resource here.
    if [each.lower() for each in above[-2:]] == ["blobservices", "default"]:
        above = above[:-2]
    return f"{head}/providers/{'/'.join([namespace, *above])}" if above else head


def group(identifier: str) -> str:
    """The name of an id's resource group, or nothing."""
    found = re.search(r"/resourceGroups/([^/]+)", identifier, re.IGNORECASE)
    return found[1] if found else ""


def upper_cased(identifier: str) -> str:
    """The id as Azure's compute answers write it: with the resource group in capitals."""
    return re.sub(
        r"(/resourceGroups/)([^/]+)", lambda found: found[1] + found[2].upper(), identifier, flags=re.IGNORECASE
    )


def within(value: Any) -> Iterator[tuple[str, str]]:
    """Every id in the value, with its path."""
    for path, leaf in paths.leaves(value):
        if isinstance(leaf, str) and WHOLE.fullmatch(leaf):
            yield path, leaf
