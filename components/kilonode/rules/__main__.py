"""`python -m kilonode.rules check STATE.json`: judge an exported state (`pulumi stack export`)."""

import argparse
import json
import sys
from datetime import UTC, datetime
from io import TextIOWrapper
from pathlib import Path

from kilonode.rules.judge import Verdict, judge
from kilonode.rules.policy import Policy
from kilonode.rules.read.facts import read_facts
from kilonode.rules.read.resource import Resource
from kilonode.rules.read.state import from_state, pending
from kilonode.rules.report import as_json, as_sarif, table

_FAULTS = (OSError, ValueError, RecursionError)
"""Of a file that is not there, is no text, is no JSON, or is none of what it should be."""

CLEAN, VIOLATED, UNREADABLE, UNDECIDED = 0, 1, 2, 3

STDIN = "stdin"
"""Where what came from standard input is by SARIF: GitHub takes no result without a path (github/codeql-action#1738)."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 0 clean, 1 a mandatory rule is broken, 2 the input cannot be read or judged, 3 undecided with --strict."""
    given = _parser().parse_args(arguments)
    try:
        return _check(given)
    except Exception as fault:  # noqa: BLE001 - it would end with the code of a broken rule, and its text may hold what is secret
        why = str(fault) if isinstance(fault, OSError) else type(fault).__name__
        print(f"{given.state}: this check has failed, and tells nothing of it: {why}", file=sys.stderr)
        return UNREADABLE


def _check(given: argparse.Namespace) -> int:
    today = datetime.now(tz=UTC).date()
    read = given.state
    try:
        document = json.loads(_content(given.state))
        resources = list(from_state(document))
        read = given.policy
        policy = Policy.parse(Path(given.policy).read_bytes(), "policy", today) if given.policy else Policy()
    except _FAULTS as fault:
        print(f"{read}: {fault}", file=sys.stderr)
        return UNREADABLE
    stack = given.stack or _stack(resources)
    verdicts = list(judge(read_facts(resources), policy, stack, today))
    place = given.location or (STDIN if given.state == "-" else given.state)
    _write(_written(given.format, verdicts, place, given.rules_uri), given.format)
    if begun := pending(document):
        words = "what is deployed of them the state does not know, `pulumi refresh` asks"
        print(f"{given.state}: undecided: {begun} operations had not ended; {words}", file=sys.stderr)
    undecided = begun or any(verdict.undecided for verdict in verdicts)
    return _code(verdicts, undecided=given.strict and bool(undecided))


def _write(text: str, form: str) -> None:
    """Write a report: programs read theirs as UTF-8 wherever they run, and a terminal may lack some characters."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding=None if form == "table" else "utf-8", errors="backslashreplace")
    # JSON may hold half a character, which nothing takes.
    sys.stdout.write(text.encode(errors="backslashreplace").decode())
    sys.stdout.flush()


def _content(file: str) -> bytes:
    """What a file has: JSON is in UTF-8 wherever it is read, or begins with a mark of what it is in."""
    return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()


def _code(verdicts: list[Verdict], *, undecided: bool) -> int:
    if any(verdict.violations for verdict in verdicts if verdict.level == "mandatory"):
        return VIOLATED
    return UNDECIDED if undecided else CLEAN


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
    check.add_argument(
        "--policy", help="levels, parameters and exemptions: the file that the pack takes as --policy-pack-config"
    )
    check.add_argument("--stack", help="the stack's name; the state's own if not given")
    check.add_argument("--format", choices=("table", "json", "sarif"), default="table")
    check.add_argument(
        "--location",
        help="what SARIF gives as the place of every result, a path in your repository; the state's own if not given",
    )
    check.add_argument(
        "--rules-uri", default="", help="where your docs/rules.md is read: SARIF then links each rule there"
    )
    check.add_argument("--strict", action="store_true", help="also fail where a rule cannot be decided")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
