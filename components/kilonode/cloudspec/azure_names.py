"""Names a person may give to resources of Azure: what each kind of resource allows."""

import re
from typing import Annotated

from pydantic import AfterValidator

from kilonode.explain import Allowed
from kilonode.limits import AZURE_KEY_VAULT_NAME, AZURE_RESOURCE_GROUP_NAME, AZURE_STORAGE_NAME, Limit
from kilonode.refusal import refuse

RESERVED = "https://learn.microsoft.com/azure/azure-resource-manager/troubleshooting/error-reserved-resource-name"
RESERVED_WITHIN = ("microsoft", "windows")
RESERVED_FIRST = ("login", "xbox")
"""Words that no name may have whose resource answers at a public name of its own, anywhere in it or at its start."""

_GROUP = re.compile(r"[\w().-]*[\w()-]", re.ASCII)
_GROUP_ALLOWED = f"letters, digits and _ ( ) . -, no . at the end; at most {AZURE_RESOURCE_GROUP_NAME.value} characters"
_VAULT = re.compile(r"[A-Za-z](?:-?[A-Za-z0-9])*", re.ASCII)
_VAULT_ALLOWED = f"3 to {AZURE_KEY_VAULT_NAME.value} letters, digits and single dashes, a letter first and no dash last"
_STORAGE = re.compile(r"[a-z0-9]+", re.ASCII)
_STORAGE_ALLOWED = f"3 to {AZURE_STORAGE_NAME.value} lower-case letters and digits"
_SHORTEST = 3


def reserved(name: str) -> str:
    """The word in ``name`` that Azure keeps for itself, or nothing."""
    name = name.lower()
    within = [word for word in RESERVED_WITHIN if word in name]
    return next(iter([*within, *(word for word in RESERVED_FIRST if name.startswith(word))]), "")


def _group(value: str) -> str:
    if not _GROUP.fullmatch(value) or len(value) > AZURE_RESOURCE_GROUP_NAME.value:
        raise refuse(allowed=_GROUP_ALLOWED, why=AZURE_RESOURCE_GROUP_NAME.source, fix="rename it, or leave it out")
    return value


def _vault(value: str) -> str:
    return _public(value, _VAULT, AZURE_KEY_VAULT_NAME, _VAULT_ALLOWED)


def _storage(value: str) -> str:
    return _public(value, _STORAGE, AZURE_STORAGE_NAME, _STORAGE_ALLOWED)


def _public(value: str, pattern: re.Pattern[str], most: Limit, allowed: str) -> str:
    """A name that becomes a host name of Azure's."""
    if not pattern.fullmatch(value) or not _SHORTEST <= len(value) <= most.value:
        raise refuse(allowed=allowed, why=most.source, fix="rename it, or leave it out")
    if word := reserved(value):
        raise refuse(
            allowed=f"a name without {', '.join(RESERVED_WITHIN)} in it, and without {', '.join(RESERVED_FIRST)} first",
            why=f"{word!r} is a reserved word in names that are public ({RESERVED})",
            fix="rename it, or leave it out",
        )
    return value


ResourceGroupName = Annotated[str, AfterValidator(_group), Allowed(_GROUP_ALLOWED)]
KeyVaultName = Annotated[str, AfterValidator(_vault), Allowed(_VAULT_ALLOWED)]
StorageAccountName = Annotated[str, AfterValidator(_storage), Allowed(_STORAGE_ALLOWED)]
