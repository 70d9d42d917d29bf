"""Turning what the engine hands a provider into checked values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pulumi.dynamic import CheckFailure, CheckResult
from pulumi.output import Unknown
from pulumi.runtime.rpc import UNKNOWN

from kilonode.refusal import RefusedError


def known(value: object) -> bool:
    """Tell whether nothing in a value waits for another resource, as some do in a preview."""
    if isinstance(value, Mapping):
        return all(known(each) for each in value.values())
    if isinstance(value, list | tuple):
        return all(known(each) for each in value)
    return not isinstance(value, Unknown) and bool(value != UNKNOWN)


def checked(news: dict[str, Any], judge: Callable[[dict[str, Any]], object]) -> CheckResult:
    """Run `judge` on the inputs once all are known; what it refuses becomes the engine's own check failure."""
    if not known(news):
        return CheckResult(news, [])
    try:
        judge(news)
    except RefusedError as error:
        return CheckResult(news, [CheckFailure(each.field, str(each)) for each in error.refusals])
    except ValueError as wrong:
        return CheckResult(news, [CheckFailure("", str(wrong))])
    return CheckResult(news, [])


def changed(olds: Mapping[str, Any], news: Mapping[str, Any], fields: tuple[str, ...]) -> list[str]:
    """Return those of `fields` whose wanted value differs from the recorded one."""
    return [field for field in fields if olds.get(field) != news.get(field)]
