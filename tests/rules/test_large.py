"""How many nodes a region is judged by."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilonode.rules.large import sized_for
from kilonode.rules.unknown import UndecidedError, Unknown

COUNTS = st.integers(0, 10_000)


@given(COUNTS, COUNTS)
def test_a_parameter_makes_a_region_larger_and_never_smaller(own: int, nodes: int) -> None:
    assert sized_for(own, nodes) == max(own, nodes)


@given(st.integers(1, 10_000))
def test_a_region_whose_pools_are_elsewhere_is_as_large_as_the_parameter_says(nodes: int) -> None:
    assert sized_for(Unknown("pools"), nodes) == nodes
    with pytest.raises(UndecidedError):
        sized_for(Unknown("pools"), 0)
