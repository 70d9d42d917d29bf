"""Bad Azure stacks at the door `pulumi up` goes through: the program refuses them, and asks the engine for nothing."""

import json
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pulumi
import pytest
import yaml
from pulumi.runtime import mocks
from pulumi.runtime import settings as runtime

from kilonode.region.settings import KEY
from ops.stack import CLONE
from tests.clouds.azure import regions
from tests.region.test_bad_stacks import MORE_THAN_ONE, STACKS, expected

PROGRAM = CLONE / "infra"
AZURE = [file for file in STACKS if file.stem.startswith("azure-")]


class Monitor(mocks.MockMonitor):
    """Counts what the program asks of the engine."""

    def __init__(self) -> None:
        super().__init__(None)  # type: ignore[arg-type] - nothing may come so far
        self.asked: list[Any] = []

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802 - the engine's own name
        """The root stack is there before the program runs."""
        if request.type == "pulumi:pulumi:Stack":
            return super().RegisterResource(request)
        self.asked.append(request)
        raise AssertionError(request.type)

    def Invoke(self, request: Any) -> Any:  # noqa: N802 - the engine's own name
        self.asked.append(request)
        raise AssertionError(request.tok)


@pytest.fixture
def monitor(monkeypatch: pytest.MonkeyPatch) -> Iterator[Monitor]:
    before = runtime.SETTINGS
    monkeypatch.syspath_prepend(str(PROGRAM))
    made = Monitor()
    mocks.set_mocks(None, monitor=made)  # type: ignore[arg-type] - as above
    yield made
    runtime.configure(before)
    sys.modules.pop("settings", None)


def refusal(value: object, monkeypatch: pytest.MonkeyPatch) -> str:
    """What the program says, its settings handed over as the engine does: a structured value as JSON, text as it is."""
    text = value if isinstance(value, str) else json.dumps(value)
    monkeypatch.setenv("PULUMI_CONFIG", json.dumps({KEY: text}))
    with pytest.raises(pulumi.RunError) as refused:
        run()
    return str(refused.value)


@pulumi.runtime.test
def run() -> None:
    """The program, until the engine has answered all it asked."""
    runpy.run_path(str(PROGRAM / "__main__.py"))


def test_there_are_at_least_twenty_five_of_them() -> None:
    assert len(AZURE) >= 25


@pytest.mark.parametrize("file", AZURE, ids=lambda file: file.stem)
def test_a_bad_stack_is_refused_before_any_call(file: Path, monitor: Monitor, monkeypatch: pytest.MonkeyPatch) -> None:
    said = refusal(yaml.safe_load(file.read_text())["config"][KEY], monkeypatch)
    wanted = expected(file)
    first = dict(line.strip().split(":", 1) for line in said.splitlines()[3:7])
    assert said.splitlines()[2] == wanted.pop("field")
    assert len(first["why"]) > 5
    for line, fragment in wanted.items():
        assert fragment in first[line], said
    assert said.startswith(f"{MORE_THAN_ONE.get(file.stem, 1)} value")
    assert monitor.asked == []


@pytest.mark.parametrize("value", ["hello", "[", "5", "null", '"text"', "NaN", "", "{}", "[]"])
def test_a_value_that_is_no_mapping_is_refused_as_what_it_is(
    value: str, monitor: Monitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert refusal(value, monkeypatch).splitlines()[2].startswith(KEY)
    assert monitor.asked == []


def test_a_secret_in_the_settings_is_refused(monitor: Monitor, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine has opened it already, and says only that there is one."""
    monkeypatch.setattr("pulumi.runtime.config.is_config_secret", lambda key: key == KEY)
    assert "kilonode:region\n    given:   a secret\n" in refusal(regions.settings(), monkeypatch)
    assert monitor.asked == []


def test_a_good_stack_does_ask(monitor: Monitor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULUMI_CONFIG", json.dumps({KEY: json.dumps(regions.settings())}))
    with pytest.raises(Exception, match="kilonode:index:Region"):
        run()
    assert monitor.asked
