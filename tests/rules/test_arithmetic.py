"""A rule about figures is broken exactly where its claim is false; while a figure is unknown nothing wrong is decided."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from kilonode.rules.facts.stack import Facts, Stack
from kilonode.rules.registry import BY_ID
from kilonode.rules.rule import Undecided, Violation
from kilonode.rules.unknown import Unknown
from tests.rules.arithmetic import ROWS, Figures

NOBODY = Facts(Stack("urn", 0))

each_row = pytest.mark.parametrize("row", ROWS, ids=[each.name for each in ROWS])


def findings(rule: str, subject: Any, settings: dict[str, Any] | None = None) -> list[Violation | Undecided]:
    """What a rule finds in one subject."""

    def over(_facts: Facts) -> Iterable[Any]:
        return [subject]

    return [*replace(BY_ID[rule], over=over).check(NOBODY, settings)]


def holds(row: Figures, values: dict[str, Any]) -> bool | None:
    """What the rule says of the subject; None where it is undecided."""
    found = findings(row.rule, row.subject(values), row.settings)
    return None if found and not any(isinstance(each, Violation) for each in found) else not found


@each_row
@given(data=st.data())
@settings(max_examples=150)
def test_a_rule_is_broken_exactly_where_its_claim_is_false(row: Figures, data: st.DataObject) -> None:
    values = {name: data.draw(each, label=name) for name, each in row.values.items()}
    assert holds(row, values) is row.holds(values)


@pytest.mark.parametrize("row", [each for each in ROWS if each.hideable], ids=lambda row: row.name)
@given(data=st.data())
@settings(max_examples=100)
def test_what_is_decided_while_a_figure_is_unknown_is_what_is_decided_when_it_is_known(
    row: Figures, data: st.DataObject
) -> None:
    """So an unknown figure that matters, whatever it will be, is neither a pass nor a violation."""
    values = {name: data.draw(each, label=name) for name, each in row.values.items()}
    hidden = data.draw(st.sets(st.sampled_from(row.hideable), min_size=1), label="hidden")
    known = values | {name: Unknown(name) for name in hidden}
    assert holds(row, known) in {None, row.holds(values)}


@pytest.mark.parametrize(
    ("row", "name"),
    [(row, name) for row in ROWS for name in row.hideable],
    ids=lambda each: getattr(each, "name", each),
)
def test_each_figure_that_may_be_unknown_leaves_a_rule_undecided_somewhere(row: Figures, name: str) -> None:
    """Else it would be no figure of the rule, and hiding it would show nothing."""

    @given(data=st.data())
    @settings(max_examples=5000, database=None, phases=[Phase.generate])
    def search(data: st.DataObject) -> None:
        values = {each: data.draw(strategy) for each, strategy in row.values.items()}
        if holds(row, values | {name: Unknown(name)}) is None:
            raise LookupError

    with pytest.raises(LookupError):
        search()
