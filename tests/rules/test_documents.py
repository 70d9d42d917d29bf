"""YAML that anybody has written is read up to a size, whatever it is made of."""

from typing import Any

import pytest

from kilonode.rules.read.documents import SIZE_MAX, documents


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("a" * (SIZE_MAX - 2), True),
        ("a" * (SIZE_MAX - 1), False),
        (str(2**2047 - 1), True),
        (str(2**2047), False),
        ("[1, {2: 3}]", True),
        ("a: [", False),
        ("a: 2026-13-40", False),
    ],
    ids=["long", "longer", "a large number", "a larger one", "small", "no YAML", "no day"],
)
def test_what_is_no_yaml_or_too_large_is_not_read(text: str, read: Any) -> None:
    assert (documents(text) is not None) == read
