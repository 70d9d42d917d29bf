"""Ids that are given: each must name what exists, and some things may be used by one only."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from . import ids, paths, roles
from .kinds import Kind
from .refusal import ArmError, Refusal
from .store import Store
from .values import unknown

# VM Image Builder makes this group itself (its REST reference), so it need not exist.
MADE_BY_THE_CLOUD: Final = {"stagingResourceGroup"}
# A template names the version of an image that it will make.
TO_BE_BUILT: Final = "galleryImageId"

# Used by one resource at a time: of these types, and how Azure codes the refusal.
EXCLUSIVE: Final = {
    "network:NetworkInterface": ({"compute:VirtualMachine"}, "NetworkInterfaceAlreadyInUse"),
    "network:PublicIPAddress": (
        {"network:NetworkInterface", "network:LoadBalancer", "network:NatGateway"},
        "PublicIPAddressInUse",
    ),
    "compute:Disk": ({"compute:VirtualMachine"}, "AttachDiskWhileBeingAttached"),
}


def judge(
    store: Store,
    kind: Kind,
    resource: str,
    identifier: str,
    inputs: Mapping[str, Any],
    planned: Callable[[str], bool] = lambda _identifier: False,
) -> list[Refusal]:
    """Ids in the inputs that name nothing this cloud has, nor, in a preview, will have."""
    return [
        Refusal(resource, path, given, "the id of something that exists; nothing of this id was ever made here")
        for path, given in given_ids(kind, inputs)
        if not known(store, identifier, inputs, given) and not planned(given)
    ]


def given_ids(kind: Kind, inputs: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Every id in the inputs with its path; the scope of a role too, which is a part of its id."""
    for path, given in ids.within(dict(inputs)):
        if path in MADE_BY_THE_CLOUD:
            continue
        yield path, given.partition("/versions/")[0] if path.endswith(TO_BE_BUILT) else given
    scope = inputs.get("scope")
    if "scope" in kind.parameters and isinstance(scope, str) and not scope.startswith("/") and not unknown(scope):
        yield "scope", f"/{scope}"


def known(store: Store, identifier: str, inputs: Mapping[str, Any], given: str) -> bool:
    """Whether the id names a resource, a part of one, a part of this very request, or what every subscription has."""
    if ids.key(given) == ids.key(f"/subscriptions/{store.subscription}") or roles.built_in(given) or store.get(given):
        return True
    if ids.key(given).startswith(ids.key(identifier) + "/"):
        return _part(inputs, given[len(identifier) + 1 :])
    holder, _, last = given.rpartition("/")
    holder, _, part = holder.rpartition("/")
    found = store.get(holder) if holder else None
    return found is not None and _part(found.body, f"{part}/{last}")


def _part(body: Mapping[str, Any], tail: str) -> bool:
    part, _, name = tail.partition("/")
    lists = {key.lower(): value for key, value in body.items() if isinstance(value, list)}
    items = lists.get(part.lower(), [])
    return any(isinstance(item, dict) and str(item.get("name", "")).lower() == name.lower() for item in items)


def judge_use(store: Store, identifier: str, kind: Kind, inputs: Mapping[str, Any]) -> None:
    """Answer as Azure does when something that one only may use is used by another already."""
    for path, given in ids.within(dict(inputs)):
        found = store.get(given)
        users, code = EXCLUSIVE.get(found.token, (set(), "")) if found else (set(), "")
        if kind.token not in users:
            continue
        for other in store.all(*users):
            held = {ids.key(each) for _, each in held_by(other.body)}
            if ids.key(other.id) != ids.key(identifier) and ids.key(given) in held:
                raise ArmError(400, code, f"{path}: '{given}' is already used by '{other.id}'")


def held_by(body: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The ids in a stored body."""
    return list(ids.within(dict(body)))


def principals(store: Store, inputs: Mapping[str, Any]) -> Iterator[tuple[str, Any, str]]:
    """What is wrong with the principal of a role assignment.

    Azure, Troubleshoot Azure RBAC: a principal made just now may not have reached the directory the service looks in, so
    without principalType the request fails with PrincipalNotFound.
    """
    given = inputs.get("principalId")
    made = {paths.one(each.server, "principalId") for each in store.all("managedidentity:UserAssignedIdentity")}
    if given not in made and given != ids.PRINCIPAL:
        yield "principalId", given, "the principal of an identity that exists"
    elif given in made and inputs.get("principalType") != "ServicePrincipal":
        yield (
            "principalType",
            inputs.get("principalType"),
            "ServicePrincipal, for an identity made in the same deployment",
        )
