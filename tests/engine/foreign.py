"""A project without this library on the real engine: plain resources of three providers, judged by the pack."""

from collections.abc import Iterable
from pathlib import Path

from kilonode.rules.read.resource import Resource
from tests.standin.azure.desk import AzureCloud
from tests.standin.azure.stack import Stack
from tests.standin.echo.__main__ import launchers

STACK = "pulumi:pulumi:Stack"
"""The engine makes that one itself."""

PROGRAM = '''\
"""Declares the rows it is given. An id of a row that stands in another is the output of the resource that has it."""
import json, os
import pulumi

given = json.loads(os.environ["GIVEN"])
made = {}

class Plain(pulumi.CustomResource):
    def __init__(self, row, properties):
        options = pulumi.ResourceOptions(protect=row["protect"], ignore_changes=row["ignore"])
        super().__init__(row["type"], row["name"], properties, options)

def referred(value):
    if isinstance(value, dict):
        return {key: referred(each) for key, each in value.items()}
    if isinstance(value, list):
        return [referred(each) for each in value]
    return made[value.lower()].id if isinstance(value, str) and value.lower() in made else value

rows = sorted(given["rows"], key=lambda row: not row["id"])
if given["outputs"]:
    texts = {f"{row['type']} {row['name']}": json.dumps(row["properties"]) for row in rows}
    source = Plain({"type": "kubernetes:core/v1:ConfigMap", "name": "source", "protect": False, "ignore": []}, {"data": texts})

def value(row, key):
    own = referred(row["properties"][key])
    if not given["outputs"] or own != row["properties"][key]:
        return own
    at = f"{row['type']} {row['name']}"
    return source.data.apply(lambda data: json.loads(data[at])[key])

for row in rows:
    resource = Plain(row, {key: value(row, key) for key in row["properties"]})
    if row["id"]:
        made[row["id"].lower()] = resource
'''


def foreign_stack(folder: Path, resources: Iterable[Resource], *, outputs: bool = False) -> Stack:
    """The stack, not yet previewed; with ``outputs`` every property of it is another resource's output."""
    rows = [
        {
            "type": each.type,
            "name": each.name,
            "properties": dict(each.properties),
            "protect": each.protect,
            "ignore": each.ignore,
            "id": each.id or "",
        }
        for each in resources
        if each.type != STACK
    ]
    echo = launchers(folder / "echo", "aws", "azure-native", "kubernetes")
    stack = Stack(folder / "program", AzureCloud(folder / "azure"), name="prod", path=(echo,))
    return stack.write(PROGRAM, rows=rows, outputs=outputs).init()
