"""Settings of the cluster's programs from flags and from YAML, each under the program's own key."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from kilonode.rules.read import documents

_ETCD_KEYS = frozenset({"initial-cluster", "data-dir", "listen-peer-urls", "quota-backend-bytes"})
_ETCD_TLS = {"client-transport-security": "", "peer-transport-security": "peer-"}
_ETCD_VARIABLE = re.compile(r"ETCD_(?P<name>\w+)=(?P<value>.*)", re.DOTALL)
ENV_FILE = "env-file"
"""No flag of etcd: the file that it has its variables from."""

_SUFFIXES = (".yaml", ".yml", ".json", ".conf", ".config", ".manifest")


def flag(program: str, name: str) -> str:
    """The name by which a program knows a flag: all of Kubernetes' take ``_`` for ``-``, etcd does not.

    So says WordSepNormalizeFunc of k8s.io/component-base, which they read their flags with.
    """
    return name if program == "etcd" else name.replace("_", "-")


def flags(program: str, arguments: list[str]) -> dict[str, str]:
    """Command-line flags of a program by name; a flag without a value is ``true``. Of one given twice the later holds.

    Variables of etcd may stand before them.
    """
    found: dict[str, str] = {}
    waiting: str | None = None
    for argument in arguments:
        if variable := _ETCD_VARIABLE.fullmatch(argument):
            found[variable["name"].lower().replace("_", "-")] = variable["value"]
        elif argument.startswith("-") and len(argument.lstrip("-")) > 0:
            name, equals, value = argument.lstrip("-").partition("=")
            name = flag(program, name)
            found[name] = value if equals else "true"
            waiting = None if equals else name
        elif waiting is not None:
            found[waiting] = argument
            waiting = None
    return found


def bare(arguments: list[str]) -> str | None:
    """The first word that is a variable which holds flags, and not the value of the flag before it."""
    pairs = zip(arguments, ["", *arguments], strict=False)
    return next((each for each, before in pairs if each.startswith("$") and not _valued(before)), None)


def _valued(word: str) -> bool:
    """Whether a word is a flag whose value is the next one."""
    return word.startswith("-") and "=" not in word


def mappings(path: str, text: str) -> Iterator[Mapping[str, Any]]:
    """The YAML or JSON mappings of a file, none where it is neither."""
    if path.endswith(_SUFFIXES) and (":" in text):
        yield from (each for each in documents.documents(text) or () if isinstance(each, Mapping))


def looks_like_etcd(document: Mapping[str, Any]) -> bool:
    """Whether it is a configuration file of etcd: two of its own keys are enough."""
    return len(_ETCD_KEYS & document.keys()) > 1


def etcd_file(document: Mapping[str, Any]) -> dict[str, str]:
    """etcd's configuration file under the names of its flags."""
    found: dict[str, str] = {}
    for key, value in document.items():
        if key in _ETCD_TLS and isinstance(value, Mapping):
            found |= {f"{_ETCD_TLS[key]}{name}": text(each) for name, each in value.items()}
        else:
            found[str(key)] = text(value)
    return found


def flat(document: Mapping[str, Any], above: str = "") -> dict[str, str]:
    """A component configuration with dotted keys."""
    found: dict[str, str] = {}
    for key, value in document.items():
        if isinstance(value, Mapping):
            found |= flat(value, f"{above}{key}.")
        else:
            found[f"{above}{key}"] = text(value)
    return found


def text(value: Any) -> str:
    """A value as a flag would have it."""
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
