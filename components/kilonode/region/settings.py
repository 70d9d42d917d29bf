"""From a stack's settings to a spec: one structured key, ``kilonode:region``."""

import difflib
from collections.abc import Mapping

from kilonode.refusal import Refusal, RefusedError
from kilonode.region.spec import RegionSpec

PREFIX = "kilonode:"
KEY = "kilonode:region"


def read_settings(config: Mapping[str, object]) -> RegionSpec:
    """The spec in a stack's ``config``; keys of other namespaces belong to others.

    Raises:
        RefusedError: with every fault found.
    """
    found = [_unknown(key, value) for key, value in config.items() if key.startswith(PREFIX) and key != KEY]
    value = config.get(KEY)
    if value is None:
        found.append(
            Refusal(
                KEY, "nothing", "the region's settings", "a stack is one region",
                f"add {KEY} under config:, as in stacks/Pulumi.local.yaml",
            )
        )  # fmt: skip
    else:
        found += _secret(KEY, value)
    if found:
        raise RefusedError(found)
    if not isinstance(value, Mapping):
        raise RefusedError(
            [
                Refusal(
                    KEY, repr(value)[:80], "a mapping with name, cloud, ceiling, network …", "a region has several settings",
                    "see stacks/Pulumi.local.yaml",
                )
            ]
        )  # fmt: skip
    return RegionSpec.read(value, KEY)


def _unknown(key: str, value: object) -> Refusal:
    near = difflib.get_close_matches(key, [KEY], n=1)
    return Refusal(
        key, repr(value)[:80], f"the key {KEY}", "no other key of this namespace is read",
        f"write {KEY}" if near else f"move it into {KEY}, or remove it",
    )  # fmt: skip


def _secret(field: str, value: object) -> list[Refusal]:
    if isinstance(value, Mapping):
        if set(value) == {"secure"}:
            return [
                Refusal(
                    field, "a secret", "a plain value", "it decides what resources there are, and no setting here is secret",
                    "write it plainly; the region makes its own keys",
                )
            ]  # fmt: skip
        return [found for key, item in value.items() for found in _secret(f"{field}.{key}", item)]
    if isinstance(value, list):
        return [found for index, item in enumerate(value) for found in _secret(f"{field}[{index}]", item)]
    return []
