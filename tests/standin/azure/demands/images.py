"""What VM Image Builder asks of a template beyond the form its model describes.

Sources: Create an Azure Image Builder template (one user-assigned identity; 6 to 960 minutes; a shell step is a script or
inline; files land in /tmp on Linux); ARM template limits (a resource's definition is at most 1 MB). That what is downloaded
has its checksum is asked here of every program, not by Azure.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from .. import paths
from ..values import holds_unknown, unknown

Found = Iterator[tuple[str, Any, str]]
BODY: Final = 1_048_576
MINUTES: Final = range(6, 961)
SHA256: Final = re.compile(r"[0-9a-f]{64}")
GALLERY_IMAGE: Final = re.compile(
    r"/subscriptions/[^/]+/resourceGroups/[^/]+/providers/Microsoft\.Compute/galleries/[^/]+/images/[^/]+"
    r"(/versions/\d{1,10}\.\d{1,10}\.\d{1,10})?",
    re.IGNORECASE,
)


def template(inputs: Mapping[str, Any]) -> Found:
    """One identity, a time-out that can be, steps whose downloads are known, and a place for the image."""
    if not holds_unknown(inputs) and len(json.dumps(inputs)) > BODY:
        yield "customize", len(json.dumps(inputs)), f"at most {BODY} bytes of the whole definition"
    who = paths.one(inputs, "identity.userAssignedIdentities")
    if not unknown(who) and len(who or []) != 1:
        yield "identity.userAssignedIdentities", who, "exactly one identity"
    minutes = inputs.get("buildTimeoutInMinutes", 0)
    if isinstance(minutes, int | float) and minutes and minutes not in MINUTES:
        yield "buildTimeoutInMinutes", minutes, "0, or 6 to 960"
    for number, each in enumerate(paths.objects(inputs.get("customize"))):
        yield from _step(f"customize[{number}]", each)
    for number, each in enumerate(paths.objects(inputs.get("distribute"))):
        given = each.get("galleryImageId")
        if each.get("type") == "SharedImage" and not unknown(given) and not GALLERY_IMAGE.fullmatch(str(given)):
            yield f"distribute[{number}].galleryImageId", given, "…/galleries/G/images/I, or that and /versions/1.2.3"


def _step(path: str, step: Mapping[str, Any]) -> Found:
    uri = {"Shell": "scriptUri", "File": "sourceUri"}.get(str(step.get("type")), "scriptUri")
    if step.get("type") == "Shell" and bool(step.get("inline")) == bool(step.get(uri)):
        yield f"{path}.inline", step.get("inline"), f"exactly one of inline and {uri}"
    checksum = step.get("sha256Checksum")
    if step.get(uri) and not unknown(checksum) and not SHA256.fullmatch(str(checksum)):
        yield f"{path}.sha256Checksum", checksum, "the SHA-256 of what is downloaded, in small letters"
    if step.get("type") == "File" and not str(step.get("destination", "")).startswith("/tmp/"):  # noqa: S108
        yield f"{path}.destination", step.get("destination"), "a path in /tmp, as Image Builder writes nowhere else"
