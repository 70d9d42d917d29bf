"""The clouds of tests, and stacks on them."""

from pathlib import Path

import pytest

from tests.standin.azure.desk import AzureCloud
from tests.standin.azure.stack import Stack


@pytest.fixture
def azure(tmp_path: Path) -> AzureCloud:
    """An Azure without anything in it."""
    return AzureCloud(tmp_path / "azure")


@pytest.fixture
def stack(tmp_path: Path, azure: AzureCloud) -> Stack:
    """A stack without a program yet, on that Azure."""
    return Stack(tmp_path / "program", azure)
