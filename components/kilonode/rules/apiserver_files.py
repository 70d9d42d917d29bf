"""Files that kube-apiserver's flags name, where user data has them."""

from collections.abc import Mapping
from typing import Any

from kilonode.rules.facts.controlplane import ApiServer
from kilonode.rules.read.documents import documents
from kilonode.rules.unknown import UndecidedError


def loaded(server: ApiServer, flag: str) -> Mapping[str, Any]:
    """The mapping in a flag's file, which user data has; empty where the file is.

    Raises:
        UndecidedError: when it is none, so that nobody can tell.
    """
    found = documents(server.files[server.flags[flag]])
    if found is None:
        raise UndecidedError(f"{flag}, which is no YAML,")
    return mapping((found[0] if found else None) or {}, flag)


def mapping(value: Any, flag: str) -> Mapping[str, Any]:
    """A mapping in a flag's file.

    Raises:
        UndecidedError: when it is none.
    """
    if not isinstance(value, Mapping):
        raise UndecidedError(f"{flag}, which is no mapping,")
    return value
