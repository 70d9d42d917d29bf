"""Resources and user data, as people write them."""

import base64
from copy import deepcopy
from dataclasses import replace
from typing import Any

import yaml

from kilonode.rules.facts.machines import Options
from kilonode.rules.read import programs as read
from kilonode.rules.read.resource import Resource
from kilonode.rules.read.scripts import run


def urn(kind: str, name: str) -> str:
    return f"urn:pulumi:prod::foreign::{kind}::{name}"


def made(kind: str, name: str, properties: dict[str, Any], **options: Any) -> Resource:
    return Resource(urn(kind, name), kind, name, properties, **options)


def cloud_config(files: dict[str, str], *commands: str) -> str:
    document = {
        "write_files": [{"path": path, "content": text} for path, text in files.items()],
        "runcmd": list(commands),
    }
    return "#cloud-config\n" + yaml.safe_dump(document)


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def sysctls(values: dict[str, int]) -> str:
    return "".join(f"{key} = {value}\n" for key, value in values.items())


def unit(program: str, flags: dict[str, str]) -> str:
    return (
        f"[Service]\nExecStart=/opt/bin/{program} \\\n" + " \\\n".join(f"  --{k}={v}" for k, v in flags.items()) + "\n"
    )


def with_property(resource: Resource, path: str, value: Any) -> Resource:
    """The resource with one property set; ``path`` has dots."""
    properties = deepcopy(dict(resource.properties))
    *above, last = path.split(".")
    place: Any = properties
    for step in above:
        place = place[int(step)] if isinstance(place, list) else place.setdefault(step, {})
    place[int(last) if isinstance(place, list) else last] = value
    return replace(resource, properties=properties)


def programs(files: dict[str, str], lines: list[str]) -> tuple[dict[str, Options], list[str]]:
    """Program to its settings, and the command lines, of a machine with these files and lines in user data."""
    written, commands = run(files, lines)
    found = read.programs(written, commands)
    return {name: own.told() for name, own in found.items()}, [each.line for each in commands]
