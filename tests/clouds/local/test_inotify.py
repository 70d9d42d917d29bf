from pathlib import Path

import pytest

from kilonode.clouds.local.host import inotify


@pytest.fixture
def limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(inotify, "LIMIT", tmp_path / "limit")
    monkeypatch.setattr(inotify, "RECORD", tmp_path / "run" / "record")
    (tmp_path / "limit").write_text("128\n")
    return tmp_path / "limit"


def test_the_limit_is_raised_once_and_put_back_without_a_trace(limit: Path) -> None:
    inotify.raise_limit()
    inotify.raise_limit()
    assert limit.read_text() == "8192"
    inotify.restore_limit()
    assert limit.read_text().strip() == "128"
    assert not inotify.RECORD.parent.exists()


def test_a_host_with_a_higher_limit_keeps_it(limit: Path) -> None:
    limit.write_text("65536\n")
    inotify.raise_limit()
    inotify.restore_limit()
    assert limit.read_text() == "65536\n"


def test_a_limit_somebody_else_set_meanwhile_is_theirs(limit: Path) -> None:
    inotify.raise_limit()
    limit.write_text("999")
    inotify.restore_limit()
    assert limit.read_text() == "999"
