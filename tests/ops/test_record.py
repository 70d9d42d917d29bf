"""What a killed engine leaves of its record, and what is made of it."""

from pathlib import Path

import pytest

from ops.record import mend

WHOLE, OLDER = '{"version": 3, "checkpoint": {}}', '{"version": 3}'


@pytest.fixture
def record(tmp_path: Path) -> Path:
    for name, text in (("one.json", WHOLE), ("one.json.bak", OLDER), ("one.json.attrs", "{}"), ("one-b.json", "{")):
        (tmp_path / name).write_text(text)
    return tmp_path / "one.json"


def everything(record: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in record.parent.iterdir()}


def test_a_record_that_can_be_read_is_left_alone(record: Path) -> None:
    before = everything(record)
    assert mend(record) == []
    assert everything(record) == before


@pytest.mark.parametrize("left", ["", WHOLE[:10]])
def test_a_record_cut_short_is_taken_from_the_copy_before_it(record: Path, left: str) -> None:
    record.write_text(left)
    assert mend(record) == ["one.json was cut short; taken from the copy before it"]
    assert record.read_text() == OLDER


def test_attributes_cut_short_are_removed_and_the_record_stays(record: Path) -> None:
    Path(f"{record}.attrs").write_text("")
    assert mend(record) == ["one.json.attrs was cut short; removed"]
    assert record.read_text() == WHOLE
    assert not Path(f"{record}.attrs").exists()


def test_a_record_cut_short_at_its_first_writing_is_removed(record: Path) -> None:
    record.write_text("")
    Path(f"{record}.bak").unlink()
    assert mend(record) == ["one.json was cut short at its first writing; removed"]
    assert not record.exists()


def test_where_the_copy_is_cut_short_too_nothing_is_lost(record: Path) -> None:
    record.write_text(WHOLE[:10])
    Path(f"{record}.bak").write_text("")
    before = everything(record)
    assert mend(record) == []
    assert everything(record) == before


def test_no_record_is_nothing_to_mend(tmp_path: Path) -> None:
    assert mend(tmp_path / "none.json") == []
