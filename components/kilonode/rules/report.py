"""Verdicts as a table, as JSON and as SARIF."""

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, urldefrag

from kilonode.rules.judge import Verdict
from kilonode.rules.registry import RULES
from kilonode.rules.rule import Rule, Violation
from kilonode.rules.shown import brief, called, one_line

SARIF = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_URI = "%:/?@!$&'()*+,;=~[]"
"""What may stand in a URI besides letters and digits, and its end."""

_LEVELS = {"mandatory": "error", "advisory": "warning"}


def table(verdicts: Sequence[Verdict]) -> str:
    """Every violation in full, then lines for what is undecided, exempted, or exempts nothing, then the sums."""
    parts = [
        f"{violation.rule} ({verdict.level}, {violation.severity}): {verdict.rule.title}\n{_indented(str(violation))}\n"
        for verdict in verdicts
        for violation in verdict.violations
    ]
    parts += [f"{line}" for verdict in verdicts for line in undecided(verdict)]
    parts += [
        one_line(
            f"{each.violation.rule} exempted until {each.exemption.expires}: {each.violation.resource}: {each.exemption.reason}"
        )
        for verdict in verdicts
        for each in verdict.exempted
    ]
    parts += [line for verdict in verdicts for line in idle(verdict)]
    parts.append(
        f"{len(verdicts)} rules: {_count(verdicts, 'violations')} violations, {_count(verdicts, 'undecided')} undecided, "
        f"{_count(verdicts, 'exempted')} exempted"
    )
    return "\n".join(parts) + "\n"


def undecided(verdict: Verdict) -> list[str]:
    """One line for a rule that cannot be judged yet, naming the first of what is unknown."""
    if not verdict.undecided:
        return []
    first = verdict.undecided[0]
    count = len({each.resource for each in verdict.undecided})
    more = f" and {count - 1} more" if count > 1 else ""
    return [one_line(f"{verdict.rule.id} undecided: {brief(first.field)} of {first.resource}{more} is not known yet")]


def idle(verdict: Verdict) -> list[str]:
    """One line for each exemption that covers nothing of the stack: of a slip in its resource nobody would know."""
    return [
        one_line(
            f"{verdict.rule.id}: an exemption exempts nothing: {each.resource} ({each.reason}); remove it, or correct the resource"
        )
        for each in verdict.idle
    ]


def as_json(verdicts: Sequence[Verdict]) -> str:
    """One document; a violation has the fields of :class:`Violation`."""
    document = {
        "violations": [
            _fields(violation) | {"level": verdict.level} for verdict in verdicts for violation in verdict.violations
        ],
        "undecided": [
            {"rule": each.rule, "resource": each.resource, "field": each.field}
            for verdict in verdicts
            for each in verdict.undecided
        ],
        "exempted": [
            _fields(each.violation) | {"reason": each.exemption.reason, "expires": each.exemption.expires.isoformat()}
            for verdict in verdicts
            for each in verdict.exempted
        ],
        "idle": [each.model_dump(mode="json") for verdict in verdicts for each in verdict.idle],
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def as_sarif(verdicts: Sequence[Verdict], file: str, rules: str = "") -> str:
    """SARIF 2.1.0, each violation at its resource in ``file``; ``rules`` is where a team has its docs/rules.md, for links."""
    results: list[dict[str, Any]] = []
    for verdict in verdicts:
        results += [_result(each, _LEVELS[verdict.level], file) for each in verdict.violations]
        for accepted in verdict.exempted:
            suppression = {"kind": "external", "justification": accepted.exemption.reason}
            results.append(_result(accepted.violation, "note", file) | {"suppressions": [suppression]})
        results += [
            {
                "ruleId": verdict.rule.id,
                "kind": "review",
                "level": "none",
                "message": _message(line),
                "locations": [_location(verdict.undecided[0].resource, file)],
                "partialFingerprints": _fingerprints("undecided/v1", f"{verdict.rule.id} {_stack(verdict)}"),
            }
            for line in undecided(verdict)
        ]
    driver = {"name": "kilonode", "rules": [_descriptor(each, rules) for each in RULES]}
    # A fault of what the tool is told is none of the stack, and so no result.
    notes = [
        {"level": "note", "message": _message(line), "associatedRule": {"id": verdict.rule.id}}
        for verdict in verdicts
        for line in idle(verdict)
    ]
    invocation = {"executionSuccessful": True, "toolConfigurationNotifications": notes}
    run = {"tool": {"driver": driver}, "invocations": [invocation], "results": results}
    log = {"$schema": SARIF, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=1, ensure_ascii=False) + "\n"


def _descriptor(rule: Rule, rules: str) -> dict[str, Any]:
    link = {"helpUri": f"{quote(urldefrag(rules).url, safe=_URI)}#{rule.id}"} if rules else {}
    return link | {
        "id": rule.id,
        "shortDescription": _message(rule.title),
        "fullDescription": _message(f"{rule.why} ({rule.source})"),
        "help": _message(rule.fix),
        "defaultConfiguration": {"enabled": rule.level != "disabled", "level": _LEVELS.get(rule.level, "none")},
        "properties": {"severity": rule.severity, "tags": list(rule.benchmarks)},
    }


def _result(violation: Violation, level: str, file: str) -> dict[str, Any]:
    return {
        "ruleId": violation.rule,
        "level": level,
        "message": _message(str(violation)),
        "locations": [_location(violation.resource, file)],
        # A state file is written anew each time: the same violation is known again by what it is about.
        "partialFingerprints": _fingerprints(
            "violation/v2", f"{violation.rule} {violation.resource} {violation.field} {violation.value}"
        ),
    }


def _fingerprints(name: str, identity: str) -> dict[str, str]:
    """By our name, and by the only one that GitHub uses: it would take all results of one rule at one file for one alert.

    No result has a line: for those that have one its upload-sarif makes that fingerprint anew, from the text of the line.
    """
    hashed = hashlib.sha256(identity.encode(errors="backslashreplace")).hexdigest()
    return {name: identity, "primaryLocationLineHash": f"{hashed}:1"}


def _message(text: str) -> dict[str, str]:
    """Text in which anybody's values are no placeholders and no links (SARIF 2.1.0, 3.11.5 and 3.11.6)."""
    return {"text": text.replace("{", "{{").replace("}", "}}").replace("](", "]\\(")}


def _location(resource: str, file: str) -> dict[str, Any]:
    name, path = called(resource), Path(file)
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": path.as_uri() if path.is_absolute() else quote(os.fsencode(path.as_posix()))}
        },
        "logicalLocations": [{"name": name, "fullyQualifiedName": resource, "kind": "resource"}],
    }


def _stack(verdict: Verdict) -> str:
    return verdict.undecided[0].resource.partition("::")[0]


def _fields(violation: Violation) -> dict[str, str]:
    return {name: str(value) for name, value in vars(violation).items()}


def _count(verdicts: Sequence[Verdict], field: str) -> int:
    return sum(len(getattr(verdict, field)) for verdict in verdicts)


def _indented(text: str) -> str:
    return "".join(f"  {line}\n" for line in text.splitlines())
