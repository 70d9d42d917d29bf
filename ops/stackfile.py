"""A stack file, ``Pulumi.<stack>.yaml``: read strictly, and refused as a whole before anything is created."""

import re
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

import yaml

from kilonode.cloudspec.local import LocalCloudSpec
from kilonode.refusal import Refusal, RefusedError
from kilonode.region.settings import KEY, read_settings
from kilonode.region.spec import RegionSpec

STACKS = Path(__file__).resolve().parent.parent / "stacks"
PREFIX, SUFFIX = "Pulumi.", ".yaml"
ENGINE_KEYS = ("encryptionsalt", "encryptedkey", "secretsprovider")
"""What the engine itself writes into the file of a stack it works on; for local stacks it writes into a copy."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_PLAIN = re.compile(r"-?(?:0|[1-9][0-9]*)")
_UNREADABLE = (yaml.YAMLError, ValueError, KeyError, AttributeError, RecursionError)
"""What PyYAML raises: for a date or a number that is none it lets the constructor's own fault through."""


class _Strict(yaml.SafeLoader):
    """Refuses what no stack file needs: a key that stands twice (PyYAML would take the last), aliases and odd numbers.

    Aliases can make a file of a few lines as large as memory, or refer to itself. YAML 1.1 reads 1:30 as 90 and 010 as 8.
    """

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.events.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.composer.ComposerError(None, None, "an alias; write the value out", mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT001, FBT002 - PyYAML's signature
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key.value!r} stands twice", key.start_mark
                )
            seen.add(str(key.value))
        return super().construct_mapping(node, deep)

    def construct_plain_int(self, node: yaml.ScalarNode) -> int:
        value = self.construct_yaml_int(node)
        if not _PLAIN.fullmatch(node.value):
            raise _refused(
                f"{node.value} in line {node.start_mark.line + 1}",
                "whole numbers in plain decimal digits",
                f"YAML 1.1 reads it as the number {value}",
                "write the number in plain digits; if it is text, put it in quotes",
            )
        return value


_Strict.add_constructor("tag:yaml.org,2002:int", _Strict.construct_plain_int)


def stack_file(word: str) -> Path:
    """The file that ``STACK`` means: a path where it looks like one, else the name of a file in ``stacks/``."""
    path = Path(word)
    return path if len(path.parts) > 1 or path.suffix in (".yaml", ".yml") else STACKS / f"{PREFIX}{word}{SUFFIX}"


def stack_name(file: Path) -> str:
    """The stack a file is for.

    Raises:
        RefusedError: when the file is not named as one.
    """
    name = file.name.removeprefix(PREFIX).removesuffix(SUFFIX)
    if file.name != f"{PREFIX}{name}{SUFFIX}" or not _NAME.fullmatch(name):
        raise _refused(
            str(file),
            "a file called Pulumi.<stack>.yaml, <stack> of letters, digits, - and _",
            "the stack, its folder and its record are named by it",
            "rename it",
        )
    return name


def read_stack(file: Path) -> RegionSpec:
    """The region in a stack file.

    Raises:
        RefusedError: with every fault found; nothing has been created.
    """
    document = _document(file)
    spec = read_settings(document["config"])
    known = ("config",) if isinstance(spec.cloud, LocalCloudSpec) else ("config", *ENGINE_KEYS)
    extra = [str(key) for key in document if key not in known]
    if extra:
        why = f"nothing else is read from a {spec.cloud.kind} stack's file, and a setting silently ignored is worse than none"
        raise _refused(", ".join(extra), "the key config alone", why, "remove it")
    return spec


def other_settings(file: Path) -> dict[str, Any]:
    """The settings of a stack file beside the region's: those of providers, such as the subscription.

    Raises:
        RefusedError: when the file is no stack file.
    """
    return {str(key): value for key, value in _document(file)["config"].items() if key != KEY}


def engine_settings(document: Mapping[Any, Any]) -> dict[str, Any]:
    """What the engine keeps in a stack's file beside its settings."""
    return {key: document[key] for key in ENGINE_KEYS if key in document}


def _document(file: Path) -> dict[str, Any]:
    if not file.is_file():
        known = sorted(each.name[len(PREFIX) : -len(SUFFIX)] for each in STACKS.glob(f"{PREFIX}*{SUFFIX}"))
        fix = f"give a path, or one of those in stacks/: {', '.join(known)}"
        raise _refused(str(file), "a stack file that exists", "there is no such file", fix)
    try:
        document = yaml.load(file.read_text(encoding="utf-8"), _Strict)  # noqa: S506 - a safe loader, stricter than PyYAML's own
    except RefusedError:
        raise
    except _UNREADABLE as error:
        raise _refused(str(file), "YAML", " ".join(str(error).split()), "mend the line it names") from None
    if not isinstance(document, dict) or not isinstance(document.get("config"), dict):
        raise _refused(
            str(file), "a mapping with the key config", "settings stand under config:", "see stacks/Pulumi.local.yaml"
        )
    return document


def _refused(given: str, allowed: str, why: str, fix: str) -> RefusedError:
    return RefusedError([Refusal("stack file", given, allowed, why, fix)])
