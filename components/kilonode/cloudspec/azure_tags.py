"""Tags a person may give to everything in Azure that takes tags."""

import re
from typing import Annotated

from pydantic import AfterValidator

from kilonode.limits import AZURE_DNS_TAGS, AZURE_STORAGE_TAG_NAME, AZURE_TAG_VALUE
from kilonode.refusal import refuse

OWN_TAGS = 3
"""Tags this library puts on everything: they and the person's fit the resources that allow the fewest."""

TAGS_MAX = AZURE_DNS_TAGS.value - OWN_TAGS
RESERVED_TAGS = ("min", "max", "kilonode-", "cluster-autoscaler-", "k8s.io_")
"""The autoscaler's and this library's own; Azure compares tag names without regard to case."""

AZURE_PREFIXES = ("microsoft", "azure", "windows")
"""Reserved for Azure's own use (https://learn.microsoft.com/rest/api/resources/tags/create-or-update)."""

_TAG = re.compile(r"[A-Za-z][A-Za-z0-9._-]*", re.ASCII)
_TAG_ALLOWED = f"a letter, then letters, digits and . _ -; at most {AZURE_STORAGE_TAG_NAME.value} characters"
_RENAME = "give the tag another name"


def _tags(value: dict[str, str]) -> dict[str, str]:
    if len(value) > TAGS_MAX:
        raise refuse(
            given=f"{len(value)} tags",
            allowed=f"at most {TAGS_MAX}",
            why=f"some resources take {AZURE_DNS_TAGS.value} tags in all, and {OWN_TAGS} are the region's own",
            fix="leave out what you can do without",
        )
    seen: dict[str, str] = {}
    for name, text in value.items():
        _name(name)
        if (other := seen.setdefault(name.lower(), name)) != name:
            raise refuse(
                field=name,
                given=name,
                allowed=f"another name than {other!r}",
                why="Azure compares tag names without regard to case",
                fix="remove one of the two",
            )
        _value(name, text)
    return value


def _name(name: str) -> None:
    if not _TAG.fullmatch(name) or len(name) > AZURE_STORAGE_TAG_NAME.value:
        raise refuse(field=name, given=name, allowed=_TAG_ALLOWED, why=AZURE_STORAGE_TAG_NAME.source, fix=_RENAME)
    if any(name.lower() == each or (each[-1] in "-_" and name.lower().startswith(each)) for each in RESERVED_TAGS):
        raise refuse(
            field=name,
            given=name,
            allowed="a name that is not " + ", ".join(RESERVED_TAGS),
            why="by these tags the cluster autoscaler and this library know what is theirs",
            fix=_RENAME,
        )
    if name.lower().startswith(AZURE_PREFIXES):
        raise refuse(
            field=name,
            given=name,
            allowed="a name that does not begin with " + ", ".join(AZURE_PREFIXES),
            why="these beginnings are reserved for Azure's own use",
            fix=_RENAME,
        )


def _value(name: str, text: str) -> None:
    if "PRIVATE KEY" in text:
        raise refuse(
            field=name,
            given="a private key",
            allowed="text that anybody may read",
            why="tags are shown to everybody who may see the resource; now the key is known",
            fix="throw the key away, and remove the tag",
        )
    # As Azure's own programs count: a character outside of the first plane is two.
    length = len(text.encode("utf-16-le", "surrogatepass")) // 2
    if length > AZURE_TAG_VALUE.value:
        raise refuse(
            field=name,
            given=f"{length} characters",
            allowed=f"at most {AZURE_TAG_VALUE.value}",
            why=AZURE_TAG_VALUE.source,
            fix="shorten it",
        )
    if not text.isprintable():
        raise refuse(
            field=name,
            given=ascii(text),
            allowed="text of one line, without control characters",
            why="what Azure refuses or changes would differ from this file for ever",
            fix="write it on one line",
        )


Tags = Annotated[dict[str, str], AfterValidator(_tags)]
