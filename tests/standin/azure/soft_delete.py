"""Deleted vaults and secrets, which keep their names until they are recovered or purged.

Source: Azure Key Vault soft-delete overview; the answers' words as in
github.com/alan-turing-institute/data-safe-haven/issues/2523 and hashicorp/terraform-provider-azurerm/issues/12972.
"""

from collections.abc import Mapping
from typing import Any, Final

from . import ids, paths
from .kinds import Kind
from .refusal import ArmError
from .store import Store, Stored

SOFT: Final = {"keyvault:Vault", "keyvault:Secret"}
IN_DELETED_STATE: Final = "A vault with the same name already exists in deleted state. You need to either recover or purge existing key vault."


def recovered(store: Store, kind: Kind, identifier: str, inputs: Mapping[str, Any]) -> Stored | None:
    """The vault that a creation recovers; answers 409 where a deleted one of the same name stands in the way."""
    if kind.token == "keyvault:Secret":
        if store.deleted(identifier):
            name = identifier.rpartition("/")[2]
            message = f"Secret {name} is currently in a deleted but recoverable state, and its name cannot be reused"
            raise ArmError(409, "Conflict", message)
        return None
    if kind.token != "keyvault:Vault":
        return None
    recover = paths.one(inputs, "properties.createMode") == "recover"
    # Vault names are unique over all of Azure, so another group's deleted vault stands in the way too.
    name = identifier.rpartition("/")[2].lower()
    if any(each.token == kind.token and each.name.lower() == name for each in store.all()):
        raise ArmError(409, "VaultAlreadyExists", f"The vault name '{name}' is already in use.")
    found = next((each for each in store.all_deleted() if each.token == kind.token and each.name.lower() == name), None)
    if found and not recover:
        raise ArmError(409, "ConflictError", IN_DELETED_STATE)
    if recover and not found:
        raise ArmError(
            404, "SoftDeletedVaultDoesNotExist", f"A soft deleted vault with the given name '{name}' does not exist"
        )
    if found and ids.key(found.id) != ids.key(identifier):
        raise ArmError(409, "ConflictError", IN_DELETED_STATE)
    return found


def recover(store: Store, vault: Stored) -> None:
    """Bring a vault back with the secrets that it held when it was deleted."""
    for each in store.all_deleted():
        whole = ids.key(each.id) == ids.key(vault.id)
        if whole or (each.origin == "with its vault" and ids.key(each.id).startswith(ids.key(vault.id) + "/")):
            back = store.forget(each.id)
            back.origin = "request"
            store.put(back)


def purge(store: Store, identifier: str) -> None:
    """Remove a deleted vault or secret for good, unless its vault is protected from that."""
    gone = store.deleted(identifier)
    if gone is None:
        raise ArmError(404, "DeletedVaultNotFound", f"nothing deleted is named '{identifier}'")
    vault = gone if gone.token == "keyvault:Vault" else store.get(ids.parent(gone.id) or "")
    if vault and paths.one(vault.body, "properties.enablePurgeProtection") is True:
        raise ArmError(
            403, "MethodNotAllowed", "Operation 'DeletedVaultPurge' is not allowed: purge protection is enabled"
        )
    for each in store.all_deleted():
        if ids.key(each.id) == ids.key(identifier) or ids.key(each.id).startswith(ids.key(identifier) + "/"):
            store.forget(each.id)
