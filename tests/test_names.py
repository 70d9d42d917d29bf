"""Names a spec may use become host names, and nothing else is accepted."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from kilonode.names import POOL_MAX, REGION_MAX, PoolName, RegionName

REGION: TypeAdapter[str] = TypeAdapter(RegionName)
POOL: TypeAdapter[str] = TypeAdapter(PoolName)


@given(st.from_regex(r"[a-z]([a-z0-9-]{0,18}[a-z0-9])?", fullmatch=True))
def test_a_short_label_is_accepted(name: str) -> None:
    assert REGION.validate_python(name) == name
    assert POOL.validate_python(name) == name


@given(st.text(max_size=40))
def test_whatever_is_accepted_is_a_label(name: str) -> None:
    try:
        REGION.validate_python(name)
    except ValidationError:
        return
    assert re.fullmatch(r"[a-z]([a-z0-9-]*[a-z0-9])?", name, flags=re.ASCII)
    assert len(name) <= REGION_MAX


@pytest.mark.parametrize("name", ["", "-a", "a-", "1a", "A", "a_b", "a.b", "a b", "a\n", "é", "a" * 21, "٣"])
def test_what_is_no_label_is_refused(name: str) -> None:
    with pytest.raises(ValidationError, match="a lower-case letter, then letters, digits and inner dashes; at most 20"):
        POOL.validate_python(name)


def test_the_limit_is_exact() -> None:
    assert REGION.validate_python("a" * REGION_MAX)
    assert POOL.validate_python("a" * POOL_MAX)


@given(st.text(max_size=60))
def test_the_name_a_refusal_proposes_is_itself_accepted(name: str) -> None:
    try:
        REGION.validate_python(name)
    except ValidationError as error:
        (proposed,) = re.findall(r"'([^']*)' or the like$", error.errors()[0]["ctx"]["fix"])
        assert REGION.validate_python(proposed) == proposed
