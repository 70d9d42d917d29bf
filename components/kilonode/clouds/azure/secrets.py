"""Key material: one vault, one secret for each fixed machine and each pool, which only its own identity may read."""

import pulumi
import pulumi_azure_native as azure

from kilonode.clouds.azure import names
from kilonode.clouds.azure.bundle import bundle
from kilonode.clouds.azure.generation import LENGTH, Generation
from kilonode.clouds.azure.guard import guarded
from kilonode.clouds.azure.identity import SECRETS_USER, grant, officer
from kilonode.clouds.azure.place import ROLE, Place
from kilonode.limits import AZURE_KEY_VAULT_NAME
from kilonode.tuning import Row

RETENTION = Row(
    "softDeleteRetentionInDays", 90,
    "a vault deleted by mistake comes back with the keys of every machine; its name is never needed again",
    "Azure default, stated; set once: https://learn.microsoft.com/azure/key-vault/general/soft-delete-overview",
)  # fmt: skip

Files = pulumi.Output[dict[str, str]]


def vault_name(planned: str, token: str, *, given: bool) -> str:
    """The vault's name of this generation; one that a person gave stands as it is."""
    if given:
        return planned
    return names.checked("keyvault:Vault", f"{planned[: AZURE_KEY_VAULT_NAME.value - LENGTH - 1].rstrip('-')}-{token}")


def secret_name(owner: str, token: str) -> str:
    """The secret's name of this generation: an owner that comes back is another one."""
    return names.checked("keyvault:Secret", f"{owner}-{token}")


class Secrets(pulumi.ComponentResource):
    """The region's vault. Outputs: ``vault``, its name."""

    def __init__(self, place: Place, opts: pulumi.ResourceOptions) -> None:
        plan = place.plan
        super().__init__("kilonode:azure:Secrets", f"{plan.name}-secrets", None, opts)
        self._place, inside = place, pulumi.ResourceOptions(parent=self)
        given = plan.cloud.key_vault.name is not None
        generation = Generation(f"{plan.name}-vault", inside)
        self.vault = generation.token.apply(lambda token: vault_name(plan.key_vault, token, given=given))
        made = azure.keyvault.Vault(
            f"{plan.name}-vault",
            resource_group_name=place.group,
            vault_name=self.vault,
            location=place.location,
            tags=place.tags(ROLE),
            properties=azure.keyvault.VaultPropertiesArgs(
                tenant_id=place.client.tenant_id,
                sku=azure.keyvault.SkuArgs(family="A", name=azure.keyvault.SkuName.STANDARD),
                enable_rbac_authorization=True,
                enable_soft_delete=True,
                # Nobody, the owner of the subscription among them, can end all of a region's keys at once.
                enable_purge_protection=True,
                soft_delete_retention_in_days=int(RETENTION.value),
            ),
            opts=guarded("keyvault:Vault", inside, place.resource, protect=True),
        )
        self._made = made
        # It goes last, as deleting a secret needs it.
        self._officer = officer(place, made.id, inside)
        self.register_outputs({"vault": self.vault})

    def keep(
        self, owner: str, files: Files, opts: pulumi.ResourceOptions
    ) -> tuple[azure.keyvault.Secret, pulumi.Output[str]]:
        """Keep ``files`` as the secret of ``owner``; returns it, and its name."""
        name = Generation(owner, opts).token.apply(lambda token: secret_name(owner, token))
        packed: pulumi.Output[str] = pulumi.Output.secret(files.apply(lambda issued: bundle(owner, issued)))
        made = azure.keyvault.Secret(
            f"{owner}-secret",
            resource_group_name=self._place.group,
            vault_name=self.vault,
            secret_name=name,
            properties=azure.keyvault.SecretPropertiesArgs(value=packed, content_type="application/gzip+base64"),
            opts=guarded("keyvault:Secret", opts, self._made, self._officer, secret=["properties"]),
        )
        return made, name

    def readable(
        self,
        owner: str,
        secret: azure.keyvault.Secret,
        who: azure.managedidentity.UserAssignedIdentity,
        opts: pulumi.ResourceOptions,
    ) -> azure.authorization.RoleAssignment:
        """Let ``who`` read that secret, and no other."""
        return grant(f"{owner}-reads-secret", who, self._place.role(SECRETS_USER), secret.id, opts)
