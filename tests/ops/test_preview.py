"""What `make preview` refuses by itself, before any engine is asked."""

import json
from pathlib import Path

import pytest

from kilonode.refusal import RefusedError
from ops import preview
from ops.stack import CLONE

STACK = CLONE / "stacks" / "Pulumi.local.yaml"


@pytest.fixture(autouse=True)
def no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(*_words: object, **_more: object) -> None:
        raise AssertionError("the engine was asked")

    monkeypatch.setattr(preview, "_local", asked)
    monkeypatch.setattr(preview, "_cloud", asked)


@pytest.mark.parametrize(
    ("document", "field"),
    [
        ({"no-such-rule": "advisory"}, "policy.json.no-such-rule"),
        ({"version": 2, "exceptions": {"a": {"reason": "for ever"}}}, "policy.json.exceptions"),
    ],
)
def test_what_a_team_may_not_decide_is_refused(tmp_path: Path, document: object, field: str) -> None:
    (tmp_path / "policy.json").write_text(json.dumps(document))
    with pytest.raises(RefusedError, match="1 value refused; nothing was previewed") as refused:
        preview.preview(STACK, tmp_path / "policy.json")
    assert [each.field for each in refused.value.refusals] == [field]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_configuration_is_in_utf_8_or_in_what_its_mark_says(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "policy.json").write_text('{"kilonode-settings": {"größe": 1}}', encoding=encoding)
    with pytest.raises(RefusedError, match=r"policy\.json\.kilonode-settings\.größe"):
        preview.preview(STACK, tmp_path / "policy.json")


@pytest.mark.parametrize("text", ["{", "[" * 100_000])
def test_a_configuration_that_is_no_json_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "policy.json").write_text(text)
    with pytest.raises(RefusedError, match=f"given:   {tmp_path}/policy.json\n    allowed: a file of JSON"):
        preview.preview(STACK, tmp_path / "policy.json")


@pytest.mark.parametrize("name", ["none.json", "."])
def test_a_configuration_that_cannot_be_read_is_refused_with_the_reason(tmp_path: Path, name: str) -> None:
    with pytest.raises(RefusedError, match="refused; nothing was previewed") as refused:
        preview.preview(STACK, tmp_path / name)
    (found,) = refused.value.refusals
    assert (found.field, found.given) == ("policy", str(tmp_path / name))
    assert found.why in ("No such file or directory", "Is a directory")


def test_the_clones_own_configuration_is_looked_at_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "policy.json").write_text('{"etcd-quota": "loud"}')
    monkeypatch.setattr(preview, "POLICY", tmp_path / "policy.json")
    with pytest.raises(RefusedError, match="etcd-quota"):
        preview.preview(STACK)


def test_a_refused_stack_says_that_nothing_was_previewed(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="refused; nothing was previewed"):
        preview.preview(tmp_path / "Pulumi.none.yaml")
