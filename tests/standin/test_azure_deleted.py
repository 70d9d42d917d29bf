"""What Azure keeps of a deleted vault and its secrets, and who gets their names."""

import pytest

from tests.standin.azure import soft_delete
from tests.standin.azure.cloud import Cloud
from tests.standin.azure.refusal import ArmError
from tests.standin.inputs import VAULT, create, update

NIC, VM, VMSS = "network:NetworkInterface", "compute:VirtualMachine", "compute:VirtualMachineScaleSet"


def test_a_deleted_vault_keeps_its_name_until_it_is_recovered_or_purged(cloud: Cloud) -> None:
    cloud.delete(VAULT)
    assert {each.token for each in cloud.store.all_deleted()} == {"keyvault:Vault", "keyvault:Secret"}
    with pytest.raises(ArmError, match=r'409 Code="ConflictError" .*already exists in deleted state'):
        create(cloud, "keyvault:Vault")
    create(cloud, "keyvault:Vault", **{"properties.createMode": "recover"})
    assert cloud.store.all_deleted() == []
    assert cloud.store.get(f"{VAULT}/secrets/key") is not None
    cloud.delete(VAULT)
    soft_delete.purge(cloud.store, VAULT)
    assert cloud.store.all_deleted() == []
    create(cloud, "keyvault:Vault")
    with pytest.raises(ArmError, match="SoftDeletedVaultDoesNotExist"):
        create(cloud, "keyvault:Vault", vaultName="another", **{"properties.createMode": "recover"})


def test_vault_names_are_unique_over_all_of_azure(cloud: Cloud) -> None:
    create(cloud, "resources:ResourceGroup", resourceGroupName="rg-two")
    assert create(cloud, "network:RouteTable", resourceGroupName="rg-two")
    with pytest.raises(ArmError, match="VaultAlreadyExists"):
        create(cloud, "keyvault:Vault", resourceGroupName="rg-two", vaultName="Kilonode-Vault")
    cloud.delete(VAULT)
    for mode in ("default", "recover"):
        with pytest.raises(ArmError, match="ConflictError"):
            create(cloud, "keyvault:Vault", resourceGroupName="rg-two", **{"properties.createMode": mode})


def test_a_deleted_secret_stays_in_the_way_also_in_a_recovered_vault(cloud: Cloud) -> None:
    cloud.delete(f"{VAULT}/secrets/key")
    with pytest.raises(ArmError, match="deleted but recoverable state"):
        create(cloud, "keyvault:Secret")
    cloud.delete(VAULT)
    create(cloud, "keyvault:Vault", **{"properties.createMode": "recover"})
    assert cloud.store.get(f"{VAULT}/secrets/key") is None
    with pytest.raises(ArmError, match="deleted but recoverable state"):
        create(cloud, "keyvault:Secret")


def test_purge_protection_protects_from_purging(cloud: Cloud) -> None:
    update(cloud, "keyvault:Vault", **{"properties.enablePurgeProtection": True})
    cloud.delete(f"{VAULT}/secrets/key")
    with pytest.raises(ArmError, match="purge protection"):
        soft_delete.purge(cloud.store, f"{VAULT}/secrets/key")
    cloud.delete(VAULT)
    with pytest.raises(ArmError, match="purge protection"):
        soft_delete.purge(cloud.store, VAULT)
    with pytest.raises(ArmError, match="DeletedVaultNotFound"):
        soft_delete.purge(cloud.store, f"{VAULT}x")
