"""The running stack's settings, as Pulumi hands them to the program."""

import json

import pulumi
from pulumi.runtime.config import get_config_env, is_config_secret

from kilonode.refusal import RefusedError
from kilonode.region.settings import KEY, read_settings, secret_given
from kilonode.region.spec import RegionSpec


def region_spec() -> RegionSpec:
    """The region of the stack being run.

    Raises:
        pulumi.RunError: with every refused value; nothing has been registered yet.
    """
    config: dict[str, object] = dict(get_config_env())
    text = config.get(KEY)
    if isinstance(text, str):
        config[KEY] = _parsed(text)
    try:
        if is_config_secret(KEY):
            raise RefusedError([secret_given(KEY)])
        return read_settings(config)
    except RefusedError as refused:
        raise pulumi.RunError(str(refused)) from None


def _parsed(text: str) -> object:
    """The engine hands a structured value over as JSON, and a plain one as it is: the latter is refused as what it is."""
    try:
        return json.loads(text)
    except ValueError:
        return text
