"""What may be given to each resource type: Azure's models and azure-native's inputs, laid on top of each other.

The model says type, values and what is required or read-only; the SDK says which of the model's properties the plugin
sends at all: it speaks an older version of the API than the newest models, and silently drops what it does not know.
Reading both packages takes seconds, so the outcome is kept in a file named by their versions.
"""

import hashlib
import importlib
import json
import os
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from . import kinds, models, wire
from .kinds import KINDS, Kind

PACKAGES: Final = (
    "pulumi-azure-native",
    *(f"azure-mgmt-{name}" for name in ("authorization", "compute", "imagebuilder", "keyvault", "msi", "network")),
    *(f"azure-mgmt-{name}" for name in ("privatedns", "resource", "storage")),
)
# One of them, flattened by the plugin into `id`, is an object of its own in the newest model.
LIFTED: Final = {("IpamPoolPrefixAllocationArgs", "id"): models.Field("string")}

# The model's own text: this list of sizes is out of date, the cloud has more. demands/compute.py looks at the form.
OPEN: Final = {("HardwareProfileArgs", "vmSize")}

Shape = dict[str, dict[str, Any]]


@cache
def shapes() -> dict[str, Shape]:
    """All shapes by key; that of a resource's own inputs has its token as key."""
    path = cached()
    try:
        return dict(json.loads(path.read_text()))
    except (FileNotFoundError, json.JSONDecodeError):
        made = build()
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(f".{os.getpid()}")
        partial.write_text(json.dumps(made))
        partial.replace(path)
        return made


def build() -> dict[str, Shape]:
    """The shapes from the packages themselves."""
    made: dict[str, Shape] = {}
    for kind in KINDS.values():
        module, _, name = kind.model.partition(":")
        model = getattr(importlib.import_module(module), name)
        _lay(made, kind.token, model, wire.arguments(kind.token), kind)
    return made


def _lay(made: dict[str, Shape], key: str, model: type, args: type, kind: Kind | None = None) -> str:
    """Add the shape of one model and the SDK's class for it, and of all within; returns its key."""
    if key in made:
        return key
    shape: Shape = {}
    made[key] = shape
    known = models.fields(model)
    given = wire.inputs(args)
    for name, field in ((name, field) for name, field in known.items() if name not in _rest_names(given)):
        shape[name] = {"type": field.kind, "readOnly": field.read_only, "dropped": not field.read_only}
    for name, each in given.items():
        if kind and name in kind.parameters:
            shape[name] = {"type": "string", "required": each.required, "parameter": True}
            continue
        found = known.get(each.rest_name) or LIFTED.get((args.__name__, name))
        if found is None:
            shape[name] = {"type": "any", "unmodelled": True}
            continue
        spec = _spec(made, found, each, args)
        if (args.__name__, name) in OPEN:
            spec["values"] = []
        # The whole body is always there, so what is required under `properties` is required.
        shape[name] = spec | {
            "required": found.required or each.required,
            "readOnly": found.read_only,
            "lifted": found.lifted and kind is None,
        }
    return key


def _rest_names(given: dict[str, wire.Input]) -> set[str]:
    return {each.rest_name for each in given.values()}


def _spec(made: dict[str, Shape], field: models.Field, given: wire.Input, args: type) -> dict[str, Any]:
    if field.kind == "map" and given.listed:
        # A set of ids, such as identities: a list in the SDK, the keys of an object in the API.
        return {"type": "list", "item": {"type": "string"}, "set": True}
    if field.item:
        return {"type": field.kind, "item": _spec(made, field.item, given, args)}
    if field.model is None:
        return {"type": field.kind, "values": list(field.values)}
    module = args.__module__.split(".")[1]
    by, variants = models.variants(field.model)
    if variants:
        classes = {each.__name__: each for each in given.classes}
        keys = {
            value: _lay(made, f"{module}:{variant.__name__}", variant, classes[f"{variant.__name__}Args"])
            for value, variant in variants.items()
            if f"{variant.__name__}Args" in classes
        }
        return {"type": "union", "by": by, "shapes": keys}
    if not given.classes:
        return {"type": "any"}
    inner = given.classes[0]
    return {
        "type": "object",
        "shape": _lay(made, f"{module}:{inner.__name__}/{field.model.__name__}", field.model, inner),
    }


def cached() -> Path:
    """The file that keeps the shapes of these versions."""
    sources = [Path(module.__file__ or "").read_bytes() for module in (kinds, models, wire)]
    sources.append(Path(__file__).read_bytes())
    parts = [f"{name}=={version(name)}".encode() for name in PACKAGES]
    digest = hashlib.sha256(b"\0".join([*parts, *sources])).hexdigest()[:16]
    root = Path(os.environ.get("KILONODE_CACHE", Path.home() / ".cache" / "kilonode"))
    return root / "standin" / f"azure-shapes-{digest}.json"
