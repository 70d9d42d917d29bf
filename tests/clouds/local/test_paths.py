"""Folders of a region, and what pods may have left in them."""

import os
import subprocess
from pathlib import Path

import pytest

from kilonode.clouds.local.host import paths


@pytest.fixture
def disk(home: Path) -> Path:
    return paths.make_private(paths.disk("west", "node"))


def test_a_tree_too_deep_for_python_is_removed(disk: Path) -> None:
    here = os.open(disk, os.O_RDONLY)
    for _ in range(1_200):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    assert paths.remove(disk)
    assert not disk.exists()


@pytest.mark.region
def test_a_file_set_immutable_is_removed(disk: Path) -> None:
    (disk / "kept").write_text("kept\n")
    subprocess.run(["chattr", "+i", disk / "kept"], check=True)
    assert paths.remove(disk)
    assert not disk.exists()


def test_the_parents_of_what_is_removed_go_while_they_are_empty(disk: Path, home: Path) -> None:
    other = paths.make_private(paths.disk("west", "other"))
    paths.remove(disk)
    assert other.is_dir()
    paths.remove(other)
    assert not home.exists() or list(home.iterdir()) == []
    assert not paths.remove(other)
