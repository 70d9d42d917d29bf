"""Flags of a command line are read as the programs read them."""

import pytest

from kilonode.rules.read.settings import flags


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("--a=1 --b 2 --c", {"a": "1", "b": "2", "c": "true"}),
        ("--a=1 --a=2", {"a": "2"}),
        ("--log - --b=1", {"log": "-", "b": "1"}),
        ("--a=b=c", {"a": "b=c"}),
        ("word --a= word", {"a": ""}),
        ("", {}),
    ],
)
def test_a_flag_has_the_value_that_is_meant_for_it(line: str, found: dict[str, str]) -> None:
    assert flags(line.split()) == found
