"""The number of machines an update would send is the number there is, or nothing is sent."""

import pytest

from kilonode.clouds.azure.capacity import refusal


def test_the_living_number_may_be_sent() -> None:
    assert refusal("workers-00", 900, 900) is None


@pytest.mark.parametrize(("sent", "living", "why"), [(2, 900, "end machines"), (900, 2, "make machines")])
def test_any_other_number_is_refused(sent: int, living: int, why: str) -> None:
    found = refusal("workers-00", sent, living)
    assert found is not None
    assert (found.field, found.given) == ("workers-00: sku.capacity", f"{sent}, as last recorded")
    assert found.allowed == f"{living}, what the set has now"
    assert why in found.why
    assert "--refresh" in found.fix
