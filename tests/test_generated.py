"""Generated files are what their generator makes today."""

import json

from ops import schema
from ops.stack import CLONE
from ops.stackfile import read_stack


def test_the_schema_of_stack_files_is_fresh() -> None:
    assert schema.PATH.read_text() == schema.text(), "stacks/schema.json is stale: run `make golden`"


def test_the_schema_knows_every_key_of_the_shipped_stacks() -> None:
    definitions = schema.schema()
    region = definitions["properties"]["config"]["properties"]["kilonode:region"]
    assert region["additionalProperties"] is False
    for file in sorted((CLONE / "stacks").glob("Pulumi.*.yaml")):
        spec = read_stack(file)
        assert set(spec.model_dump(by_alias=True, exclude_unset=True)) <= set(region["properties"])


def test_every_shipped_stack_is_accepted_without_a_warning() -> None:
    files = sorted((CLONE / "stacks").glob("Pulumi.*.yaml"))
    assert files
    for file in files:
        assert read_stack(file).warnings() == []


def test_the_schema_is_plain_json() -> None:
    assert json.loads(schema.PATH.read_text())["$schema"].startswith("https://json-schema.org/")
