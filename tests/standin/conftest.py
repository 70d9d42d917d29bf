"""The clouds of tests, and stacks on them."""

from pathlib import Path

import pytest

from tests.standin.azure.cloud import Cloud
from tests.standin.azure.desk import AzureCloud
from tests.standin.azure.stack import Stack
from tests.standin.inputs import populate


@pytest.fixture
def azure(tmp_path: Path) -> AzureCloud:
    """An Azure without anything in it."""
    return AzureCloud(tmp_path / "azure")


@pytest.fixture
def cloud(tmp_path: Path) -> Cloud:
    """One good resource of each type, without an engine and a process of its own."""
    return populate(tmp_path)


@pytest.fixture
def stack(tmp_path: Path, azure: AzureCloud) -> Stack:
    """A stack without a program yet, on that Azure."""
    return Stack(tmp_path / "program", azure)
