"""`make golden`: the JSON schema editors use for stack files, generated from the spec."""

import json
from typing import Any

from kilonode.region.settings import KEY
from kilonode.region.spec import RegionSpec
from ops.stack import CLONE

PATH = CLONE / "stacks" / "schema.json"


def schema() -> dict[str, Any]:
    """The schema of a stack file."""
    region = RegionSpec.model_json_schema(by_alias=True, ref_template="#/$defs/{model}")
    definitions = region.pop("$defs", {})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A kilonode stack file",
        "type": "object",
        "required": ["config"],
        "properties": {"config": {"type": "object", "required": [KEY], "properties": {KEY: region}}},
        "$defs": definitions,
    }


def text() -> str:
    """The file's text."""
    return json.dumps(schema(), indent=2) + "\n"


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
    print(f"wrote {PATH.relative_to(CLONE)}")
