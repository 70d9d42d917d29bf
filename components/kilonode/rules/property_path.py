"""Paths of properties as Pulumi writes them in ``ignoreChanges``: ``sku.capacity``, ``sku["capacity"]``, ``list[0].name``, ``tags.*``."""

import re

_STEP = re.compile(r"\[\"(?P<quoted>(?:[^\"\\]|\\.)*)\"\]|\[(?P<place>\d+|\*)\]|(?P<dot>\.?)(?P<name>[^.\[\]\"]+)")
ANY = "*"


def steps(path: str) -> tuple[str, ...]:
    """The steps of a path; none where it is no path."""
    found: list[str] = []
    end = 0
    while end < len(path):
        step = _STEP.match(path, end)
        # Only the first name has no dot before it, and it alone.
        if step is None or (step["name"] is not None and bool(step["dot"]) != bool(found)):
            return ()
        quoted = step["quoted"]
        found.append(re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else step["place"] or step["name"])
        end = step.end()
    return tuple(found)


def covers(path: str, target: str) -> bool:
    """Whether what is said of ``path`` holds for ``target`` too: it is the same, or something that ``target`` is in."""
    own, whole = steps(path), steps(target)
    return 0 < len(own) <= len(whole) and all(one in {ANY, two} for one, two in zip(own, whole, strict=False))
