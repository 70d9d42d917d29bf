"""`make golden`: docs/rules.md, the table of all rules, from the rules themselves."""

from kilonode.rules.registry import RULES
from kilonode.rules.rule import Rule
from ops.stack import CLONE
from ops.sysctls import table

PATH = CLONE / "docs" / "rules.md"

HEAD = """# Rules

Written by `make golden` from `components/kilonode/rules`. An *invariant* is held by the components' constructors too; every rule
is judged in the policy pack (`pulumi preview --policy-pack policies`) and over an exported state
(`python -m kilonode.rules check STATE.json`). What is not known yet is reported as undecided, and never passes.

"""


def text() -> str:
    """The file's text."""
    head = ("rule", "claim", "severity", "doors", "why", "source", "fix", "benchmark", "parameters")
    return HEAD + table(head, map(_row, RULES))


def _row(rule: Rule) -> tuple[str, ...]:
    level = "" if rule.level == "mandatory" else f" ({rule.level} unless asked for)"
    parameters = "; ".join(f"`{name}` {each.value!r}: {each.words}" for name, each in rule.parameters.items())
    doors = ", ".join(rule.doors)
    row = (
        f"`{rule.id}`",
        rule.title,
        rule.severity + level,
        doors,
        rule.why,
        rule.source,
        rule.fix,
        rule.benchmark or "",
        parameters,
    )
    return tuple(each.replace("|", "\\|") for each in row)


if __name__ == "__main__":
    PATH.write_text(text())
    print(f"wrote {PATH.relative_to(CLONE)}")
