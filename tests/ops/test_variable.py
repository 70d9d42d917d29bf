"""A variable that is set for a while leaves the environment as it was."""

import os

import pytest

from ops.variable import variable

NAME = "KILONODE_TEST_VARIABLE"


def looked(name: str) -> None:
    with variable(name, "new"):
        assert os.environ[name] == "new"
        raise KeyError(name)


@pytest.mark.parametrize("before", [None, "", "old"])
def test_it_is_what_it_was_also_after_a_fault(before: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(NAME, raising=False)
    if before is not None:
        monkeypatch.setenv(NAME, before)
    with pytest.raises(KeyError):
        looked(NAME)
    assert os.environ.get(NAME) == before
