"""What every spec does: plain values only, all keys known, faults in a person's words."""

import json
from typing import Annotated, Literal

import pulumi
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, ValidationError

from kilonode.apiserver.spec import ApiServersSpec
from kilonode.etcd.spec import EtcdClusterSpec
from kilonode.explain import SHOWN, shown
from kilonode.refusal import Refusal, RefusedError
from kilonode.region.spec import RegionSpec
from kilonode.spec import Spec
from tests.plans import settings


class Inner(Spec):
    """A row."""

    size: Annotated[int, Field(ge=2, le=8)] = 4
    """Small, because it is a test."""


class Outer(Spec):
    """One of each type a spec is made of."""

    text: str
    kind: Literal["one", "two"] = "one"
    open_ended: int = 0
    inner: Inner = Inner()
    rows: Annotated[tuple[Inner, ...], Field(strict=False)] = ()
    maybe: Inner | None = None
    choice: Literal["auto", True, False] = "auto"


def refused(data: object) -> list[Refusal]:
    with pytest.raises(RefusedError) as error:
        Outer.read(data, "outer")
    return list(error.value.refusals)


def faults(spec: type[Spec], data: object) -> list[Refusal]:
    """What is refused, if anything."""
    try:
        spec.read(data, "settings")
    except RefusedError as error:
        return list(error.refusals)
    return []


def one(**data: object) -> Refusal:
    (found,) = refused({"text": "x", **data})
    return found


@pytest.mark.parametrize("given", [1, 9, -1, 2**70, "4", 4.0, 4.5, True, None, [4], {"four": 4}])
def test_a_number_outside_its_bounds_or_of_another_type_is_refused_with_the_bounds(given: object) -> None:
    found = one(inner={"size": given})
    assert (found.field, found.given) == ("outer.inner.size", json.dumps(given))
    assert found.allowed == "a whole number from 2 to 8"
    assert found.why == "small, because it is a test"


@pytest.mark.parametrize(
    ("given", "fix"),
    [
        (1, "write 2 or more"),
        (9, "write 8 or less"),
        ("4", "write a whole number from 2 to 8, without quotes"),
        ("04", "write 4, or leave it out"),
        (True, "write 4, or leave it out"),
    ],
)
def test_the_fix_of_a_number_is_a_number(given: object, fix: str) -> None:
    assert one(inner={"size": given}).fix == fix


def test_a_row_of_a_list_is_named_by_its_place() -> None:
    assert one(rows=[{}, {"size": 1}]).field == "outer.rows[1].size"
    assert one(rows=[{}, 5]).field == "outer.rows[1]"
    assert one(rows=[{}, 5]).allowed == "a mapping with the key size"


@pytest.mark.parametrize("given", [None, "x", 5, {"size": 4}])
def test_a_list_is_asked_for_where_there_is_none(given: object) -> None:
    found = one(rows=given)
    assert found.allowed == "a list, each row of it a mapping with the key size"
    assert found.fix.startswith("write a list")


def test_the_words_of_a_choice_are_all_given() -> None:
    assert one(kind="three").allowed == "'one' or 'two'"
    assert one(kind="three").fix == "write one of these 2"
    assert one(kind="tow").fix == "did you mean 'two'?"


@pytest.mark.parametrize(
    ("given", "fix"),
    [
        ("True", "did you mean true?"),
        ("fals", "did you mean false?"),
        ("Auto", "did you mean 'auto'?"),
        ("many", "write one of these 3"),
    ],
)
def test_true_and_false_among_choices_are_written_as_yaml_has_them(given: object, fix: str) -> None:
    assert one(choice=given).allowed == "'auto' or true or false"
    assert one(choice=given).fix == fix


def test_a_number_where_text_belongs_is_put_in_quotes() -> None:
    (found,) = refused({"text": 5})
    assert (found.allowed, found.fix) == ("text", "put what you wrote in quotes")


def test_what_is_missing_is_said_with_the_place_it_belongs() -> None:
    (found,) = refused({})
    assert (found.field, found.given) == ("outer.text", "nothing")
    assert found.fix.startswith("add text under outer")


def test_a_number_without_bounds_is_a_whole_number() -> None:
    assert one(openEnded="x").allowed == "a whole number"


