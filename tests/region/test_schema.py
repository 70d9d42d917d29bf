"""The schema that editors check stack files with."""

from typing import Any

from kilonode.explain import Allowed
from kilonode.region.settings import KEY
from kilonode.region.spec import RegionSpec
from ops.schema import schema, text


def region() -> dict[str, Any]:
    found: dict[str, Any] = schema()["properties"]["config"]["properties"][KEY]
    return found


def test_the_schema_knows_the_keys_of_a_stack_file_and_takes_no_other() -> None:
    assert set(region()["properties"]) == {info.alias or name for name, info in RegionSpec.model_fields.items()}
    models = [region(), *schema()["$defs"].values()]
    assert all(model["additionalProperties"] is False for model in models)


def test_the_schema_asks_for_what_the_spec_asks_for() -> None:
    assert set(region()["required"]) == {"name", "cloud", "ceiling", "network"}


def test_words_for_people_are_no_part_of_the_schema() -> None:
    assert Allowed("x").words == "x"
    assert "Allowed(" not in text()
