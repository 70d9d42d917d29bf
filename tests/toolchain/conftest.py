"""What the toolchain's tests share: the clone on the import path, and a cache of their own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

CLONE = Path(__file__).resolve().parents[2]
if str(CLONE) not in sys.path:
    sys.path.insert(0, str(CLONE))


@pytest.fixture
def cache_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The tools folder of an empty cache, with a PATH that has nothing on it."""
    monkeypatch.setenv("KILONODE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    return tmp_path / "cache" / "tools"
