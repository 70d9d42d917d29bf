"""Property values as the engine's gRPC messages carry them, and as plain Python."""

from typing import Any, Final

from google.protobuf import json_format, struct_pb2

SIGNATURE: Final = "4dabf18193072939515e22adb298388d"
SECRET: Final = "1b47061264138c4ac30d75fd1eb44270"
OUTPUT: Final = "d0e6a833031e9bbcd3f4e8bde6ca49a4"
# One constant per type of the value that is not known yet.
UNKNOWNS: Final = {
    "04da6b54-80e4-46f7-96ec-b56ff0331ba9",  # string, and whatever has no type
    "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",  # boolean
    "3eeb2bf0-c639-47a8-9e75-3b44932eb421",  # number
    "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",  # array
    "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",  # object
}
UNKNOWN: Final = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"


def read(message: struct_pb2.Struct) -> dict[str, Any]:
    """The message's properties: nulls left out, secrets unwrapped, whole numbers as int, the unknown as UNKNOWN."""
    plain = _plain(json_format.MessageToDict(message))
    return plain if isinstance(plain, dict) else {}


def write(properties: dict[str, Any]) -> struct_pb2.Struct:
    """The message that carries these properties."""
    message = struct_pb2.Struct()
    message.update(properties)
    return message


def unknown(value: Any) -> bool:
    """Whether the value is not known yet."""
    return isinstance(value, str) and value in UNKNOWNS


def holds_unknown(value: Any) -> bool:
    """Whether the value, or anything in it, is not known yet."""
    if isinstance(value, dict):
        return any(holds_unknown(each) for each in value.values())
    if isinstance(value, list):
        return any(holds_unknown(each) for each in value)
    return unknown(value)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        if value.get(SIGNATURE) == SECRET:
            return _plain(value.get("value"))
        if value.get(SIGNATURE) == OUTPUT:
            return _plain(value["value"]) if "value" in value else UNKNOWN
        return {key: _plain(each) for key, each in value.items() if each is not None}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return UNKNOWN if unknown(value) else value
