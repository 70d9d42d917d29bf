"""`python -m kilonode.rules check STATE.json`: judge an exported state (`pulumi stack export`)."""

import argparse
import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import yaml

from kilonode.refusal import RefusedError
from kilonode.rules.judge import Verdict, judge
from kilonode.rules.policy import Policy
from kilonode.rules.read import documents
from kilonode.rules.read.facts import read_facts
from kilonode.rules.read.resource import Resource
from kilonode.rules.read.state import from_state
from kilonode.rules.report import as_json, as_sarif, table

CLEAN, VIOLATED, UNREADABLE, UNDECIDED = 0, 1, 2, 3


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 0 clean, 1 a mandatory rule is broken, 2 the input cannot be read, 3 undecided with --strict."""
    given = _parser().parse_args(arguments)
    try:
        state = json.loads(Path(given.state).read_text() if given.state != "-" else sys.stdin.read())
        settings = yaml.safe_load(Path(given.policy).read_text()) if given.policy else {}
        policy = Policy.read(settings or {}, "policy")
        resources = list(from_state(state))
    except (OSError, *documents.UNREADABLE) as fault:
        print(fault if isinstance(fault, RefusedError) else f"{given.state}: {fault}", file=sys.stderr)
        return UNREADABLE
    stack = given.stack or _stack(resources)
    verdicts = list(judge(read_facts(resources), policy, stack, datetime.now(tz=UTC).date()))
    written = _written(given.format, verdicts, given.state, given.rules_uri)
    # JSON may hold half a character, which no terminal takes.
    sys.stdout.write(written.encode(errors="backslashreplace").decode())
    return _code(verdicts, strict=given.strict)


def _code(verdicts: list[Verdict], *, strict: bool) -> int:
    if any(verdict.violations for verdict in verdicts if verdict.level == "mandatory"):
        return VIOLATED
    return UNDECIDED if strict and any(verdict.undecided for verdict in verdicts) else CLEAN


def _written(form: str, verdicts: list[Verdict], file: str, rules: str) -> str:
    match form:
        case "json":
            return as_json(verdicts)
        case "sarif":
            return as_sarif(verdicts, file, rules)
        case _:
            return table(verdicts)


def _stack(resources: list[Resource]) -> str:
    """The stack's name, from the URN of any of its resources: urn:pulumi:<stack>::…."""
    return resources[0].urn.split(":")[2] if resources else ""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m kilonode.rules", description="Judge a stack by kilonode's rules.")
    check = parser.add_subparsers(required=True).add_parser("check", help="judge an exported state")
    check.add_argument("state", help="a file that `pulumi stack export` has written, or - for standard input")
    check.add_argument("--policy", help="a YAML file with levels, parameters and exemptions")
    check.add_argument("--stack", help="the stack's name; the state's own if not given")
    check.add_argument("--format", choices=("table", "json", "sarif"), default="table")
    check.add_argument(
        "--rules-uri", default="", help="where your docs/rules.md is read: SARIF then links each rule there"
    )
    check.add_argument("--strict", action="store_true", help="also fail where a rule cannot be decided")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
