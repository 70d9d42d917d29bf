"""The policy pack as the engine runs it, and what the engine then tells."""

import re

from ops.stack import CLONE

PACK = str(CLONE / "policies")
_LINE = re.compile(r"\[(mandatory|advisory)\]\s+\[severity: \w+\]\s+(?P<rule>[\w-]+)\s+\(")


def told(output: str) -> dict[str, set[str]]:
    """The rules that the engine reported, by level; the pack must have run."""
    assert "kilonode@v" in output, output
    found: dict[str, set[str]] = {"mandatory": set(), "advisory": set()}
    for match in _LINE.finditer(output):
        found[match[1]].add(match["rule"])
    return found
