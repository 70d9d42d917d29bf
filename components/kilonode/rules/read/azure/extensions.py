"""Scripts that Azure's custom script extension runs on virtual machines and on those of scale sets."""

import base64
from collections.abc import Iterable
from typing import Any

from kilonode.rules.read.azure import kinds
from kilonode.rules.read.decoded import Script
from kilonode.rules.read.resource import Resource, at, holds_secrets, typed, urn_of
from kilonode.rules.unknown import Fact, Unknown, first_unknown

_TYPES = frozenset({"customscript", "customscriptforlinux"})
"""Of Linux (Azure/custom-script-extension-linux, README.md); others run no text of the stack's, or on Windows."""

_OF = {kinds.EXTENSION: ("vmName", kinds.MACHINE), kinds.SET_EXTENSION: ("vmScaleSetName", kinds.SCALE_SET)}
_PROFILE = "virtualMachineProfile.extensionProfile.extensions"
_PUBLIC, _PROTECTED = "settings", "protectedSettings"
_VAULT = "protectedSettingsFromKeyVault"
_FETCHED = "fileUris"


class Extensions:
    """The extensions of a stack, each with the machine or the set that it is of."""

    def __init__(self, azure: Iterable[tuple[str, Resource]]) -> None:
        every = tuple(azure)
        self._alone: list[tuple[str, Fact[str | None], Resource]] = []
        for kind, each in every:
            if kind in _OF and _runs(each.properties):
                path, whole = _OF[kind]
                among = (one for own, one in every if own == whole)
                self._alone.append((whole, urn_of(each.named(path, among, also=path)), each))

    def of(self, machine: Resource) -> Fact[tuple[Script, ...]]:
        """The scripts that a machine or a set runs; Unknown where one is not known, is fetched, or may be another's."""
        within = machine.rows(_PROFILE)
        if isinstance(within, Unknown):
            return within
        rows = [(each, at(each, "name")) for each in within if _runs(each)]
        for whole, whose, each in self._alone:
            if isinstance(whose, Unknown) and whole == kinds.kind(machine):
                return Unknown(f"{whose.field} of extension {each.name}")
            rows += [(each.properties, each.name)] if whose == machine.urn else []
        found = [
            _script(row, f"of extension {name}" if isinstance(name, str) else "of an extension") for row, name in rows
        ]
        unread = first_unknown(found)
        return unread or tuple(each for each in found if isinstance(each, Script))


def _runs(row: Any) -> bool:
    """Whether an extension runs a script, as far as that is known."""
    kind = at(row, "type")
    return isinstance(kind, Unknown) or str(kind).lower() in _TYPES


def _script(row: Any, whose: str) -> Fact[Script | None]:
    """What it runs; of several the first (custom-script-extension-linux, main/cmds.go)."""
    for path in ("type", _VAULT, f"{_PUBLIC}.{_FETCHED}", f"{_PROTECTED}.{_FETCHED}"):
        own = at(row, path)
        if isinstance(own, Unknown):
            return Unknown(f"{own.field} {whose}")
        if own and path.endswith((_VAULT, _FETCHED)):
            return Unknown(f"{path} {whose}")
    for path in (f"{place}.{name}" for name in ("commandToExecute", "script") for place in (_PUBLIC, _PROTECTED)):
        text = typed(at(row, path), str, path)
        if isinstance(text, Unknown):
            return Unknown(f"{text.field} {whose}")
        if text:
            # What is protected is a secret, whether or not its program says so.
            hidden = path.startswith(_PROTECTED) or holds_secrets(row)
            return Script(_bytes(text) if path.endswith(".script") else text.encode(errors="replace"), hidden)
    return None


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode("".join(text.splitlines()), validate=True)
    except ValueError:  # the extension stops at it
        return b""
