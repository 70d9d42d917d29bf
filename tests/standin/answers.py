"""What the stand-in's cloud answers: a refusal, or a resource as it is read."""

from typing import Any

import pytest

from tests.standin.azure.cloud import Cloud
from tests.standin.azure.refusal import ArmError
from tests.standin.inputs import create


def refused(cloud: Cloud, token: str, code: str, *, words: str = "", **changes: Any) -> None:
    """Creating a good resource of ``token`` with these changes ends with that code, and those words."""
    with pytest.raises(ArmError) as fault:
        create(cloud, token, **changes)
    assert f'Code="{code}"' in str(fault.value)
    assert words in str(fault.value)


def outputs(cloud: Cloud, token: str, name: str = "") -> dict[str, Any]:
    """The first resource of ``token``, or the one called ``name``, as a read gives it."""
    return cloud.outputs(next(each for each in cloud.store.all(token) if name in {"", each.name}))
