"""However long a value is, what people are told of it is short; what programs are told, and what it is known again by, is whole."""

import json

import pytest

from kilonode.rules.rule import Undecided
from kilonode.rules.shown import LONGEST
from tests.rules.doors import DOORS, SOON, checked, exported
from tests.rules.foreign import Foreign
from tests.rules.written import made

LONG = "registry.example.com/" + "a" * 5000
RULE = "image-latest"


def image(name: str) -> Foreign:
    of = Foreign()
    of.image = name
    return of


def value(text: str) -> str:
    (found,) = [line for line in text.splitlines() if line.startswith("value:")]
    return found.removeprefix("value:").lstrip()


@pytest.mark.parametrize("door", DOORS)
def test_a_long_value_is_cut_at_every_door_and_its_length_is_told(door: str) -> None:
    (told,) = [each for each in DOORS[door](image(LONG).resources(), {}) if each.rule == RULE]
    assert value(told.text) == f"{LONG[:LONGEST]}… ({len(LONG)} characters)"


@pytest.mark.parametrize("door", DOORS)
def test_a_value_of_the_longest_length_is_whole(door: str) -> None:
    whole = LONG[:LONGEST]
    (told,) = [each for each in DOORS[door](image(whole).resources(), {}) if each.rule == RULE]
    assert value(told.text) == whole


def test_json_has_all_of_a_value() -> None:
    _, text = checked(exported(image(LONG).resources()), {}, "--format", "json")
    assert [each["value"] for each in json.loads(text)["violations"] if each["rule"] == RULE] == [LONG]


def test_values_that_differ_behind_the_cut_are_two_violations_with_two_fingerprints() -> None:
    pod = {"spec": {"containers": [{"name": each, "image": LONG + each} for each in ("a", "b")]}}
    rows = [*Foreign().resources(), made("kubernetes:core/v1:Pod", "two", pod)]
    _, text = checked(exported(rows), {}, "--format", "sarif")
    results = [each for each in json.loads(text)["runs"][0]["results"] if each["ruleId"] == RULE]
    prints = {each["partialFingerprints"]["violation/v2"].rpartition(" ")[2] for each in results}
    assert (prints, len(results)) == ({LONG + "a", LONG + "b"}, 2)


def test_a_password_that_the_cut_would_part_is_hidden() -> None:
    url = f"https://root:{'hunter2' * LONGEST}@{LONG}:latest"
    (told,) = DOORS["the pack"](image(url).resources(), {})
    assert value(told.text).startswith("https://[secret]@registry.example.com/aaa")
    assert len(value(told.text)) < LONGEST + 30


def test_a_long_value_is_exempted_as_any_other() -> None:
    row = {"rule": RULE, "resource": "*::app", "reason": "goes with the next release", "expires": SOON}
    _, text = checked(exported(image(LONG).resources()), {"kilonode-settings": {"exemptions": [row]}})
    assert f"{RULE} exempted until {SOON}" in text


def test_what_is_not_known_is_cut_likewise() -> None:
    path = "/etc/" + "a" * 5000
    assert str(Undecided("rule", "urn", path)) == (
        f"undecided: {path[:LONGEST]}… ({len(path)} characters) of urn is not known yet; judged when it is"
    )
