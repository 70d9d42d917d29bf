"""`make golden`: docs/rules.md, the table of all rules, from the rules themselves."""

from kilonode.rules.parameter import Parameter
from kilonode.rules.registry import RULES
from kilonode.rules.rule import Rule
from ops.stack import CLONE
from ops.sysctls import table

PATH = CLONE / "docs" / "rules.md"

HEAD = """# Rules

Written by `make golden` from `components/kilonode/rules`. An *invariant* is refused by the components' specs and constructors too, under
the same id; what they cannot be told at all (spot machines for etcd, overprovision) needs no refusal. Every rule is judged in the
policy pack (`pulumi preview --policy-pack policies`) and over an exported state (`python -m kilonode.rules check STATE.json`).
What is not known yet is reported as undecided, and never passes. Of a parameter with a direction some stacks may have only a stricter
value than all others ([policy-pack.md](policy-pack.md#decide)). `--format sarif` writes SARIF 2.1.0, held against the schema of OASIS;
with `--rules-uri` it links each rule to where you keep this page.

Benchmarks: CIS ids are those of the CIS Kubernetes Benchmark 1.12, checked against kube-bench's `cfg/cis-1.12`; CKV ids are checkov's,
checked against the source of its release 3.3.30.

"""


def text() -> str:
    """The file's text."""
    head = ("rule", "claim", "severity", "doors", "why", "source", "fix", "benchmark", "parameters")
    return HEAD + table(head, map(_row, RULES))


def _row(rule: Rule) -> tuple[str, ...]:
    level = "" if rule.level == "mandatory" else f" ({rule.level} unless a team decides otherwise)"
    parameters = "; ".join(
        f"`{name}` {each.value!r}: {each.words}{_stricter(each)}" for name, each in rule.parameters.items()
    )
    doors = ", ".join(rule.doors)
    row = (
        f'<a id="{rule.id}"></a>`{rule.id}`',
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


def _stricter(parameter: Parameter) -> str:
    return f" ({parameter.stricter} is stricter)" if parameter.stricter else ""


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
    print(f"wrote {PATH.relative_to(CLONE)}")
