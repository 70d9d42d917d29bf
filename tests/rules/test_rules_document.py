"""The table in the docs is what the rules are today."""

from ops import rules


def test_the_table_of_rules_is_fresh() -> None:
    assert rules.PATH.read_text() == rules.text(), "docs/rules.md is stale: run `make golden`"
