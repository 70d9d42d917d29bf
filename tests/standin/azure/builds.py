"""The builds of image templates: what they need, how they go on from look to look, and the version that comes of them.

Sources: VM Image Builder's REST reference (autoRun: a build begins when the template is made; lastRunStatus); Configure VM
Image Builder permissions (what the identity may do where the image goes); the gallery takes generalized images from it only,
and a version that exists is not written again.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

from . import ids, paths, roles
from .kinds import KINDS
from .store import Store, Stored

TEMPLATE: Final = "virtualmachineimages:VirtualMachineImageTemplate"
VERSION: Final = "compute:GalleryImageVersion"
WRITE: Final = "Microsoft.Compute/galleries/images/versions/write"
CONTRIBUTORS: Final = ("Owner", "Contributor")
# Looks at a build before it has ended.
LOOKS: Final = 2
CUSTOMIZING: Final = "Failed in building/customizing image: Failed while waiting for packerizer: Build failed"
EXISTS: Final = "Failed in distributing 1 images out of total 1: the version exists already"


def judge(store: Store, body: dict[str, Any]) -> Iterator[tuple[str, Any, str]]:
    """What a build would find wrong with where its image goes."""
    for number, each in enumerate(paths.objects(body.get("distribute"))):
        path, given = f"distribute[{number}].galleryImageId", str(each.get("galleryImageId", ""))
        if _version(given) is None:
            yield path, given, "the id of a version in a gallery: the stand-in builds nothing else"
            continue
        image = store.get(given.partition("/versions/")[0])
        if image is None:
            continue  # said of the reference already
        if image.body.get("osState") != "Generalized":
            yield path, given, "an image definition whose osState is Generalized"
        if not any(_may_write(store, who, image.id) for who in _identities(store, body)):
            yield path, given, f"an image that the template's identity may write: {WRITE} (Unauthorized)"


def begin(store: Store, template: Stored, fate: str | None) -> None:
    """Begin the build of a new template that runs by itself."""
    if template.token == TEMPLATE and paths.one(template.body, "autoRun.state") == "Enabled":
        template.server["run"] = {"looks": LOOKS, "fails": fate == "failed", "state": "Running", "message": ""}
        store.put(template)


def look(store: Store, template: Stored) -> None:
    """Let a build go on by one look."""
    run = template.server.get("run")
    if not run or run["state"] != "Running":
        return
    run["looks"] -= 1
    if run["looks"] <= 0:
        run["state"], run["message"] = ("Failed", CUSTOMIZING) if run["fails"] else _distributed(store, template)
    store.put(template)


def fields(template: Stored) -> dict[str, Any]:
    """The server's fields of a template."""
    run = template.server.get("run")
    status = {"runState": run["state"], "runSubState": "Customizing", "message": run["message"]} if run else None
    return {"provisioningState": "Succeeded", **({"lastRunStatus": status} if status else {})}


def _distributed(store: Store, template: Stored) -> tuple[str, str]:
    for each in paths.objects(template.body.get("distribute")):
        if store.get(each["galleryImageId"]):
            return "Failed", EXISTS
        body = {**(_version(each["galleryImageId"]) or {}), "location": template.body.get("location")}
        store.put(Stored(each["galleryImageId"], VERSION, body, {"guid": "", "etag": ""}, origin="built"))
    return "Succeeded", ""


def _version(identifier: str) -> dict[str, str] | None:
    """The inputs of the image version that an id names, or None if it names something else."""
    kind, inputs = ids.parse(identifier) or (None, {})
    return inputs if kind == KINDS[VERSION] else None


def _identities(store: Store, body: dict[str, Any]) -> list[str]:
    given = paths.one(body, "identity.userAssignedIdentities")
    made = [store.get(each) for each in given] if isinstance(given, list) else []
    return [each.server["principalId"] for each in made if each]


def _may_write(store: Store, principal: str, image: str) -> bool:
    for each in store.all("authorization:RoleAssignment"):
        scope = "/" + str(each.body.get("scope", "")).strip("/")
        within = (ids.key(image) + "/").startswith(ids.key(scope) + "/")
        if each.body.get("principalId") == principal and within and _writes(store, str(each.body["roleDefinitionId"])):
            return True
    return False


def _writes(store: Store, role: str) -> bool:
    own = store.get(role)
    if own is None:
        return role.rpartition("/")[2].lower() in {roles.BUILT_IN[name] for name in CONTRIBUTORS}
    given = [action for each in paths.objects(own.body.get("permissions")) for action in each.get("actions") or []]
    return any(re.fullmatch(re.escape(each).replace(r"\*", ".*"), WRITE, re.IGNORECASE) for each in given)