@pytest.mark.parametrize("given", ["x", 5, [], None])
def test_settings_that_are_no_mapping_are_refused(given: object) -> None:
    (found,) = refused(given)
    assert found.field == "outer"
    assert found.allowed.startswith("a mapping with the keys choice, inner, kind,")


@pytest.mark.parametrize("path", ["", "inner", "rows", "maybe"])
def test_an_unknown_key_is_refused_at_every_level_with_the_keys_there_are(path: str) -> None:
    wrong = {"siz": 4}
    found = {"": one(**wrong), "inner": one(inner=wrong), "rows": one(rows=[wrong]), "maybe": one(maybe=wrong)}[path]
    if path:
        assert (found.allowed, found.fix) == ("the key size", "did you mean 'size'?")
    else:
        assert (found.allowed, found.fix) == (
            "the keys choice, inner, kind, maybe, openEnded, rows, text",
            "remove 'siz'",
        )


def test_every_fault_is_found_at_once() -> None:
    assert [found.field for found in refused({"kind": 5, "inner": {"size": 1, "x": 1}, "rows": {}})] == [
        "outer.text", "outer.kind", "outer.inner.size", "outer.inner.x", "outer.rows",
    ]  # fmt: skip


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=10,
    )
)
def test_whatever_yaml_holds_is_read_or_refused_in_words(data: object) -> None:
    for spec in (Outer, RegionSpec):
        for value in (
            data,
            settings(network=data),
            settings(etcd=[data]),
            settings(nodePools=data),
            settings(name=data),
        ):
            for refusal in faults(spec, value):
                assert refusal.allowed
                assert refusal.why
                assert refusal.fix
                assert "input should" not in str(refusal).lower()


def test_a_long_value_is_cut() -> None:
    assert len(shown("x" * 1000)) == SHOWN
    assert shown("x" * 1000).endswith("…")


def test_an_output_as_a_count_is_a_type_error_that_names_the_field() -> None:
    with pytest.raises(TypeError, match=r"EtcdClusterSpec\.members is a Pulumi Output: it decides how many"):
        EtcdClusterSpec(name="main", members=pulumi.Output.from_input(3))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"ceiling": pulumi.Output.from_input(5)}, "RegionSpec.ceiling"),
        ({"apiServers": {"count": pulumi.Output.secret(5)}}, "RegionSpec.apiServers.count"),
        ({"etcd": [{"name": "main", "members": pulumi.Output.from_input(3)}]}, r"RegionSpec.etcd\[0\].members"),
        ({"nodePools": pulumi.Output.from_input([])}, "RegionSpec.nodePools"),
    ],
)
def test_an_output_is_found_wherever_it_stands(changes: dict[str, object], field: str) -> None:
    with pytest.raises(TypeError, match=f"^{field} is a Pulumi Output"):
        RegionSpec.model_validate(settings(**changes))


def test_the_text_of_an_output_is_no_value() -> None:
    output = pulumi.Output.from_input("east")
    for text in (str(output), f"region-{output}", repr(output)):
        with pytest.raises(TypeError, match=r"RegionSpec.name holds the text of a Pulumi Output"):
            RegionSpec.model_validate(settings(name=text))
        with pytest.raises(RefusedError, match=r"kilonode:region.name\n"):
            RegionSpec.read(settings(name=text), "kilonode:region")


def test_from_python_a_fault_says_what_is_allowed_why_and_the_fix() -> None:
    with pytest.raises(ValidationError, match=r"allowed: an odd whole number from 1 to 7.*; why: .*; fix: use 5"):
        EtcdClusterSpec(name="main", members=4)


def test_the_schema_of_every_number_has_its_bounds() -> None:
    assert EtcdClusterSpec.model_json_schema()["properties"]["members"]["enum"] == [1, 3, 5, 7]
    count = ApiServersSpec.model_json_schema()["properties"]["count"]
    assert (count["minimum"], count["maximum"]) == (1, 9)


def test_every_setting_says_what_it_decides() -> None:
    """The docstring of a field is what a refusal gives as the reason."""

    def fields(schema: dict[str, object]) -> list[str]:
        models = [schema, *schema.get("$defs", {}).values()]  # type: ignore[attr-defined]
        return [key for model in models for key, value in model["properties"].items() if "description" not in value]

    assert fields(RegionSpec.model_json_schema()) == []
