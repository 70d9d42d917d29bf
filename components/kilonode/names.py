"""The names a spec may use: they become host names, certificate names and cloud resource names."""

import re
from typing import Annotated

from pydantic import AfterValidator

from kilonode.explain import Allowed
from kilonode.refusal import refuse

REGION_MAX = 20
POOL_MAX = 20
_LABEL = re.compile(r"[a-z]([a-z0-9-]*[a-z0-9])?")


def _allowed(limit: int) -> str:
    return f"a lower-case letter, then letters, digits and inner dashes; at most {limit} characters"


def _label(value: str, limit: int) -> str:
    allowed = _allowed(limit)
    why = f"it becomes part of host names such as {{region}}-{{pool}}-00042, which RFC 1123 holds to 63 characters ({len(value)} given)"
    if len(value) > limit or not _LABEL.fullmatch(value):
        near = re.sub(r"[^a-z0-9]+", "-", value.lower()).lstrip("-0123456789")[:limit].rstrip("-")
        verb = "shorten it to" if len(value) > limit else "write"
        raise refuse(allowed=allowed, why=why, fix=f"{verb} {near or 'region-a'!r} or the like")
    return value


RegionName = Annotated[str, AfterValidator(lambda value: _label(value, REGION_MAX)), Allowed(_allowed(REGION_MAX))]
PoolName = Annotated[str, AfterValidator(lambda value: _label(value, POOL_MAX)), Allowed(_allowed(POOL_MAX))]
