"""From a stack's settings to a spec: one structured key, ``kilonode:region``."""

import difflib
from collections.abc import Mapping

from kilonode.explain import EXAMPLE, shown
from kilonode.refusal import Refusal, RefusedError
from kilonode.region.spec import RegionSpec

PREFIX = "kilonode:"
KEY = "kilonode:region"


def read_settings(config: Mapping[str, object]) -> RegionSpec:
    """The spec in a stack's ``config``; keys of other namespaces belong to others.

    Raises:
        RefusedError: with every fault found.
    """
    found = [_unknown(str(key), value) for key, value in config.items() if str(key).startswith(PREFIX) and key != KEY]
    value = config.get(KEY)
    if value is None:
        found.append(_no_mapping("nothing", "a stack is one region", f"add {KEY} under config:, {EXAMPLE}"))
    elif secrets := _secret(KEY, value):
        found += secrets
    elif not isinstance(value, Mapping):
        found.append(_no_mapping(shown(value), "a region has several settings", f"write a mapping, {EXAMPLE}"))
    if found or not isinstance(value, Mapping):
        raise RefusedError(found)
    return RegionSpec.read(value, KEY)


def _no_mapping(given: str, why: str, fix: str) -> Refusal:
    keys = ", ".join(info.alias or name for name, info in RegionSpec.model_fields.items())
    return Refusal(KEY, given, f"a mapping with the keys {keys}", why, fix)


def _unknown(key: str, value: object) -> Refusal:
    near = difflib.get_close_matches(key.removeprefix(PREFIX), [KEY.removeprefix(PREFIX)], n=1)
    return Refusal(
        key,
        shown(value),
        f"the key {KEY}",
        "no other key of this namespace is read",
        f"did you mean {KEY!r}?" if near else f"move it into {KEY}, or remove it",
    )


def secret_given(field: str) -> Refusal:
    """Why no setting of a region may be a secret, as ``secure:`` makes it."""
    why = "it decides what resources there are, and no setting here is secret"
    return Refusal(field, "a secret", "a plain value", why, "write it plainly; the region makes its own keys")


def _secret(field: str, value: object) -> list[Refusal]:
    if isinstance(value, Mapping):
        if set(value) == {"secure"}:
            return [secret_given(field)]
        return [found for key, item in value.items() for found in _secret(f"{field}.{key}", item)]
    if isinstance(value, list):
        return [found for index, item in enumerate(value) for found in _secret(f"{field}[{index}]", item)]
    return []
