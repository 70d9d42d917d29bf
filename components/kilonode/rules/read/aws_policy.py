"""Policies of AWS's buckets: whether one lets anybody in, as Amazon S3 decides it."""

import json
from collections.abc import Iterator, Mapping
from ipaddress import ip_network
from typing import Any

from kilonode.rules.read.documents import UNREADABLE
from kilonode.rules.unknown import Fact, Unknown, any_of, first_unknown

_OPERATORS = frozenset({"stringequals", "stringequalsignorecase", "stringlike", "arnequals", "arnlike", "ipaddress"})
"""What holds only where the key is there and has one of the values; with ``IfExists`` it holds where it is not there."""

_WHO = frozenset(
    {
        "aws:principalaccount",
        "aws:principalarn",
        "aws:principalorgid",
        "aws:principalorgpaths",
        "aws:sourceaccount",
        "aws:sourcearn",
        "aws:sourceip",
        "aws:sourceorgid",
        "aws:sourceowner",
        "aws:sourcevpc",
        "aws:sourcevpce",
        "aws:userid",
        "s3:dataaccesspointaccount",
        "s3:dataaccesspointarn",
    }
)
"""Keys that say who asks, or from where, with a value nobody can give himself (Amazon S3 user guide, the meaning of public)."""

_WIDE = 8
"""A range with a shorter prefix is of everybody's addresses."""


def open_to_all(policy: Any) -> Fact[str | None]:
    """What a policy gives to everybody; None where it gives nothing, Unknown where that cannot be told."""
    if policy is None:
        return None
    unread = Unknown("policy")
    try:
        document = json.loads(policy) if isinstance(policy, str) else policy
    except UNREADABLE:
        return unread
    rows = _get(document, "Statement")
    if isinstance(rows, Mapping):
        rows = [rows]
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        return unread
    found = [(_get(row, "Effect"), row) for row in rows]
    given = [_given(row) for effect, row in found if effect != "Deny"]
    some = next((each for each in given if isinstance(each, str)), None)
    # What is denied to everybody but a few is given to those few: which is left, nobody tells here.
    if some and not any(effect == "Deny" and _get(row, "Condition") for effect, row in found):
        return some
    return unread if any(each is not None for each in given) else None


def _get(row: Any, key: str) -> Any:
    return row.get(key) if isinstance(row, Mapping) else None


def _given(row: Mapping[str, Any]) -> Fact[str | None]:
    """What one statement gives to everybody."""
    everybody = _everybody(row)
    if everybody is False:
        return None
    narrowed = _narrowed(row.get("Condition"))
    if narrowed is True:
        return None
    unknown = first_unknown((row.get("Effect"), everybody, narrowed))
    actions = [each for each in _values(row.get("Action", row.get("NotAction"))) if isinstance(each, str)]
    return unknown or f"its policy allows everybody {', '.join(actions) or 'something'}"


def _everybody(row: Mapping[str, Any]) -> Fact[bool]:
    """Whether a statement is of everybody: of ``*``, or of all but some."""
    if "NotPrincipal" in row:
        return True
    principal = row.get("Principal")
    named = principal.get("AWS") if isinstance(principal, Mapping) else principal
    values = list(_values(named))
    return "*" in values or first_unknown(values) or False


def _narrowed(condition: Any) -> Fact[bool]:
    """Whether a condition leaves only those whom one's own values name; Unknown where some of a value is left open."""
    if not isinstance(condition, Mapping):
        return condition if isinstance(condition, Unknown) else False
    said = [
        _fixed(value)
        for operator, keys in condition.items()
        if operator.lower().removeprefix("foranyvalue:") in _OPERATORS and isinstance(keys, Mapping)
        for key, value in keys.items()
        if key.lower() in _WHO
    ]
    return any_of(said)


def _fixed(value: Any) -> Fact[bool]:
    """Whether all values are somebody's; ``*`` is everybody's, and what has one in it may be."""
    said = [_one(each) for each in _values(value)]
    if not said or False in said:
        return False
    return next((each for each in said if isinstance(each, Unknown)), True)


def _one(value: Any) -> Fact[bool]:
    if not isinstance(value, str):
        return Unknown("policy")
    if not value.strip("*"):
        return False
    if any(sign in value for sign in ("*", "?", "${")):
        return Unknown("policy")
    try:
        return ip_network(value, strict=False).prefixlen >= _WIDE
    except ValueError:
        return True


def _values(given: Any) -> Iterator[Any]:
    if isinstance(given, list):
        yield from given
    elif given is not None:
        yield given
