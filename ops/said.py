"""What the rules say in the text of a preview, apart from what the engine says; needs nothing but Python."""

import re
from collections import Counter
from dataclasses import dataclass, field

_HEAD = re.compile(
    r"\s*(?:-|\S+@v\S+) \[(?P<level>mandatory|advisory)\]\s+(?:\[severity: \w+\]\s+)?(?P<rule>[\w-]{1,80})\s+\("
)
_LAST = re.compile(r"\s*(?:fix: |[\w-]+ undecided: )")
"""How what a rule says ends: a violation with its fix, and what cannot be judged yet with that."""

_OF_EXEMPTIONS = re.compile(r"\s*(?:exempted until |[\w-]+: an exemption exempts nothing: )")
"""How a line begins that is said of an exemption, and is no violation."""

_LINES = 9
"""A violation's at most: its head, the rule's claim, and resource, field, value, limit, why and fix."""


@dataclass
class Said:
    """Rules by level, each with how often; their violations word for word; and the text without them."""

    mandatory: Counter[str] = field(default_factory=Counter)
    advisory: Counter[str] = field(default_factory=Counter)
    undecided: Counter[str] = field(default_factory=Counter)
    blocks: list[str] = field(default_factory=list)
    rest: str = ""


def heard(text: str) -> Said:
    """The text taken apart; what looks like a rule's and does not end like it stays where it is, but its rule is counted."""
    said, rest, lines, at = Said(), [], text.splitlines(), 0
    while at < len(lines):
        head = _HEAD.match(lines[at])
        block = _block(lines[at : at + _LINES]) if head else []
        if head and not any(map(_OF_EXEMPTIONS.match, lines[at + 1 : at + 3])):
            undecided = bool(block) and " undecided: " in block[-1]
            level = said.undecided if undecided else said.mandatory if head["level"] == "mandatory" else said.advisory
            level[head["rule"]] += 1
            if block and not undecided:
                said.blocks.append("\n".join(line.strip() for line in block))
        rest += [] if block else [lines[at]]
        at += len(block) or 1
    said.rest = "\n".join(rest)
    return said


def _block(lines: list[str]) -> list[str]:
    """The lines of the first, up to its last; none where another begins before, or nothing ends it."""
    for count, line in enumerate(lines[1:], 2):
        if _HEAD.match(line):
            return []
        if _LAST.match(line):
            return lines[:count]
    return []
