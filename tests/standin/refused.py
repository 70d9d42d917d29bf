"""What the stand-in's cloud must say of a resource it does not make."""

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
